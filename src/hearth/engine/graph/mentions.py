"""The names in documents, read when their text has changed: beside the questions, never in a hook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from hearth.extract.entities.entities import MOST_ENTITIES, find_entities, is_capitalised
from hearth.extract.entities.signs import find_signed
from hearth.graph.resolve import key_of
from hearth.lazy import regex
from hearth.model.graph.entity import EntityType, NamedEntity
from hearth.ports import Store, StoredDocument, StoredFragment

MARK = "5"
"""Raise it where the rules below, or those of ``extract.entities``, change."""
# In one write transaction.
_BATCH = 64
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
_LINK = regex(r"\[\[([^\[\]|#\n]{1,200})")


def read_names(store: Store, most: int | None = None, stop: Callable[[], bool] = lambda: False) -> int:
    """Reads the names of documents whose text has changed since, ``most`` of them at most; gives how many it read."""
    done = 0
    while not stop() and (most is None or done < most):
        limit = _BATCH if most is None else min(_BATCH, most - done)
        with store.read() as reader:
            waiting = reader.unread(MARK, limit)
            found = [(stored.id, names_of(stored, reader.fragments_of(stored.id))) for stored in waiting]
        with store.write() as writer:
            # What was written anew meanwhile waits for the next batch.
            read = sum(writer.set_entities(row, MARK, names) for row, names in found)
        done += read
        if not read:
            break
    return done


def names_of(stored: StoredDocument, fragments: Sequence[StoredFragment]) -> list[tuple[int, NamedEntity]]:
    """The names in a document's fragments: of more than 64, those that most fragments hold. What is surely of a type in
    one is so in all."""
    language = stored.document.language
    read = [(part.id, one, sure) for part in fragments for one, sure in _names_in(part, language)]
    types = {key_of(one.name): one.type for _, one, sure in reversed(read) if sure and one.type != "other"}
    found = dict.fromkeys(
        (row, one if sure else NamedEntity(one.name, types.get(key_of(one.name), one.type))) for row, one, sure in read
    )
    counts = Counter(key_of(one.name) for _, one in found)
    kept = {key for key, _ in counts.most_common(MOST_ENTITIES)}
    return [row for row in found if key_of(row[1].name) in kept]


def _names_in(fragment: StoredFragment, language: str) -> Iterator[tuple[NamedEntity, bool]]:
    """With whether the type is sure."""
    if fragment.kind == "frontmatter":
        yield from ((one, True) for one in _fields(fragment.text))
        return
    for entity in find_entities(fragment.text, language):
        yield NamedEntity(entity.name, entity.type), entity.sure
    for signed in find_signed(fragment.text):
        yield from ((one, True) for one in _named(signed.name, signed.type))
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
