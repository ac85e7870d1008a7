"""Fits the gate of what is brought unasked: the weights in ``src/hearth/recall/data/gate.toml``.

    python bench/fit_gate.py DATA [--histories FOLDER] [--rows FILE] [--write]

Pairs are natural ones. The notes of the sets in DATA (notes, team, engnotes), of the examples and those that govern the
tasks of ``instructions.tsv`` stand beside one another in one vault, as in a folder of thousands; the chats stand apart.
Their questions are asked of them; so are questions to chats that notes cannot answer and the other way round, and
prompts of coding sessions: ``everyday.txt``, those that the tables in ``coding_prompts.txt`` make, and those of people,
from the ``.specstory/history`` of public repositories that FOLDER holds clones of, eight of each. A third of the
questions and of the repositories, by a hash of their names, is left out. Each kind is then left out in turn, so that
the figures are of kinds that the weights never saw. Run it again after a change of the vectors or of the lanes.
``--rows`` keeps what was collected, ``--write`` writes the weights.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hearth.benchmark.measures import BenchQuestion, Case, Gold, load
from hearth.benchmark.systems import Subject, prepare
from hearth.cli.questions.bench import TemporaryWorkbench
from hearth.context.queries import judge
from hearth.core.query import Conversation
from hearth.recall import recall
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.gate import FALLING, RISING, Features
from hearth.recall.stages.cut import GateStage, Reading
from machine import table

HERE = Path(__file__).parent
_TURN = re.compile(r"^_\*\*(User|Agent|Assistant)\b[^\n]*\n", re.MULTILINE)
WEIGHTS = HERE.parent / "src/hearth/recall/data/gate.toml"
EXAMPLES = HERE.parent / "examples"
NOTES = ("notes", "team", "engnotes")
CHATS = ("locomo", "beam-100k")
PER_CASE = {"locomo": 40, "beam-100k": 20}
FOREIGN = 120
CODING, EVERYDAY, CODING_OF_CHATS, OF_REPOSITORY = 300, 200, 40, 8
PROMPT_CHARS = 4_000
READ, KEPT = 16, 3
# What another passage of an answered question weighs: it may answer, too.
BESIDE = 0.3
RIDGE = 1e-3
# Kinds of prompts that no note answers.
NOTHING = (("coding", "everyday", "history"), ("foreign",))
LANES = {"meaning": "surface", "words": "surface-speed"}
# So many of the prompts of coding sessions, and of the questions to other notes, may bring something.
ALLOWED = 0.1


@dataclass
class Row:
    """A passage for a prompt: what kind of prompt, of which set, and whether it is wanted."""

    kind: str
    prompt: str
    wanted: bool
    weight: float
    features: list[float]


class _Recorder(Stage):
    """Stands where the gate does and keeps what it reads."""

    name: ClassVar[str] = "gate"

    def __init__(self) -> None:
        self.read: list[tuple[Any, Features]] = []

    def __call__(self, context: Context, pool: Pool) -> Pool:
        reading = Reading(context, pool.candidates[:READ])
        self.read = [(one, reading.read(one)) for one in pool.candidates[:READ]]
        return replace(pool, candidates=[])


def collect(data: Path, histories: Path | None, lane: str) -> Iterator[Row]:
    rng = random.Random(7)
    recorder = _Recorder()
    usual = recall.RECIPES[LANES[lane]]
    stages: tuple[Stage, ...] = tuple(recorder if isinstance(one, GateStage) else one for one in usual.stages)
    recall.RECIPES["fit"] = replace(usual, name="fit", stages=stages)
    with tempfile.TemporaryDirectory(prefix="hearth-gate-") as work:
        bench = TemporaryWorkbench(Path(work))
        notes, asked_of = _gather_notes(data, Path(work) / "notes")
        chats = [(name, prepare(case, bench.open)) for name in CHATS for case in _load(data / name, name)]
        vault = prepare(notes, bench.open)
        coding = [("coding", text) for text in rng.sample(_make_coding(rng), CODING)]
        coding += [("everyday", text) for text in rng.sample(_read_everyday(), EVERYDAY)]
        coding += [("history", text) for text in _read_histories(histories, rng)]
        for name, questions in asked_of.items():
            for asked in questions:
                yield from _judge(vault, asked, name, recorder)
        for name, subject in chats:
            for asked in _thin(subject.case, name):
                yield from _judge(subject, asked, name, recorder)
        to_chats = [one for name, subject in chats for one in _thin(subject.case, name) if one.gold]
        to_notes = [one for questions in asked_of.values() for one in questions if one.gold]
        for asked in rng.sample(to_chats, min(len(to_chats), FOREIGN)):
            yield from _judge(vault, replace(asked, gold=(), at=None), "foreign", recorder)
        for kind, text in coding:
            yield from _judge(vault, BenchQuestion(text, text, kind, ()), kind, recorder)
        for _, subject in chats:
            for asked in rng.sample(to_notes, min(len(to_notes), FOREIGN // 3)):
                yield from _judge(subject, replace(asked, gold=(), at=None), "foreign", recorder)
            for _, text in rng.sample(coding, CODING_OF_CHATS):
                yield from _judge(subject, BenchQuestion(text, text, "coding", ()), "coding", recorder)
        for subject in (vault, *(one for _, one in chats)):
            subject.vault.close()


def _judge(subject: Subject, asked: BenchQuestion, kind: str, recorder: _Recorder) -> Iterator[Row]:
    recorder.read = []
    at = subject.find_time(asked)
    query = subject.vault.query(asked.text, recipe="fit", at=at, limit=26, conversation=Conversation(here=None))
    subject.vault.recall(query)
    kept, found = 0, False
    prompt = f"{subject.case.name}/{asked.id}/{kind}"
    for candidate, features in sorted(recorder.read, key=lambda one: -one[0].relevance):
        document, fragment = candidate.document.document, candidate.fragment
        gold = any(
            one.path == document.path and one.start <= fragment.end_line and fragment.start_line <= one.end
            for one in asked.gold
        )
        beside = any(one.path == document.path for one in asked.gold)
        if gold or (kept < KEPT and not beside):
            kept += not gold
            weight = BESIDE if asked.gold and not gold else 1.0
            found = found or gold
            yield Row(kind, prompt, gold, weight, list(features))
    if asked.gold and not found:
        yield Row(kind, prompt, True, 0.0, [0.0] * len(Features._fields))


def _load(folder: Path, name: str) -> list[Case]:
    if not folder.is_dir():
        print(f"{folder} is not there, left out", file=sys.stderr)
        return []
    return load(folder)


def _thin(case: Case, name: str) -> Iterator[BenchQuestion]:
    """Those that are not aside, at most so many of a case."""
    left = [one for one in case.questions if one.type not in ("name", "alias") and not is_aside(name, case, one)]
    most = PER_CASE.get(name, 400)
    yield from left[:: -(-len(left) // most) or 1]


def is_aside(name: str, case: Case, asked: BenchQuestion) -> bool:
    own = f"{name}/{case.name}/{asked.id}" if name in PER_CASE else f"{name}/{asked.id}"
    return int(hashlib.sha256(own.encode()).hexdigest(), 16) % 3 == 0


def _read_everyday() -> list[str]:
    lines = (HERE / "everyday.txt").read_text("utf-8").splitlines()
    said = [line.replace("\\n", "\n") for line in lines if line and not line.startswith("#")]
    return [text for text in said if judge(text).skip is None]


def _gather_notes(data: Path, folder: Path) -> tuple[Case, dict[str, list[BenchQuestion]]]:
    """All notes in one folder, and by set the questions that are not left out."""
    folder.mkdir()
    asked_of: dict[str, list[BenchQuestion]] = {}
    sets = [(name, case) for name in NOTES for case in _load(data / name, name)]
    for name, case in [*sets, *(("examples", case) for case in load(EXAMPLES))]:
        shutil.copytree(case.corpus, folder / name)
        asked_of[name] = [replace(one, gold=_move(one.gold, name)) for one in _thin(case, name)]
    asked_of["instructions"] = list(_write_instructions(folder / "instructions"))
    everything = [one for questions in asked_of.values() for one in questions]
    return Case("notes", folder, tuple(everything)), asked_of


def _move(gold: Sequence[Gold], folder: str) -> tuple[Gold, ...]:
    return tuple(replace(one, path=f"{folder}/{one.path}") for one in gold)


def _write_instructions(folder: Path) -> Iterator[BenchQuestion]:
    """Notes that govern instructions, and these."""
    folder.mkdir()
    rows = (line.split("\t") for line in (HERE / "instructions.tsv").read_text("utf-8").splitlines())
    for number, row in enumerate(row for row in rows if len(row) == 3):
        prompt, title, text = row
        (folder / f"{number}.md").write_text(f"# {title}\n\n{text}\n", "utf-8")
        yield BenchQuestion(f"i{number}", prompt, "governs", (Gold(f"{folder.name}/{number}.md", 1, 9),))


def _read_histories(folder: Path | None, rng: random.Random) -> list[str]:
    """What people typed in the sessions of public repositories, of two thirds of these."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*/.specstory/history/*.md")) if folder is not None else ():
        name = path.relative_to(folder).parts[0]  # type: ignore[arg-type]
        if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0:
            continue
        turns = _TURN.split(path.read_text("utf-8", "replace"))
        said = (text.strip().strip("-").strip() for who, text in itertools.pairwise(turns) if who == "User")
        found.setdefault(name, []).extend(text for text in said if text and len(text) <= PROMPT_CHARS)
    return [one for said in found.values() for one in rng.sample(said, min(len(said), OF_REPOSITORY))]


