"""What the files about an entity say of it: those of all machines, and of all its names, read as one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from hearth.core.document import Document
from hearth.core.graph import ENTITY_TYPES, EntityType, NamedEntity
from hearth.core.lazy import dataclass, regex
from hearth.core.types import ENTITY
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.names import name_key
from hearth.text.similarity import normalised

_MOST_FILES = 64
_BEGINS = regex(r"- (\d{4}-\d{2}-\d{2}) (.*)")
_TAIL = regex(r"(.*?)(?: \(([^()\n]*)\))?(?: \^[0-9a-z]{16})?\s*", re.DOTALL)
_UNTIL = regex(r"[,·]?\s*\buntil (\d{4}-\d{2}-\d{2})\s*")


class EntityLine(NamedTuple):
    """A line of an entity's file: YYYY-MM-DD, what it says, where that is from, and until when it holds."""

    date: str
    text: str
    source: str
    until: str | None


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A dated line of an entity's file: since ``date`` (YYYY-MM-DD), and ``until`` one where its source says so."""

    date: str
    text: str
    source: str
    until: str | None
    docid: str
    path: str
    line: int

    @property
    def kind(self) -> EntityType:
        """Of the entity, by the name of the file."""
        return _kind_of(self.path)

    def to_dict(self) -> dict[str, Any]:
        data = {"date": self.date, "text": self.text, "source": self.source, "until": self.until}
        return data | {"docid": self.docid, "path": self.path, "line": self.line}


def read_facts(reader: Reader, names: Iterable[str], now: int) -> tuple[EntityFact, ...]:
    """By date, each once, whoever wrote it down first and whoever ended it; nothing from files that came from
    elsewhere."""
    keys = tuple(dict.fromkeys(filter(None, map(name_key, names))))
    rows = reader.find_rows("name", keys, Filter(types=(ENTITY,), at=now), _MOST_FILES) if keys else ()
    found = sorted(
        (fact for one in _keep_trusted(reader, rows) for fact in _read(reader, one)),
        key=lambda fact: (fact.date, fact.path, fact.line),
    )
    once: dict[str, EntityFact] = {}
    for fact in found:
        before = once.setdefault(key := normalised(fact.text), fact)
        if before.until is None and fact.until is not None:
            once[key] = replace(before, until=fact.until)
    return tuple(once.values())


def is_filed(reader: Reader, name: str, now: int) -> bool:
    """Whether a file is about what is called so, as its title or one of its aliases."""
    key = name_key(name)
    rows = reader.find_rows("name", [key], Filter(types=(ENTITY,), at=now), _MOST_FILES) if key else ()
    return any(_keep_trusted(reader, rows))


def name_of_file(document: Document) -> NamedEntity | None:
    """Whom a file is about, of the type of its tags, else of its file name; ``None`` for other documents, and what came
    from elsewhere."""
    if document.content_type != ENTITY or document.trust == "external":
        return None
    return NamedEntity(document.title, kind_from_tags(document) or _kind_of(document.path))


def kind_from_tags(document: Document) -> EntityType | None:
    return next((kind for kind in ENTITY_TYPES if kind in document.tags), None)


def _kind_of(path: str) -> EntityType:
    begun = path.rpartition("/")[2].partition("-")[0]
    return next((kind for kind in ENTITY_TYPES if kind == begun), "other")


def _keep_trusted(reader: Reader, rows: Collection[int]) -> list[StoredDocument]:
    return [one for one in reader.documents(rows).values() if one.document.trust != "external"]


def read_line(row: str) -> EntityLine | None:
    """Of a line with those that continue it; ``None`` for one without a date."""
    begins = _BEGINS.fullmatch(row)
    if begins is None:
        return None
    tail = _TAIL.fullmatch(begins[2])
    text, source = (tail[1], tail[2] or "") if tail else (begins[2], "")
    until = _UNTIL.search(source)
    return EntityLine(begins[1], text.strip(), _UNTIL.sub("", source).strip(), until[1] if until else None)


def _read(reader: Reader, stored: StoredDocument) -> Iterator[EntityFact]:
    document = stored.document
    for fragment in reader.fragments_of(stored.id):
        rows = fragment.text.split("\n")
        for at, row in enumerate(rows):
            more = takewhile(lambda following: following.startswith("  "), rows[at + 1 :])
            found = read_line(" ".join([row, *map(str.strip, more)]))
            if found is not None:
                line = fragment.start_line + at
                yield EntityFact(found.date, found.text, found.source, found.until, document.docid, document.path, line)
