"""Facts that the fields of a note state of it: ``owner: Ines``, ``uses:: polars, DuckDB``."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.extract.facts.triples import FactTriple, unlink
from hearth.lazy import regex

_FIELDS = {"owner": "owned_by"} | {one: one for one in ("owned_by", "depends_on", "uses", "runs_on")}
_MOST_WORDS = 12
"""A longer title names nothing."""
# A link and what stands in quotes may hold a comma.
_PART = regex(r"""\s*((?:\[\[[^\[\]]*\]\]|"[^"]*"|'[^']*'(?=\s*(?:,|$))|[^,])+)""")
_NOTHING = frozenset({"", "~", "null"})
# What a template leaves to be filled in.
_PLACEHOLDER = ("{{", "<%")


def field_triples(key: str, value: str, title: str, *, whole: bool = True) -> Iterator[FactTriple]:
    """What a field says of the note of this title; unless ``whole``, its value may name several, apart by commas."""
    predicate = _FIELDS.get(key.strip().casefold())
    if predicate is None or len(title.split()) > _MOST_WORDS or value.startswith(_PLACEHOLDER):
        return
    for part in [value] if whole else _PART.findall(value):
        said = " ".join(unlink(part).split()).strip(" \"'")
        if said.casefold() not in _NOTHING:
            yield FactTriple(title, predicate, said, f"{key}: {value}")


def row_triples(row: str, title: str) -> Iterator[FactTriple]:
    """What a line ``key:: value`` of a text says of its note."""
    key, _, value = row.replace("::", ":", 1).partition(":")
    value = value.strip()
    listed = value.startswith("[") and not value.startswith("[[")
    for triple in field_triples(key.strip(" -*"), value.strip(" []") if listed else value, title, whole=False):
        yield triple._replace(quote=row.strip())