def _make_coding(rng: random.Random) -> list[str]:
    """Each pattern of the tables filled in some ways; ``{name}`` stands for one of the words of that name."""
    words: dict[str, list[str]] = {}
    patterns: list[str] = []
    for line in (HERE / "coding_prompts.txt").read_text("utf-8").splitlines():
        if line.startswith("<"):
            name, _, listed = line[1:].partition(">")
            words[name] = [word.strip() for word in listed.split("|")]
        elif line and not line.startswith("#"):
            patterns.append(line.replace("\\n", "\n"))
    found = []
    for pattern, _ in itertools.product(patterns, range(4)):
        text = pattern
        while (start := text.find("{")) >= 0 and text[start + 1 : text.find("}", start)] in words:
            end = text.find("}", start)
            text = text[:start] + rng.choice(words[text[start + 1 : end]]) + text[end + 1 :]
        found.append(text)
    return list(dict.fromkeys(found))


# -- fitting --------------------------------------------------------------------------------------------------------


def fit(rows: Sequence[Row], use: Sequence[str]) -> dict[str, float]:
    """Logistic weights whose signs are as they must be, by projected gradient; every kind weighs the same."""
    at = [Features._fields.index(name) for name in use]
    values = np.array([[row.features[one] for one in at] for row in rows])
    wanted = np.array([float(row.wanted) for row in rows])
    weight = _weigh(rows)
    low = np.array([0.0 if name in RISING else -np.inf for name in use])
    high = np.array([0.0 if name in FALLING else np.inf for name in use])
    slope, intercept = np.zeros(len(use)), 0.0
    first, second = np.zeros(len(use) + 1), np.zeros(len(use) + 1)
    for step in range(1, 6001):
        chance = 1 / (1 + np.exp(-np.clip(values @ slope + intercept, -30, 30)))
        error = weight * (chance - wanted)
        bent = np.append(values.T @ error + RIDGE * slope, error.sum())
        first = 0.9 * first + 0.1 * bent
        second = 0.999 * second + 0.001 * bent**2
        move = 0.02 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        slope = np.clip(slope - move[:-1], low, high)
        intercept -= move[-1]
    return {"intercept": float(intercept)} | {n: float(v) for n, v in zip(use, slope, strict=True)}


