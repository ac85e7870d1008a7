"""Abstention: how often something is injected that can't help, and what the cut costs the questions that have answers.

All is measured as hooks ask: recipe ``surface``, packed to a budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hearth.engine.bench.cases import BenchQuestion
from hearth.engine.bench.measures import Window, coverage
from hearth.engine.bench.subject import Subject, strangers
from hearth.lazy import dataclass
from hearth.model.query import Query, Recall

_RECIPE = "surface"
# More windows than a hook's budget holds.
_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Abstention:
    """Shares in [0, 1]; ``None`` where the set has no such question. ``unanswerable``: questions without gold that
    returned something. ``injected``: questions that returned something from the next case by name. ``answered``:
    questions with an answer that returned something. ``answerable_kept``: their coverage with the cut relative to
    coverage without, so also what the cut thins out of long documents."""

    unanswerable: float | None
    injected: float | None
    answered: float | None
    answerable_kept: float | None


def abstention(
    subjects: Sequence[Subject], wanted: Callable[[BenchQuestion], bool], budget: int, step: Callable[[], None]
) -> Abstention:
    """``wanted`` chooses among the questions that have gold."""
    unanswerable = [
        bool(_ask(subject, asked, subject.asked_at(asked), budget).hits)
        for subject in subjects
        for asked in subject.case.questions
        if not asked.gold
    ]
    injected = [
        bool(_ask(other, asked, other.at, budget).hits) for other, asked in strangers(subjects) if wanted(asked)
    ]
    cut = uncut = 0.0
    answered: list[bool] = []
    for subject, asked in _answerable(subjects, wanted):
        step()
        at = subject.asked_at(asked)
        found = _ask(subject, asked, at, budget)
        answered.append(bool(found.hits))
        cut += _measure_coverage(found, subject, asked)
        uncut += _measure_coverage(_ask(subject, asked, at, budget, min_score=0.0), subject, asked)
    return Abstention(_share(unanswerable), _share(injected), _share(answered), cut / uncut if uncut else None)


def _answerable(
    subjects: Sequence[Subject], wanted: Callable[[BenchQuestion], bool]
) -> Iterator[tuple[Subject, BenchQuestion]]:
    for subject in subjects:
        yield from ((subject, asked) for asked in subject.case.questions if asked.gold and wanted(asked))


def _ask(subject: Subject, asked: BenchQuestion, at: int, budget: int, min_score: float | None = None) -> Recall:
    query = Query(asked.text, at=at, limit=_LIMIT, budget_tokens=budget, recipe=_RECIPE)
    return subject.vault.recall(replace(query, min_score=min_score))


def _measure_coverage(recall: Recall, subject: Subject, asked: BenchQuestion) -> float:
    windows = [Window(hit.path, hit.start_line, hit.end_line) for hit in recall.hits]
    return coverage(windows, asked.gold, subject.sizes)


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None
