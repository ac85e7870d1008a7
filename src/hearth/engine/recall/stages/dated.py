"""The stage that puts what is dated in the time asked for first, and says where nothing is."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass, regex
from hearth.ranking.lead import lead
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT

# Beside the best passage of the time, what answers this nearly as well as the best of all leads: people also ask for a
# time at which nobody spoke of it. On the questions of LoCoMo that name one, recall@10 .968 without and .984 with it,
# and .875 where all of the time leads.
_NEAR = 0.85
# Of so many of the best passages one may name the time.
_BEST = 3
_FIGURES = regex(r"\d+")


@dataclass(frozen=True)
class DatedStage(Stage):
    """Its best passage leads, and others that answer well; all of them where nothing else is asked for. Where nobody
    asked, only what answers at all: a command may come with a time, too."""

    name: ClassVar[str] = "dated"

    def applies(self, context: Context) -> bool:
        return bool(context.question.only) or any(time.inside for time in context.question.times)

    def __call__(self, context: Context, pool: Pool) -> Pool:
        question, leaders = context.question, _find_leaders(context, pool.candidates)
        led = lead(pool.candidates, lambda candidate: id(candidate) in leaders, self.name, "of the time asked for")
        if question.only:
            led = [replace(candidate, reread=None) for candidate in led]
        pool = replace(pool, candidates=led)
        if question.only == "session" or any(is_asked_for(context, candidate) for candidate in led):
            return pool
        if not question.only and any(_tells_of(context, candidate) for candidate in _find_best(led)):
            return pool
        phrases = ", ".join(time.phrase for time in question.times if time.inside)
        return replace(pool, confident=False, reason=f"nothing is dated {phrases}; these come nearest")


def _find_best(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: -candidate.relevance)[:_BEST]


def _tells_of(context: Context, candidate: Candidate) -> bool:
    """Whether an undated passage names the time by its figures: what happened in 1981 is told by a text of any day."""
    figures = {number for time in context.question.times if time.inside for number in _FIGURES.findall(time.phrase)}
    return bool(figures) and figures.issubset(_FIGURES.findall(candidate.fragment.text))


def _find_leaders(context: Context, candidates: list[Candidate]) -> set[int]:
    """The ids of those that lead."""
    question = context.question
    inside = [candidate for candidate in candidates if is_asked_for(context, candidate)]
    if question.only:
        return {id(candidate) for candidate in inside}
    if question.unasked and not context.conversation.asks:
        inside = [candidate for candidate in inside if candidate.relevance >= CUT.floor]
    bar = _NEAR * max(candidate.relevance for candidate in candidates)
    return {id(c) for place, c in enumerate(inside) if not place or c.relevance >= bar}


def held_then(context: Context, candidate: Candidate) -> bool:
    """Whether it was true at a past time that the question names, and is no longer: that is what was asked."""
    document, state = candidate.document.document, candidate.document.state
    if not context.question.then or state.forgotten or state.valid_to is None:
        return False
    since, until = document.valid_from, state.valid_to
    past = (time for time in context.question.times if time.inside and time.end <= context.query.at)
    return any((since is None or since < time.end) and until > time.start for time in past)


def is_asked_for(context: Context, candidate: Candidate) -> bool:
    """Whether it is dated in a time that the question names, or is of the last session where it asks for that."""
    if context.question.only == "session":
        return bool(candidate.lane("session"))
    if held_then(context, candidate):
        return True
    dated = candidate.document.document.dated_at
    times = (time for time in context.question.times if time.inside)
    return dated is not None and any(time.start <= dated < time.end for time in times)
