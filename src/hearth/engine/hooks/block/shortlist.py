"""The shortlist: of what was found, what is worth its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hearth.engine.hooks.block.block import ShownPassage
from hearth.ranking.packing.repeats import Repeats


def shortlist(passages: Sequence[ShownPassage], documents: int) -> list[ShownPassage]:
    """Of the passages, best first, those of at most ``documents``, none that is cold and no sentence twice."""
    warm = [passage for passage in passages if passage.tier != "cold"]
    allowed = list(dict.fromkeys(passage.hit.docid for passage in warm))[:documents]
    said = Repeats()
    return [replace(one, hit=hit) for one in warm if one.hit.docid in allowed for hit in said.drop(one.hit)]
