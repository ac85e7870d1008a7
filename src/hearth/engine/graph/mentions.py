"""The names in documents, read when their text has changed: beside the questions, never in a hook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress

from hearth.engine.graph.entity_files import filed_name
from hearth.engine.graph.mentioned.declared import (
    DeclaredNames,
    declared_name,
    find_outdated,
    note_declared,
    note_known,
    read_known,
)
from hearth.errors import Unavailable
from hearth.extract.entities.code import find_code, is_code_name
from hearth.extract.entities.entities import MOST_ENTITIES, find_entities
from hearth.extract.entities.known import KnownTrie
from hearth.extract.entities.ordinary import is_capitalised, is_ordinary
from hearth.extract.entities.signs import find_signed
from hearth.extract.entities.speakers import find_speakers
from hearth.graph.resolve import KnownNames, ResolvedName, key_of, person_words
from hearth.lazy import regex
from hearth.model.document import Document
from hearth.model.graph.entity import ENTITY_TYPES, EntityType, NamedEntity
from hearth.ports import Store, StoredDocument, StoredFragment

MARK = "8"
"""Raise it where the rules below, or those of ``extract.entities``, change."""
# In one write transaction.
_BATCH = 64
# Documents that a question reads the names of, where nobody did so before.
_MOST_READ = 2_000
_MAX_NAME_CHARS = 100
_FIELDS: dict[str, EntityType] = {
    "people": "person",
    "person": "person",
    "project": "project",
    "projects": "project",
    "organization": "organization",
    "company": "organization",
    "entity": "other",
    "tags": "concept",
}
_ROW = regex(r"(?P<field>[a-z]+):(?P<value>.*)|\s*-\s(?P<item>.*)")
_WORD = regex(r"[^\W_]+")
_LINK = regex(r"\[\[([^\[\]|#\n]{1,200})")


def read_names(store: Store, most: int | None = None) -> int:
    """Reads the names of documents whose text has changed since, ``most`` of them at most, and once there are none, of
    those that hold a name which was declared since; gives how many it read."""
    with store.read() as reader:
        waiting = reader.unread(MARK, most)
    # First whom they declare, or those that name them were read twice.
    for rows in _batches(waiting):
        with store.read() as reader:
            batch = list(reader.documents(rows).values())
        if any(declared_name(one.document) is not None for one in batch):
            with store.write() as writer:
                note_declared(writer, (one.document for one in batch))
    with store.read() as reader:
        known = read_known(reader)
    names, read = DeclaredNames(known), set[int]()
    for rows in _batches(waiting):
        read |= _read_batch(store, rows, names)
    with store.read() as reader:
        # Also what was written anew meanwhile waits for the next time.
        left = reader.count_unread(MARK)
    if left:
        return len(read)
    return len(read) + _read_declared(store, None if most is None else most - len(read), known, read)


def _batches(rows: Sequence[int]) -> Iterator[Sequence[int]]:
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))


def _read_batch(store: Store, rows: Sequence[int], known: DeclaredNames) -> set[int]:
    """Gives those whose text was still the same in the end."""
    with store.read() as reader:
        batch = reader.documents(rows).values()
        found = [(stored, names_of(stored, reader.fragments_of(stored.id), known)) for stored in batch]
    with store.write() as writer:
        read = [stored for stored, names in found if writer.set_entities(stored.id, MARK, names)]
        note_declared(writer, (stored.document for stored in read))
    return {stored.id for stored in read}


def _read_declared(store: Store, most: int | None, known: Mapping[str, NamedEntity], read: Set[int]) -> int:
    """All of them or, where they are more than ``most``, none. ``read`` were read with these ``known`` ones."""
    with store.read() as reader:
        now = read_known(reader)
        fresh = read if now == known else ()
        whole = len(fresh) == reader.statistics().documents
        rows = [] if whole else [row for row in find_outdated(reader, now) if row not in fresh]
    if most is not None and len(rows) > most:
        return 0
    names = DeclaredNames(now)
    done = sum(len(_read_batch(store, batch, names)) for batch in _batches(rows))
    with store.write() as writer:
        note_known(writer, now)
    return done


def catch_up(store: Store) -> None:
    """``read_names`` before a question, of 2,000 documents at most; an index that can't be written, or is being
    written, tells what it holds."""
    with suppress(Unavailable):
        read_names(store, _MOST_READ)


def names_of(
    stored: StoredDocument, fragments: Sequence[StoredFragment], known: DeclaredNames
) -> list[tuple[int, NamedEntity]]:
    """The names in a document's fragments: of more than 64, those that most fragments hold. What is surely of a type in
    one is so in all, and a part of a person's name is the full one where only one of the document has it."""
    read = _read_fragments(stored.document, fragments)
    own = KnownTrie(
        {one.name: one for _, one, _ in read if " " in one.name and not all(map(is_ordinary, one.name.split()))}
    )
    for part in fragments:
        read += [(part.id, one, False) for names in (known, own) for one in names.find(part.text)]
    read = [(row, known.means(one), sure) for row, one, sure in read]
    types = {key_of(one.name): one.type for _, one, sure in reversed(read) if sure and one.type != "other"}
    found = dict.fromkeys(
        (row, one if sure else NamedEntity(one.name, types.get(key_of(one.name), one.type))) for row, one, sure in read
    )
    joined = _join_parts(list(found))
    counts = Counter(key_of(one.name) for _, one in joined)
    # What code is called has the room that others leave.
    code = {key_of(one.name) for _, one in joined if is_code_name(one.name)}
    kept = set(sorted(counts, key=lambda key: (key in code, -counts[key]))[:MOST_ENTITIES])
    return [row for row in joined if key_of(row[1].name) in kept]


