"""The shortlist: of what was found, what is worth its text, and what is worth a mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hearth.engine.hooks.block.block import ShownPassage
from hearth.lazy import dataclass
from hearth.ranking.packing.repeats import Repeats

MOST_NAMED = 3
_PROCEDURES = frozenset({"skill", "antipattern", "principle"})
_PROCEDURE_PLACE = 3


@dataclass(frozen=True, slots=True)
class Shortlist:
    """``shown`` passages come with their text, ``named`` ones as their title and place; both best first."""

    shown: tuple[ShownPassage, ...]
    named: tuple[ShownPassage, ...]

    def mentioned(self, shown: Sequence[ShownPassage]) -> list[ShownPassage]:
        """Of the documents that are not among those ``shown`` after all, the best, one passage each."""
        left = {passage.hit.docid for passage in shown}
        found: list[ShownPassage] = []
        for passage in (*self.shown, *self.named):
            if passage.hit.docid not in left:
                left.add(passage.hit.docid)
                found.append(passage)
        return found[:MOST_NAMED]


def shortlist(passages: Sequence[ShownPassage], documents: int) -> Shortlist:
    """Of the passages, best first, those of at most ``documents`` that come near the best, without a sentence that
    comes twice; one on how to do things stands among the first four where there is one."""
    near = _near(passages)
    kept = _first([passage for passage in passages if passage.hit.docid in near], documents)
    said = Repeats()
    shown = [replace(passage, hit=hit) for passage in kept for hit in said.drop(passage.hit)]
    far = [passage for passage in passages if passage not in kept]
    return Shortlist(tuple(shown), tuple(far))


def _near(passages: Sequence[ShownPassage]) -> set[str]:
    """The first document, since what is asked for comes first, and those with a passage that is not cold."""
    return {passage.hit.docid for at, passage in enumerate(passages) if not at or passage.tier != "cold"}


def _first(passages: list[ShownPassage], documents: int) -> list[ShownPassage]:
    """Those of the best ``documents``, with one on how to do things among the first four where there is one."""
    allowed: dict[str, None] = {}
    for passage in passages:
        if len(allowed) < documents:
            allowed[passage.hit.docid] = None
    kept = [passage for passage in passages if passage.hit.docid in allowed]
    procedure = next((p for p in kept if p.hit.content_type in _PROCEDURES), None)
    if procedure is not None and kept.index(procedure) > _PROCEDURE_PLACE:
        kept.remove(procedure)
        kept.insert(_PROCEDURE_PLACE, procedure)
    return kept
