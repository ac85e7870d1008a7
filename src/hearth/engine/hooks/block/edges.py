"""How the documents that are shown together are related."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.engine.hooks.block.block import ShownPassage
from hearth.model.journal import subjects
from hearth.model.query import Hit
from hearth.ports import Reader

_MOST = 5
# What was used together needs no words: it is shown together.
_UNSAID = frozenset({"usage"})


def edges(reader: Reader, passages: Sequence[ShownPassage]) -> list[str]:
    """Lines such as "a.md supersedes b.md", among the documents of these passages, at most five."""
    shown = {passage.hit.docid: passage.hit for passage in passages}
    found: dict[str, None] = {}
    for source, kind, target in _relations(reader, shown):
        found[f"- {_name(shown[source])} {kind} {_name(shown[target])}"] = None
    return list(found)[:_MOST]


def _relations(reader: Reader, shown: dict[str, Hit]) -> Iterator[tuple[str, str, str]]:
    for docid in shown:
        for prefix, kind in (("supersedes:", "supersedes"), ("", "links to")):
            for source in reader.links_to(prefix + docid):
                if source in shown and source != docid:
                    yield source, kind, docid
    for docid in shown:
        for name, value in reader.registers(docid, subjects.RELATION).items():
            kind, target = subjects.read_relation(name)
            if value is not None and target in shown and kind not in _UNSAID:
                yield docid, kind.replace("_", " "), target


def _name(hit: Hit) -> str:
    return f"{hit.collection}/{hit.path}"