def _read_fragments(document: Document, fragments: Sequence[StoredFragment]) -> list[tuple[int, NamedEntity, bool]]:
    """The names in each as its own text tells them, and whom the document is about; with whether the type is sure."""
    about, filed = declared_name(document), filed_name(document)
    # What the tags of such a document say is what it is about.
    kinds = set() if about is None else {f"#{kind}" for kind in ENTITY_TYPES}
    read = [(part.id, one, filed is not None) for part in fragments[:1] if about for one in _named(*about)]
    told = {part.id: list(_names_in(part, document.language)) for part in fragments}
    speakers = find_speakers((part.text for part in fragments), document.language)
    spoken = {part.id: names for part, names in zip(fragments, speakers, strict=True)}
    words = _list_words(one for rows in told.values() for one, _ in rows)
    for part in fragments:
        # What needs a cue by itself needs none where the document has the name in full.
        missed = words.intersection(_WORD.findall(part.text)) - {
            word for one, _ in told[part.id] for word in one.name.split()
        }
        rows = list(_names_in(part, document.language, missed)) if missed else told[part.id]
        rows += [(one, True) for name in spoken[part.id] for one in _named(name, "person")]
        read += [(part.id, one, sure) for one, sure in rows if one.name not in kinds]
    return read


def _join_parts(found: Sequence[tuple[int, NamedEntity]]) -> list[tuple[int, NamedEntity]]:
    full = KnownNames(one for _, one in found if one.type == "person" and len(person_words(one.name)) > 1)
    joined: dict[tuple[int, NamedEntity], None] = {}
    for row, one in found:
        means = full.resolve(one.name) if one.type in ("person", "other") else ResolvedName(None)
        joined[row, one if means.name is None or means.by != "part" else NamedEntity(means.name, "person")] = None
    return list(joined)


def _list_words(names: Iterable[NamedEntity]) -> set[str]:
    """Of persons' names in full."""
    return {word for one in names if one.type == "person" and " " in one.name for word in one.name.split()}


def _names_in(
    fragment: StoredFragment, language: str, known: Set[str] = frozenset()
) -> Iterator[tuple[NamedEntity, bool]]:
    """With whether the type is sure."""
    if fragment.kind == "frontmatter":
        yield from ((one, True) for one in _fields(fragment.text))
        return
    for entity in find_entities(fragment.text, language, known):
        yield NamedEntity(entity.name, entity.type), entity.sure
    for signed in find_signed(fragment.text):
        yield from ((one, True) for one in _named(signed.name, signed.type))
    for name in find_code(fragment.text):
        yield from ((one, True) for one in _named(name, "other"))
    for link in _LINK.findall(fragment.text):
        name = link.rsplit("/", 1)[-1].removesuffix(".md")
        if is_capitalised(name):
            yield from ((one, False) for one in _named(name, "other"))


def _fields(text: str) -> Iterator[NamedEntity]:
    kind: EntityType | None = None
    for row in text.split("\n"):
        found = _ROW.fullmatch(row)
        if found is None:
            kind = None
        elif found["field"] is not None:
            kind = _FIELDS.get(found["field"])
        if found is None or kind is None:
            continue
        said = found["value"] if found["item"] is None else found["item"]
        for value in said.strip(" []").split(","):
            name = value.strip(" \"'[]")
            # As it would stand in the text.
            yield from _named(f"#{name.lstrip('#')}" if kind == "concept" and name else name, kind)


def _named(name: str, kind: EntityType) -> Iterator[NamedEntity]:
    text = " ".join(name.split())
    if len(text) <= _MAX_NAME_CHARS and key_of(text):
        yield NamedEntity(text, kind)
