"""Whether confidence tells questions without an answer, and how often silence is kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from hearth.benchmark.measures import BenchQuestion, Window, coverage
from hearth.benchmark.systems import Answer, Hearth, Subject, strangers
from hearth.core.lazy import dataclass
from hearth.core.query import Query, Recall

KEPT = 0.95
"""The share of answerable questions that must stay confident where silence is compared."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """Of answers to whoever asks, by the first recipe that was measured; all in [0, 1].

    Unanswerable are the questions without gold and, asked of the next case by name, those that have it at home.
    ``auroc``: how often an answerable one has more confidence than an unanswerable one, ties half. ``silence``: the
    share of unanswerable ones below the confidence that 95 % of the answerable ones reach. As Hearth draws the line:
    ``kept`` of the answerable ones are confident, ``doubted`` of the unanswerable ones are not.
    """

    auroc: float
    silence: float
    kept: float
    doubted: float


def measure_confidence(
    subjects: Sequence[Subject],
    recipe: str,
    answered: Sequence[Answer],
    wanted: Callable[[BenchQuestion], bool],
    step: Callable[[], None],
) -> Confidence | None:
    """``answered`` are the answers to the questions with gold; ``wanted`` chooses among these what others are asked.
    ``None`` where nothing can be compared."""
    unanswered = [
        Hearth(subject, recipe).top(asked, 1)
        for subject in subjects
        for asked in subject.case.questions
        if not asked.gold
    ]
    for subject, asked in strangers(subjects):
        if wanted(asked):
            step()
            unanswered.append(Hearth(subject, recipe).top(asked, 1))
    if not answered or not unanswered:
        return None
    own, other = ([answer.confidence for answer in answers] for answers in (answered, unanswered))
    return Confidence(
        auroc=separate(own, other),
        silence=sum(value < reach(own, KEPT) for value in other) / len(other),
        kept=sum(answer.confident for answer in answered) / len(answered),
        doubted=sum(not answer.confident for answer in unanswered) / len(unanswered),
    )


def separate(own: Sequence[float], other: Sequence[float]) -> float:
    """The area under the ROC curve (Mann-Whitney): the share of pairs in which the own value is greater, ties half."""
    ranked = sorted(other)
    below = sum(bisect_left(ranked, value) + bisect_right(ranked, value) for value in own)
    return below / (2 * len(own) * len(other))


def reach(values: Sequence[float], share: float) -> float:
    """The greatest value that this share of them reach."""
    ordered = sorted(values, reverse=True)
    return ordered[min(len(ordered), -int(-share * len(ordered) // 1)) - 1]


_RECIPE = "surface"
# More windows than a hook's budget holds.
_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Abstention:
    """Shares in [0, 1]; ``None`` where the set has no such question. ``unanswerable``: questions without gold that
    returned something. ``injected``: questions that returned something from the next case by name. ``answered``:
    questions with an answer that returned something. ``answerable_kept``: their coverage relative to what whoever asks
    gets within the same budget."""

    unanswerable: float | None
    injected: float | None
    answered: float | None
    answerable_kept: float | None


def abstention(
    subjects: Sequence[Subject],
    covered: Mapping[int, float],
    wanted: Callable[[BenchQuestion], bool],
    budget: int,
    step: Callable[[], None],
) -> Abstention:
    """``covered`` is what whoever asks gets within the budget, by the ``id`` of the question; ``wanted`` chooses among
    the questions that have gold."""
    unanswerable = [
        bool(_ask(subject, asked, subject.find_time(asked), budget).hits)
        for subject in subjects
        for asked in subject.case.questions
        if not asked.gold
    ]
    injected = [
        bool(_ask(other, asked, other.at, budget).hits) for other, asked in strangers(subjects) if wanted(asked)
    ]
    brought = found = 0.0
    answered: list[bool] = []
    for subject, asked in _answerable(subjects, wanted):
        step()
        recall = _ask(subject, asked, subject.find_time(asked), budget)
        answered.append(bool(recall.hits))
        if id(asked) in covered:
            brought += _measure_coverage(recall, subject, asked)
            found += covered[id(asked)]
    return Abstention(_share(unanswerable), _share(injected), _share(answered), brought / found if found else None)


def _answerable(
    subjects: Sequence[Subject], wanted: Callable[[BenchQuestion], bool]
) -> Iterator[tuple[Subject, BenchQuestion]]:
    for subject in subjects:
        yield from ((subject, asked) for asked in subject.case.questions if asked.gold and wanted(asked))


def _ask(subject: Subject, asked: BenchQuestion, at: int, budget: int) -> Recall:
    return subject.vault.recall(Query(asked.text, at=at, limit=_LIMIT, budget_tokens=budget, recipe=_RECIPE))


def _measure_coverage(recall: Recall, subject: Subject, asked: BenchQuestion) -> float:
    windows = [Window(hit.path, hit.start_line, hit.end_line) for hit in recall.hits]
    return coverage(windows, asked.gold, subject.sizes)


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None
