"""Audit: whether the index holds what the files and the journals say, by analysing and folding them once more. It finds
damage that SQLite can't see: a page whose bytes changed is still a page."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from hearth.core.document import AnalyzedFragment, Document, content_hash
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.markdown.fragments import embedding_text
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
from hearth.text.terms import pack
from hearth.vault import changes
from hearth.vault.history import History, refold
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.encodings import NotText
from hearth.vault.linking import KEYS, meant
from hearth.vault.upkeep import Proof, same

if TYPE_CHECKING:
    from hearth.ports import Bytes

# Documents of a passing look: some tenths of a second.
SAMPLE = 200
# Rounding to int8 changes the length of a vector of length 1 by no more.
_LENGTH_ERROR = 0.03
_ALL = Filter(include_hidden=True)
_KINDS = ("references", *KEYS, "causal")
# Documents whose links wait, at most: no vault has more.
_WAITING = 10_000_000
# What its text does not say.
_OTHERS = ("docid", "indexed_at", "committed_at", "committed_by")
_FIELDS = tuple(one.name for one in fields(Document) if one.name not in _OTHERS)


@dataclass(frozen=True, slots=True)
class Audit:
    """``checked`` documents were compared; ``problems`` says of each that differs how, by its URI. ``behind``: the
    journals hold what the index has not taken in, so that the two were not compared."""

    checked: int
    problems: tuple[str, ...]
    behind: bool = False


@dataclass(frozen=True)
class Auditor:
    """Compares without a write. ``analyzer`` must be the one that fills the index, as ``proof`` is for vectors."""

    store: Store
    files: Files
    collections: Sequence[Collection]
    analyzer: Analyzer
    history: History
    proof: Proof

    def run(self, sample: int | None = SAMPLE) -> Audit:
        """``sample`` bounds the documents, drawn at random; ``None`` takes all, and the journals. Files that changed
        since they were indexed tell nothing and are left out."""
        # How daily notes are named, and what was cloned, is found by walking.
        folders = {collection.name: collection.walked(self.files.walk(collection)) for collection in self.collections}
        problems: list[str] = []
        checked, behind = 0, False
        with self.store.read() as reader:
            stored = [d for d in reader.each_document(_ALL) if self._is_comparable(reader, d, folders)]
            look = _Look(reader, self.history, self.proof, self._unlinked(reader))
            if sample is None:
                folded = refold(self.history.log, reader)
                problems += (f"{_name(reader, subject)}: {wrong}" for subject, wrong in folded.wrong.items())
                behind = folded.behind
            elif sample < len(stored):
                stored = random.sample(stored, sample)
            for one in stored:
                record = self._record(one, folders[one.document.collection])
                if record is None:
                    continue
                checked += 1
                wrong = next(look.differences(one, record), None)
                if wrong is not None:
                    problems.append(f"{one.document.uri}: {wrong}")
        return Audit(checked, tuple(problems), behind)

    def _unlinked(self, reader: Reader) -> frozenset[int]:
        """Documents whose links the next update resolves."""
        waiting = (reader.unlinked(one.name, _WAITING) for one in self.collections)
        return frozenset(stored.id for found in waiting for stored, _ in found)

    def _is_comparable(self, reader: Reader, stored: StoredDocument, folders: Mapping[str, Collection]) -> bool:
        document = stored.document
        if document.collection not in folders or stored.vanished:
            return False
        # Of what was purged the index holds nothing, and has to.
        if not changes.is_purged(document):
            return True
        return not changes.is_to_be_purged(self.history.registers(reader, document.docid), document)

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


class _Look:
    """At one document after the other, with all that is compared."""

    def __init__(self, reader: Reader, history: History, proof: Proof, unlinked: frozenset[int]) -> None:
        self._reader = reader
        self._history = history
        self._proof = proof
        self._unlinked = unlinked
        self._spaces = reader.spaces()

    def differences(self, stored: StoredDocument, record: DocumentRecord) -> Iterator[str]:
        document, reader = stored.document, self._reader
        for name in _FIELDS:
            if getattr(document, name) != getattr(record.document, name):
                yield f"its {name.replace('_', ' ')} is not that of the file"
        if document.docid == record.document.docid and stored.problem != record.problem:
            yield "its recorded problem does not exist"
        if stored.state != self._history.expected(reader, document):
            yield "its state differs from the journal"
        if stored.id not in self._unlinked and not self._is_linked(stored, record):
            yield "its links differ from the file's"
        parts = reader.fragments_of(stored.id)
        if [_shape(part) for part in parts] != [_expect(part) for part in record.fragments]:
            yield "its fragments differ from the file's"
            return
        yield from self._words([part.id for part in parts], record)
        yield from self._vectors(parts, document.title)

    def _is_linked(self, stored: StoredDocument, record: DocumentRecord) -> bool:
        document = stored.document
        links = meant(self._reader, document, record.links)
        return all(
            self._reader.links(document.docid, kind) == sorted({one.target for one in links if one.type == kind})
            for kind in _KINDS
        )

    def _words(self, ids: Sequence[int], record: DocumentRecord) -> Iterator[str]:
        reader = self._reader
        postings = {posting.fragment: posting for posting in reader.postings(ids, _ALL)}
        rows = reader.terms(set().union(*(part.terms for part in record.fragments)))
        for identity, expected in zip(ids, record.fragments, strict=True):
            if any(term not in rows for term in expected.terms):
                yield "words of it are not in the index"
                return
            packed = pack((rows[term].id, counts) for term, counts in expected.terms.items())
            found = postings.get(identity)
            if found is None or (found.packed, found.length) != (packed, expected.length):
                yield "its words differ from the file's"
                return
            rarest = min((rows[term] for term in expected.terms), key=lambda row: row.df, default=None)
            if rarest is not None and identity not in reader.match([WantedTerm(rarest)], _ALL, rarest.df + len(ids)):
                yield "a search for its words does not find it"

    def _vectors(self, parts: Sequence[StoredFragment], title: str) -> Iterator[str]:
        """Each is what its model gave for the fragment, and, where that can't be told, has length 1 or is nothing."""
        texts = [embedding_text(part, title) for part in parts]
        for space in self._spaces:
            block = self._reader.vectors(space, fragments=[part.id for part in parts])
            vectors = {int(row): (block.vectors[at], float(block.scales[at])) for at, row in enumerate(block.fragments)}
            expected = self._proof.expect(space, texts)
            known = {part.id: expected[at] for at, part in enumerate(parts) if at in expected}
            if not all(same(one, known[row]) if row in known else _is_unit(*one) for row, one in vectors.items()):
                yield f"a vector of {space} is damaged"


def _is_unit(row: Bytes, scale: float) -> bool:
    length = float(np.linalg.norm(row.astype(np.float32))) * scale
    return length == 0 or abs(length - 1) < _LENGTH_ERROR


def _name(reader: Reader, subject: str) -> str:
    stored = reader.document(subject)
    return subject if stored is None else stored.document.uri


def _shape(part: StoredFragment) -> tuple[object, ...]:
    lines = (part.start_line, part.end_line, part.start_byte, part.end_byte)
    return (part.seq, part.kind, *lines, part.headings, part.context, part.text)


def _expect(item: AnalyzedFragment) -> tuple[object, ...]:
    part = item.fragment
    lines = (part.start_line, part.end_line, item.start_byte, item.end_byte)
    return (part.seq, part.kind, *lines, part.headings, part.context, part.text)