def _weigh(rows: Sequence[Row]) -> Any:
    total: dict[tuple[str, bool], float] = {}
    for row in rows:
        total[row.kind, row.wanted] = total.get((row.kind, row.wanted), 0.0) + row.weight
    whole = sum(total[key] ** 0.5 for key in total)
    return np.array([row.weight / total[row.kind, row.wanted] ** 0.5 / whole for row in rows])


def score(rows: Sequence[Row], weights: dict[str, float]) -> Any:
    values = np.array([row.features for row in rows])
    slope = np.array([weights.get(name, 0.0) for name in Features._fields])
    return 1 / (1 + np.exp(-np.clip(values @ slope + weights["intercept"], -30, 30)))


def measure(rows: Sequence[Row], scores: Any, floor: float) -> dict[str, tuple[int, int]]:
    """By kind: of the prompts with a wanted passage those that it is brought for, of the others those that bring
    something."""
    best: dict[tuple[str, str, bool], float] = {}
    answered = {row.prompt for row in rows if row.wanted}
    for row, value in zip(rows, scores, strict=True):
        has = row.prompt in answered
        if row.wanted or not has:
            key = (row.kind, row.prompt, has)
            best[key] = max(best.get(key, 0.0), float(value))
    found: dict[str, tuple[int, int]] = {}
    for (kind, _, has), value in best.items():
        name = f"{kind} {'wanted' if has else 'nothing'}"
        brought, count = found.get(name, (0, 0))
        found[name] = (brought + (value >= floor), count + 1)
    return found


