"""Confidence: whether it tells the questions that have an answer from those that have none."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from hearth.engine.bench.cases import BenchQuestion
from hearth.engine.bench.subject import Subject, strangers
from hearth.engine.bench.systems import Answer, Hearth
from hearth.lazy import dataclass

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
