"""Confidence and recall on sets of questions: how often a right first hit has more confidence than a wrong one, and a
question with an answer more than one without, with each kind of question left out in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hearth.benchmark.confidence import separate
from hearth.benchmark.measures import BenchQuestion, any_at, load, recall_at
from hearth.benchmark.systems import Hearth, Subject, prepare
from hearth.cli.questions.bench import TemporaryWorkbench
from trust_checks.table import Options, Row, is_in, spread

SETS = ("notes", "team", "engnotes")
_RECIPE = "hybrid"
# Questions of another set, which has no answer here, for each that has one.
_STRANGERS = 60
RECALL = {"notes": (5, ">= 0.91"), "locomo": (10, ">= 0.865"), "beam-100k": (10, ">= 0.581")}
"""Old sets, with the depth and the figure of the README's table."""


@dataclass(frozen=True)
class Asked:
    """``kind`` of a question; ``right`` says whether the first hit answers, ``None`` where nothing could."""

    kind: str
    confidence: float
    right: bool | None


def measure(options: Options) -> Iterator[Row]:
    folders = {name: options.data / name for name in SETS if options.data and (options.data / name).is_dir()}
    for name in folders:
        others = [one for other in folders if other != name for one in _questions(folders[other], other, options)]
        yield from describe(name, _ask(folders[name], name, others, options))


def measure_recall(options: Options) -> Iterator[Row]:
    """Of old sets, as the README's table has it: whole sets, none put aside."""
    for name, (depth, goal) in RECALL.items():
        folder = None if options.data is None else options.data / name
        if folder is not None and folder.is_dir():
            found = list(_recall(folder, depth, options.most))
            measured = sum(found) / len(found)
            yield Row(f"{name}: recall@{depth}, hybrid", round(sum(found)), len(found), goal, measured=measured)


def describe(name: str, asked: list[Asked]) -> Iterator[Row]:
    right = [one for one in asked if one.right]
    yield from _row(f"{name}: confidence of a right first hit above a wrong one", right, _wrong(asked))
    yield from _row(f"{name}: confidence of what has an answer above what has none", _with(asked), _without(asked))


def _row(measure: str, own: list[Asked], other: list[Asked]) -> Iterator[Row]:
    if not own or not other:
        return
    whole = _separate(own, other)
    yield Row(f"{measure} (AUROC)", len(own), len(own) + len(other), measured=whole)
    kinds = sorted({one.kind for one in own})
    parts = [_separate([one for one in own if one.kind != kind], [one for one in other if one.kind != kind])
             for kind in kinds if len(kinds) > 1]  # fmt: skip
    if found := [value for value in parts if value is not None]:
        yield Row(f"{measure}, the lowest with a kind left out", len(own), len(own) + len(other), measured=min(found))


def _separate(own: list[Asked], other: list[Asked]) -> float | None:
    return separate([one.confidence for one in own], [one.confidence for one in other]) if own and other else None


def _with(asked: list[Asked]) -> list[Asked]:
    return [one for one in asked if one.right is not None]


def _without(asked: list[Asked]) -> list[Asked]:
    return [one for one in asked if one.right is None]


def _wrong(asked: list[Asked]) -> list[Asked]:
    return [one for one in asked if one.right is False]


def _questions(folder: Path, name: str, options: Options) -> list[BenchQuestion]:
    found = [one for case in load(folder) for one in case.questions if is_in(options.part, name, one.id)]
    return spread(name, found, options.most)


def _ask(folder: Path, name: str, others: list[BenchQuestion], options: Options) -> list[Asked]:
    asked = _questions(folder, name, options)
    strangers = spread(f"{name} strangers", [one for one in others if one.gold], _STRANGERS)
    [case] = load(folder)
    with tempfile.TemporaryDirectory() as work:
        subject = prepare(case, TemporaryWorkbench(Path(work)).open)
        found = [_answer(subject, one) for one in asked]
        found += [Asked("stranger", _answer(subject, one).confidence, None) for one in strangers]
        subject.vault.close()
    return found


def _answer(subject: Subject, asked: BenchQuestion) -> Asked:
    answer = Hearth(subject, _RECIPE).top(asked, 5)
    right = bool(any_at(answer.windows, asked.gold, 1)) if asked.gold else None
    return Asked(asked.type, answer.confidence, right)


def _recall(folder: Path, depth: int, most: int | None) -> Iterator[float]:
    with tempfile.TemporaryDirectory() as work:
        bench = TemporaryWorkbench(Path(work))
        for case in load(folder):
            subject = prepare(case, bench.open)
            for one in spread(case.name, [one for one in case.questions if one.gold], most):
                yield recall_at(Hearth(subject, _RECIPE).top(one, depth).windows, one.gold, depth)
            subject.vault.close()
