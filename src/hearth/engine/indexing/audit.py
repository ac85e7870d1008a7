"""Audit: whether the index holds what the files say, by analysing files once more. It finds damage that SQLite can't
see: a page whose bytes changed is still a page."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

import numpy as np

from hearth.engine.indexing.analysis import Analyzer, NotText
from hearth.engine.state import purged
from hearth.errors import Unavailable
from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.fragment import AnalyzedFragment
from hearth.model.identity import content_hash
from hearth.ports import (
    Collection,
    DocumentRecord,
    Files,
    Filter,
    Reader,
    Store,
    StoredDocument,
    StoredFragment,
    WantedTerm,
)
from hearth.text.packed import pack

# Documents of a passing look: some tenths of a second.
SAMPLE = 200
# Rounding to int8 changes the length of a vector of length 1 by no more.
_LENGTH_ERROR = 0.03
_ALL = Filter(include_hidden=True)
# What its text does not say.
_OTHERS = ("docid", "indexed_at", "committed_at")
_FIELDS = tuple(one.name for one in fields(Document) if one.name not in _OTHERS)


@dataclass(frozen=True, slots=True)
class Audit:
    """``checked`` documents were compared; ``problems`` says of each that differs how, by its URI."""

    checked: int
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Auditor:
    """Compares without a write. ``analyzer`` must be the one that fills the index."""

    store: Store
    files: Files
    collections: Sequence[Collection]
    analyzer: Analyzer

    def run(self, sample: int | None = SAMPLE) -> Audit:
        """``sample`` bounds the documents, drawn at random; ``None`` takes all. Files that changed since they were
        indexed tell nothing and are left out."""
        folders = {collection.name: collection for collection in self.collections}
        problems: list[str] = []
        checked = 0
        with self.store.read() as reader:
            stored = [d for d in reader.find_documents(_ALL) if self._is_comparable(reader, d, folders)]
            spaces = reader.spaces()
            if sample is not None and sample < len(stored):
                stored = random.sample(stored, sample)
            for one in stored:
                record = self._record(one, folders[one.document.collection])
                if record is None:
                    continue
                checked += 1
                wrong = next(_differences(reader, one, record, spaces), None)
                if wrong is not None:
                    problems.append(f"{one.document.uri}: {wrong}")
        return Audit(checked, tuple(problems))

    def _is_comparable(self, reader: Reader, stored: StoredDocument, folders: Mapping[str, Collection]) -> bool:
        document = stored.document
        if document.collection not in folders or stored.vanished:
            return False
        # Of what was purged the index holds nothing, and has to.
        return not (purged.is_purged(document) and reader.registers(document.docid, "purged"))

    def _record(self, stored: StoredDocument, collection: Collection) -> DocumentRecord | None:
        document = stored.document
        try:
            data = self.files.read(collection, stored.file)
            if content_hash(data) != document.raw_hash:
                return None
            return self.analyzer.record(
                data, collection, document.path, stored.file, document.docid, document.indexed_at
            )
        except (OSError, Unavailable, NotText):
            return None


def _differences(
    reader: Reader, stored: StoredDocument, record: DocumentRecord, spaces: Sequence[str]
) -> Iterator[str]:
    for name in _FIELDS:
        if getattr(stored.document, name) != getattr(record.document, name):
            yield f"its {name.replace('_', ' ')} is not that of the file"
    if stored.document.docid == record.document.docid and stored.problem != record.problem:
        yield "what is said to be wrong with it is not so"
    parts = reader.fragments_of(stored.id)
    if [_shape(part) for part in parts] != [_expect(part) for part in record.fragments]:
        yield "its passages are not those of the file"
        return
    ids = [part.id for part in parts]
    postings = {posting.fragment: posting for posting in reader.postings(ids, _ALL)}
    rows = reader.terms(set().union(*(part.terms for part in record.fragments)))
    for part, expected in zip(parts, record.fragments, strict=True):
        if any(term not in rows for term in expected.terms):
            yield "words of it are not in the index"
            return
        packed = pack((rows[term].id, counts) for term, counts in expected.terms.items())
        found = postings.get(part.id)
        if found is None or (found.packed, found.length) != (packed, expected.length):
            yield "its words are not those of the file"
            return
        rarest = min((rows[term] for term in expected.terms), key=lambda row: row.df, default=None)
        if rarest is not None and part.id not in reader.match([WantedTerm(rarest)], _ALL, rarest.df + len(ids)):
            yield "a search for its words does not find it"
    yield from _lengths(reader, ids, spaces)


def _lengths(reader: Reader, ids: Sequence[int], spaces: Sequence[str]) -> Iterator[str]:
    """Every vector has length 1 or is nothing."""
    for space in spaces:
        block = reader.vectors_of(space, ids)
        lengths = np.linalg.norm(block.vectors.astype(np.float32), axis=1) * block.scales
        if not bool(np.all((np.abs(lengths - 1) < _LENGTH_ERROR) | (lengths == 0))):
            yield f"a vector of {space} is damaged"


def _shape(part: StoredFragment) -> tuple[object, ...]:
    lines = (part.start_line, part.end_line, part.start_byte, part.end_byte)
    return (part.seq, part.kind, *lines, part.headings, part.context, part.text)


def _expect(item: AnalyzedFragment) -> tuple[object, ...]:
    part = item.fragment
    lines = (part.start_line, part.end_line, item.start_byte, item.end_byte)
    return (part.seq, part.kind, *lines, part.headings, part.context, part.text)