def leave_out(rows: Sequence[Row], use: Sequence[str]) -> Any:
    """The score of each row by weights that saw none of its kind."""
    scores = np.zeros(len(rows))
    for kind in sorted({row.kind for row in rows}):
        others = [row for row in rows if row.kind != kind]
        own = [n for n, row in enumerate(rows) if row.kind == kind]
        scores[own] = score([rows[n] for n in own], fit(others, use))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--histories", type=Path, help="a folder of clones with .specstory/history")
    parser.add_argument("--rows", type=Path, help="a file to keep what was collected in, read where it is there")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--without", default="", help="features left out")
    options = parser.parse_args()
    use = [name for name in Features._fields if name not in options.without.split(",")]
    text = "# Made by bench/fit_gate.py; docs/scoring.md says what the features are.\n"
    for lane in LANES:
        rows = _get_rows(options, lane)
        held = leave_out(rows, use)
        nothing = [sorted(measure_best(rows, held, kinds)) for kinds in NOTHING]
        floor = max(values[int((1 - ALLOWED) * (len(values) - 1))] for values in nothing)
        weights = fit(rows, use)
        found = measure(rows, held, floor)
        print(f"{lane}: floor {floor:.3f}")
        told = [[kind, str(brought), f"{n} {brought / n:.0%}"] for kind, (brought, n) in sorted(found.items())]
        print(table(["kind", "brought", "of"], told))
        print(table(["feature", "weight"], [[name, f"{value:.2f}"] for name, value in weights.items()]))
        # One half is where a passage is brought.
        weights["intercept"] -= math.log(floor / (1 - floor))
        text += f"\n[{lane}]\n"
        text += "".join(f"{name} = {value:.3f}\n" for name, value in weights.items() if abs(value) >= 0.0005)
    if options.write:
        WEIGHTS.write_text(text, "utf-8")


def measure_best(rows: Sequence[Row], scores: Any, kinds: Sequence[str]) -> list[float]:
    best: dict[str, float] = {}
    for row, value in zip(rows, scores, strict=True):
        if row.kind in kinds:
            best[row.prompt] = max(best.get(row.prompt, 0.0), float(value))
    return list(best.values())


def _get_rows(options: argparse.Namespace, lane: str) -> list[Row]:
    kept = None if options.rows is None else options.rows.with_suffix(f".{lane}.jsonl")
    if kept is not None and kept.exists():
        return [Row(**json.loads(line)) for line in kept.read_text("utf-8").splitlines()]
    rows = list(collect(options.data, options.histories, lane))
    if kept is not None:
        kept.write_text("".join(json.dumps(vars(row)) + "\n" for row in rows), "utf-8")
    return rows


if __name__ == "__main__":
    main()
