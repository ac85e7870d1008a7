"""How the documents that are shown together are related."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.engine.graph.relations import relations_of
from hearth.engine.hooks.block.block import ShownPassage
from hearth.model.graph.relation import TYPES
from hearth.model.query import Hit
from hearth.ports import Filter, Reader

_MOST = 5
_UNSAID = frozenset({"semantic", "references"})
# What was used together, or is alike, needs no words: it is shown together.
_SAID = (*(name for name, kind in TYPES.items() if kind.statable and name not in _UNSAID), "references")


def edges(reader: Reader, passages: Sequence[ShownPassage]) -> list[str]:
    """Lines such as "a.md supersedes b.md", among the documents of these passages, at most five."""
    shown = {passage.hit.docid: passage.hit for passage in passages}
    found: dict[str, None] = {}
    for source, kind, target in _relations(reader, shown):
        found[f"- {_name(shown[source])} {kind} {_name(shown[target])}"] = None
    return list(found)[:_MOST]


def _relations(reader: Reader, shown: dict[str, Hit]) -> Iterator[tuple[str, str, str]]:
    """What replaces what, and what is said, before links."""
    found = relations_of(reader, list(shown), _SAID, Filter(include_hidden=True))
    for one in sorted(found, key=lambda one: _SAID.index(one.type)):
        if one.source in shown and one.target in shown:
            yield one.source, TYPES[one.type].words, one.target


def _name(hit: Hit) -> str:
    return f"{hit.collection}/{hit.path}"
