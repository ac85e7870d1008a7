"""The stage that brings what a person said in their own words, not the conversation around it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from hearth.engine.history.validity import is_memory
from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.statements import say_the_same
from hearth.lazy import dataclass
from hearth.model.fragment import SAID
from hearth.model.types import CONVERSATION
from hearth.ranking.stage import Candidate

# Another part of a conversation stays where nothing else answers this share as well as it does.
_AS_WELL = 0.7


@dataclass(frozen=True)
class QuotesStage(Stage):
    """A window of a conversation adds nothing to what the person said in it, where that answers as well. Where nobody
    asked (``unasked``), windows come only for what no memory, note or own sentence says, and a statement comes once, as
    it stands first."""

    name: ClassVar[str] = "quotes"
    unasked: bool = False

    def __call__(self, context: Context, pool: Pool) -> Pool:
        rest = [candidate for candidate in pool.candidates if not is_window(candidate)]
        bar = max((candidate.score for candidate in rest), default=0.0) / _AS_WELL
        kept: list[Candidate] = []
        for candidate in pool.candidates:
            if is_window(candidate):
                if (self.unasked and candidate.score <= bar) or any(_stands_in(one, candidate) for one in rest):
                    continue
            elif self.unasked and candidate.said and any(say_the_same(one.said, candidate.said) for one in kept):
                continue
            kept.append(candidate)
        return replace(pool, candidates=kept)


def _stands_in(said: Candidate, window: Candidate) -> bool:
    """Whether what the person said is a part of a window and answers as well."""
    if said.document.id != window.document.id or said.fragment.kind != SAID or said.score < window.score:
        return False
    return window.fragment.start_line <= said.fragment.start_line <= window.fragment.end_line


def is_window(candidate: Candidate) -> bool:
    """Whether it is a part of a conversation, and no sentence of the person's alone."""
    document = candidate.document.document
    return document.content_type == CONVERSATION and is_memory(document) and candidate.fragment.kind != SAID
