"""Notes: what a document is about in a few words, and how that grew with what came later and is like it.

Derived when it is asked for, of the document, of those like it and of what the vault holds; nothing is stored, so a
rebuilt index tells the same, and what is forgotten has left every note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from hearth.engine.documents.reference import find
from hearth.engine.graph.relations import relations_of
from hearth.engine.knowledge.spoken import spoken_lines
from hearth.engine.sessions.view import HANDED_OFF
from hearth.extract.pages.keywords import KeywordCounts, context, held, keywords
from hearth.lazy import dataclass
from hearth.markdown.paragraphs import paragraphs
from hearth.model import instants
from hearth.ports import Filter, Reader, StoredDocument

if TYPE_CHECKING:
    from hearth.engine.vault import Vault
    from hearth.model.document import Document

ALIKE = 0.6
"""How alike a newcomer is that adds to a note."""
MOST_VERSIONS = 20
_GAINED, _MOST_TAGS, _LEAST_SHARING = 2, 5, 2
_MOST_NEIGHBOURS = 64
_TEXT_CHARS = 64 * 1024
_SEMANTIC = ("semantic",)


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """What a newcomer (docid, title) added on its day (YYYY-MM-DD)."""

    version: int
    date: str
    docid: str
    title: str
    weight: float
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentNote:
    """``keywords`` are the document's own, the weightiest first, ``tags`` its own and those that several like it have;
    ``versions`` the oldest first, each with what it added."""

    document: Document
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    versions: tuple[NoteVersion, ...] = ()
    path: str = "rules"

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        document = self.document
        return {
            "docid": document.docid,
            "collection": document.collection,
            "path": document.path,
            "title": document.title,
            "keywords": list(self.keywords),
            "tags": list(self.tags),
            "context": self.context,
            "versions": [
                {**asdict(one), "added": list(one.added), "weight": round(one.weight, 3)} for one in self.versions
            ],
            "read_by": self.path,
        }


def tell_note(vault: Vault, reference: str) -> DocumentNote:
    """Of one document. Raises ``NotFound`` and ``Ambiguous`` for the reference."""
    with vault.store.read() as reader:
        stored = find(reference, reader, vault.core.roots).stored
        return _Notes(reader, Filter(at=vault.clock()), vault.zone).of(stored)


@dataclass
class _Notes:
    reader: Reader
    within: Filter
    zone: str
    _counts: dict[int, KeywordCounts] = field(default_factory=dict)

    def of(self, stored: StoredDocument) -> DocumentNote:
        document = stored.document
        own = self._keywords(stored)
        near = self._neighbours(document.docid)
        said = self._text(stored)
        heads = (document.content_type, self._day(stored), document.facts.get("project"))
        tags = self._tags(stored, [one for one, _ in near])
        return DocumentNote(document, own, tags, context(heads, said, own), tuple(self._versions(stored, own, near)))

    def _versions(
        self, stored: StoredDocument, own: tuple[str, ...], near: list[tuple[StoredDocument, float]]
    ) -> Iterator[NoteVersion]:
        """Once a day, by the likest newcomer of the day that has something to add."""
        began = stored.document.dated_at
        later = [
            (self._day(one), -weight, one)
            for one, weight in near
            if weight >= ALIKE and began is not None and (one.document.dated_at or began) > began
        ]
        known = {word.casefold() for word in own}
        told: set[str | None] = set()
        counts, language = self._terms(stored), stored.document.language
        for day, weight, one in sorted(later, key=lambda row: (row[0] or "", row[1], row[2].document.docid)):
            if day is None or day in told or len(told) == MOST_VERSIONS:
                continue
            told_of = dict.fromkeys(held(counts, word, language) for word in self._keywords(one))
            added = tuple(word for word in told_of if word is not None and word.casefold() not in known)[:_GAINED]
            if added:
                told.add(day)
                known |= {word.casefold() for word in added}
                yield NoteVersion(len(told), day, one.document.docid, one.document.title, -weight, added)

    def _tags(self, stored: StoredDocument, near: list[StoredDocument]) -> tuple[str, ...]:
        shared = Counter(tag for one in near for tag in dict.fromkeys(one.tags))
        others = sorted(
            (tag for tag, count in shared.items() if count >= _LEAST_SHARING), key=lambda t: (-shared[t], t)
        )
        return tuple(dict.fromkeys((*stored.tags, *others)))[:_MOST_TAGS]

    def _neighbours(self, docid: str) -> list[tuple[StoredDocument, float]]:
        """The likest first."""
        found = relations_of(self.reader, [docid], _SEMANTIC, self.within)
        found.sort(key=lambda one: (-one.weight, one.other(docid)))
        rows = ((self.reader.document(one.other(docid)), one.weight) for one in found[:_MOST_NEIGHBOURS])
        return [(stored, weight) for stored, weight in rows if stored is not None]

    def _keywords(self, stored: StoredDocument) -> tuple[str, ...]:
        counts = self._terms(stored)
        df = {term: float(row.df) for term, row in self.reader.terms(counts.forms).items()}
        return tuple(keywords(counts, df, self.reader.statistics().fragments))

    def _terms(self, stored: StoredDocument) -> KeywordCounts:
        if stored.id not in self._counts:
            title = stored.document.title.removeprefix(HANDED_OFF)
            self._counts[stored.id] = KeywordCounts.of(f"{title}.\n{self._text(stored)}")
        return self._counts[stored.id]

    def _text(self, stored: StoredDocument) -> str:
        """What people say in it, a paragraph a line."""
        rows = ("" if line.head else line.text for line in spoken_lines(self.reader, stored) if line.by_person)
        return "\n".join(text for _, text in paragraphs("\n".join(rows)[:_TEXT_CHARS]))

    def _day(self, stored: StoredDocument) -> str | None:
        at = stored.document.dated_at
        return None if at is None else instants.show_date(at, instants.zone_of(self.zone))
