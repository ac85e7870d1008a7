"""The newest passages whose names were read and mean somebody: by the full name, by a part of it where the document
joins the two, and by a part that nobody else of the document's project has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from hearth.core.document import Document
from hearth.core.graph import NamedEntity
from hearth.graph.entities.aliases import SaidNames
from hearth.graph.entities.entity_files import filed_name
from hearth.graph.entities.resolve import KnownNames, key_of, person_words
from hearth.ports import Filter, Reader, StoredDocument, StoredFragment
from hearth.text.similarity import flatten

MOST_MENTIONS = 500
# A part that so many full names have is looked up for none of them.
_MOST_FULL = 64
_BATCH = 100


class HeldMention(NamedTuple):
    """``by`` is the name, or the part of it, that stands there; ``names`` are those of the passage."""

    document: Document
    part: StoredFragment
    by: str
    names: Sequence[NamedEntity]


def find_held(reader: Reader, chosen: str, own: Collection[str], said: SaidNames, within: Filter) -> list[HeldMention]:
    """At most 500, the newest documents first; ``own`` are the keys of the names that mean whoever is ``chosen``. What
    people said of a part goes before what it is a part of."""
    rows = dict.fromkeys(reader.naming(sorted(own), within, MOST_MENTIONS))
    words = [word for word in dict.fromkeys(person_words(chosen)) if len(word) > 1 and word not in own]
    for word in words if len(words) > 1 else ():
        if word not in said.everywhere:
            rows.update(dict.fromkeys(_find_in_projects(reader, chosen, word, within)))
    found = _read(reader, list(rows), [chosen, *words], own, said)
    return sorted(found, key=lambda one: -(one.document.dated_at or 0))[:MOST_MENTIONS]


def _read(
    reader: Reader, rows: Sequence[tuple[int, int]], spelled: Sequence[str], own: Collection[str], said: SaidNames
) -> Iterator[HeldMention]:
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        documents = reader.documents(sorted({document for document, _ in batch}))
        parts = reader.fragments([fragment for _, fragment in batch])
        names = {row: reader.entities_of(row) for row in documents}
        for document, fragment in batch:
            if document not in documents or fragment not in parts:
                continue
            told, part = documents[document].document, parts[fragment]
            held = [name for place, name in names[document] if place == fragment]
            by = _by(part, held, spelled, own)
            filed = filed_name(told)
            about = filed is not None and key_of(filed.name) in own
            otherwise = by in spelled[1:] and by in said.everywhere
            meant = all(_is_meant(reader, said, told.docid, one, spelled[0]) for one in {by, spelled[0]})
            if meant and not (about or otherwise):
                yield HeldMention(told, part, by, held)


def _by(part: StoredFragment, held: Sequence[NamedEntity], spelled: Sequence[str], own: Collection[str]) -> str:
    """What of a name stands there: one of those that mean it, as it is written, else a word of it."""
    text = flatten(part.text)
    whole = [one.name for one in held if key_of(one.name) in own]
    return next((one for one in (*whole, *spelled) if flatten(one) in text), spelled[0])


def _is_meant(reader: Reader, said: SaidNames, docid: str, name: str, chosen: str) -> bool:
    here = said.meant_in(reader, docid, name)
    return here is None or key_of(said.follow(here)) == key_of(chosen)


def _find_in_projects(reader: Reader, chosen: str, word: str, within: Filter) -> Iterator[tuple[int, int]]:
    """Where a part stands in a project that names the chosen one in full, and nobody else who has it."""
    rows = reader.naming([word], within, MOST_MENTIONS)
    held = reader.held_names(_MOST_FULL, "person", word) if rows else []
    if not rows or len(held) == _MOST_FULL:
        return
    known = KnownNames(NamedEntity(one.name, one.type) for one in held)
    full = {one.key: one.name for one in held if one.key != word and word in person_words(one.name)}
    others = [key for key, name in full.items() if key_of(known.resolve(name).name or name) != key_of(chosen)]
    alone = _find_projects(reader, key_of(chosen), within)
    for key in others:
        if len(reader.naming([key], within, MOST_MENTIONS)) == MOST_MENTIONS:
            return
        alone -= _find_projects(reader, key, within)
    documents = reader.documents(sorted({document for document, _ in rows}))
    holds = reader.names_in(sorted(documents))
    for document, fragment in rows:
        here = document in documents and _project_of(documents[document]) in alone
        # Who is named in full there was joined, or is one of several.
        alone_here = here and full.keys().isdisjoint(holds[document])
        if alone_here and _names_person(reader.entities_of(document), fragment, word):
            yield document, fragment


def _names_person(held: Sequence[tuple[int, NamedEntity]], fragment: int, key: str) -> bool:
    return all(one.type in ("person", "other") for place, one in held if place == fragment and key_of(one.name) == key)


def _find_projects(reader: Reader, key: str, within: Filter) -> set[str]:
    """Of the newest documents that hold a name."""
    rows = reader.naming([key], within, MOST_MENTIONS)
    return {_project_of(one) for one in reader.documents(sorted({document for document, _ in rows})).values()}


def _project_of(stored: StoredDocument) -> str:
    return stored.document.facts.get("project", stored.document.collection)
