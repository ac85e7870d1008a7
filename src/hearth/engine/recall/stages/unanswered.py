"""The stage that leaves out what earlier conversations only asked, and what they repeat of a note."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.quotes import is_window
from hearth.language.replies import knows_nothing, only_asks
from hearth.lazy import dataclass
from hearth.markdown.turns import asks, opens_by_heading, split_turns
from hearth.model.fragment import SAID
from hearth.ports import StoredFragment
from hearth.ranking.echo import find_echoes
from hearth.ranking.stage import Candidate


@dataclass(frozen=True)
class UnansweredStage(Stage):
    """Where nobody asked, a question that was asked before answers nothing, whether or not it got "I can't say", and
    what repeats a note adds nothing to it."""

    name: ClassVar[str] = "unanswered"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        del context
        echoes = find_echoes(pool.candidates) if any(map(is_window, pool.candidates)) else frozenset()
        kept = [one for one in pool.candidates if _tells(one) and not (is_window(one) and id(one) in echoes)]
        return replace(pool, candidates=kept)


def _tells(candidate: Candidate) -> bool:
    if candidate.fragment.kind == SAID:
        return not only_asks(candidate.said or candidate.fragment.text)
    return not is_window(candidate) or _tells_something(candidate.fragment)


def _tells_something(window: StoredFragment) -> bool:
    """Whether one of its turns says more than a question or that it can't say."""
    rows = window.text.split("\n")
    by_heading = opens_by_heading(rows, window.headings)
    for first, end in split_turns(window.text, by_heading=by_heading):
        turn = "\n".join(rows[first:end])
        person = asks(turn, by_heading=by_heading)
        said = (turn if person is None else turn.partition("\n" if by_heading else ":")[2]).strip()
        if said and not only_asks(said) and (person or not knows_nothing(said)):
            return True
    return False
