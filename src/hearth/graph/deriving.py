"""Derives relations of changed documents, batch by batch, from texts, citations and vectors."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import field
from functools import cache, partial
from hashlib import sha256
from io import BytesIO
from itertools import chain, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from hearth.core.document import Document, docid, is_docid, normal_path
from hearth.core.graph import (
    BACKGROUND,
    CAUSES,
    DAYS_HALF,
    DERIVED,
    LINKED,
    SEMANTIC,
    SESSIONS,
    SPACE,
    TEXT,
    TIME,
    VECTORS,
    DocumentRelation,
    EvidencePlace,
    hash_fragment,
)
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass, regex
from hearth.graph.causes import CausalStatement, find_causes_of, find_statements, find_tellers
from hearth.ports import Reader, Store, StoredDocument, StoredFragment, Writer
from hearth.ports.files import Spread
from hearth.vault.changes import is_purged
from hearth.vault.documents import DocumentTexts, find_unchanged, read_texts
from hearth.vault.embedding import MAX_TRIES
from hearth.vault.ledger import Spaces

if TYPE_CHECKING:
    from hearth.graph.similar_documents import Candidates, Likeness

MOST = 200
_DOCID = regex(r"(?<![\w#/.-])#?([0-9a-hjkmnp-tv-z]{16})(?!\w)")
_PATH = regex(r"(?<![\w./~-])([\w.~-][\w./~-]*?\.(?:md|markdown|mdx|mdown))(?![\w/~-])")


def find_citations(document: Document, fragments: Iterable[StoredFragment]) -> list[DocumentRelation]:
    """What it names may come later, or never: it relates the document to nothing before."""
    found: dict[str, DocumentRelation] = {}
    for part in fragments:
        place: tuple[EvidencePlace, ...] = ()
        for target in _targets(document, part.text):
            if len(found) == MOST:
                return list(found.values())
            if target == document.docid or target in found:
                continue
            place = place or (EvidencePlace(document.docid, part.start_line, part.end_line, hash_fragment(part.text)),)
            found[target] = DocumentRelation(document.docid, "references", target, LINKED, origin=TEXT, evidence=place)
    return list(found.values())


def _targets(document: Document, text: str) -> Iterator[str]:
    for name in _DOCID.findall(text):
        # No docid comes without a digit, and words have none.
        if is_docid(name) and not name.isalpha():
            yield name
    if ".m" not in text:
        return
    folder = str(PurePosixPath(document.path).parent)
    for found in _PATH.findall(text):
        path = normal_path(found).removeprefix("./")
        if "/" in path:
            collection, _, rest = path.partition("/")
            yield docid(collection, rest)
        yield docid(document.collection, path)
        if folder != ".":
            yield docid(document.collection, f"{folder}/{path}")


@dataclass(frozen=True, slots=True)
class TextFindings:
    """Of one document. ``statements`` tell causes, of documents that are yet to be found."""

    citations: list[DocumentRelation]
    statements: list[CausalStatement]


def find_in_texts(texts: DocumentTexts) -> list[TextFindings]:
    """Of each document, in order."""
    return [
        TextFindings(find_citations(document, fragments), find_statements(document, fragments))
        for document, fragments in texts.documents
    ]


_COMPARED = 512  # documents of a batch, which are compared with all
_THREADS = 2
_READ = 64


@dataclass
class DerivationBatch:
    """``findings`` are those of each document, in order."""

    documents: list[StoredDocument]
    comparing: list[Future[dict[int, Candidates]]]
    findings: list[TextFindings] = field(default_factory=list)

    def compared(self) -> dict[int, Candidates]:
        """By row which documents are near."""
        return {row: found for part in self.comparing for row, found in part.result().items()}


def read_batches(store: Store, mark: str, likeness: Likeness, share: Spread) -> Iterator[DerivationBatch]:
    """Of all documents without the mark. ``share`` shares out the reading of texts."""
    loaded = deque[DerivationBatch]()
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for findings in share(find_in_texts, _load(store, mark, likeness, pool, loaded)):
                loaded[0].findings += findings
                if len(loaded[0].findings) == len(loaded[0].documents):
                    yield loaded.popleft()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _load(
    store: Store, mark: str, likeness: Likeness, pool: ThreadPoolExecutor, loaded: deque[DerivationBatch]
) -> Iterator[DocumentTexts]:
    # The next is under way before one is handed out.
    for batch, _ in pairwise(chain(_begin(store, mark, likeness, pool), [None])):
        if batch is None:
            return
        loaded.append(batch)
        for first in range(0, len(batch.documents), _READ):
            with store.read() as reader:
                texts = read_texts(reader, batch.documents[first : first + _READ])
            yield texts


def _begin(store: Store, mark: str, likeness: Likeness, pool: ThreadPoolExecutor) -> Iterator[DerivationBatch]:
    compare, after = likeness.comparer(), 0
    while True:
        with store.read() as reader:
            rows = reader.waiting("relations", mark, _COMPARED, after)
            documents = list(reader.documents(rows).values())
        if not rows:
            return
        after = rows[-1]
        if documents:
            parts = [rows[first::_THREADS] for first in range(_THREADS)]
            yield DerivationBatch(documents, [pool.submit(compare, part) for part in parts])


VERSION = 4
"""Raise where other relations come of the same documents."""
BULK_DOCUMENTS = 1_000
"""From so many on starting processes pays."""
_BATCH = 32  # documents of one transaction: some milliseconds
_LOOKED_AT = 256
_HANDOFF = ("handoff",)

Progress = Callable[[int, int], None]
Near = Mapping[int, list[DocumentRelation]]


@dataclass(slots=True)
class DeriveReport:
    """``added`` and ``removed`` count rows by type; ``missing`` documents still wait, for their vectors."""

    documents: int = 0
    missing: int = 0
    added: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "missing": self.missing,
            "added": dict(sorted(self.added.items())),
            "removed": dict(sorted(self.removed.items())),
        }


@dataclass(frozen=True)
class Deriver:
    """``lease`` is held by one process of the machine at a time and raises ``Unavailable`` elsewhere. ``threshold`` is
    the weight from which on documents are related by being alike; ``spread`` shares out the reading of the texts of
    ``bulk`` documents or more; ``aside`` opens an empty file, for vectors that are read again and again."""

    store: Store
    spaces: Spaces
    lease: Callable[[], AbstractContextManager[None]]
    threshold: float = SEMANTIC
    spread: Spread = map
    bulk: int = BULK_DOCUMENTS
    aside: Callable[[], BinaryIO] = BytesIO

    def missing(self, reader: Reader) -> int:
        """Documents whose relations are to be derived."""
        return reader.count_waiting("relations", self._mark(reader)[0])

    def run(self, progress: Progress = lambda done, total: None) -> DeriveReport:
        with self.lease():
            return self.run_leased(progress)

    def run_leased(self, progress: Progress = lambda done, total: None) -> DeriveReport:
        with self.store.read() as reader:
            mark, space = self._mark(reader)
            left = reader.count_waiting("relations", mark)
            means = reader.means() if reader.meta(SPACE) == space else None
        if not left and means is not None and not any(one.gone for one in means):
            return DeriveReport()
        from hearth.graph.similar_documents import Likeness

        with self.aside() as aside:
            likeness = Likeness(space, means or (), self.threshold, aside)
            self._notice(mark, likeness, anew=means is None)
            done = self._derive(mark, likeness, lambda count: progress(count, max(left, count)))
            with self.store.read() as reader:
                background = likeness.background(reader)
                done.missing = reader.count_waiting("relations", mark)
        if background is not None:
            with self.store.write() as writer:
                writer.set_meta(BACKGROUND, background, aside=True)
        return done

    def _mark(self, reader: Reader) -> tuple[str, str]:
        """What documents are marked with that are done, and the space by which they are compared."""
        space = self.spaces.stored(reader)[0]
        return sha256(f"{VERSION}:{space}:{self.threshold}".encode()).hexdigest()[:8], space

    def _notice(self, mark: str, likeness: Likeness, *, anew: bool) -> None:
        """Brings mean vectors up to date; what is near, in meaning or in time, to what changed loses its mark."""
        gone = likeness.leave()
        with self.store.write() as writer:
            if anew:
                writer.set_meta(SPACE, likeness.space, aside=True)
            writer.set_mark(gone.near, None)
            writer.set_means((), without=None if anew else gone.dropped)
        with self.store.read() as reader:
            # Before any other loses its mark on their account.
            waiting = reader.waiting("relations", mark)
            # Where nothing is derived yet, all is.
            some = len(waiting) < reader.statistics().documents
        for first in range(0, len(waiting), _LOOKED_AT):
            with self.store.read() as reader:
                batch = list(reader.documents(waiting[first : first + _LOOKED_AT]).values())
                change = likeness.look(reader, batch)
                beside = {row for stored in batch for row in _around(reader, stored)} if some else ()
            with self.store.write() as writer:
                writer.set_mark(sorted({*change.near, *beside}), None)
                writer.set_means(change.means, without=change.dropped)

    def _derive(self, mark: str, likeness: Likeness, progress: Callable[[int], None]) -> DeriveReport:
        done = DeriveReport()
        with self.store.read() as reader:
            share: Spread = self.spread if reader.count_waiting("relations", mark) >= self.bulk else map
        for batch in read_batches(self.store, mark, likeness, share):
            compared = batch.compared()
            with self.store.read() as reader:
                near = likeness.relate(reader, compared)
                both = zip(batch.documents, batch.findings, strict=True)
                refused = cache(partial(_list_refused, reader, likeness.space))
                found = [_find(reader, stored, findings, likeness, near, refused) for stored, findings in both]
            for first in range(0, len(found), _BATCH):
                with self.store.write() as writer:
                    _write(writer, mark, found[first : first + _BATCH], compared, done)
            progress(done.documents)
        return done


def _around(reader: Reader, stored: StoredDocument) -> set[int]:
    """Rows of what is derived from it, too: what stands beside it in time, and what may name it as a cause."""
    return _beside(reader, stored) | find_tellers(reader, stored)


def _beside(reader: Reader, stored: StoredDocument) -> set[int]:
    """Rows of what stands beside it in time, now and as was derived before."""
    docid = stored.document.docid
    found = [reader.beside(docid, later=False), reader.beside(docid, later=True)]
    if stored.document.content_type in _HANDOFF:
        found.append(reader.beside(docid, _HANDOFF, later=True))
    rows = {one.id for one in found if one is not None}
    before = [one.source for one in reader.relations_of([docid], ("temporal", "follows")) if one.target == docid]
    return rows | {one.id for name in before if (one := reader.document(name)) is not None}


@dataclass(frozen=True, slots=True)
class _Related:
    """What a document is related to, by origin; ``whole`` where nothing is missing for that."""

    stored: StoredDocument
    rows: dict[str, list[DocumentRelation]]
    whole: bool


def _find(
    reader: Reader,
    stored: StoredDocument,
    findings: TextFindings,
    likeness: Likeness,
    near: Near,
    refused: Callable[[], Set[int]],
) -> _Related:
    document = stored.document
    if is_purged(document):
        return _Related(stored, {origin: [] for origin in DERIVED}, whole=True)
    whole = stored.id in likeness or _has_none(reader, stored.id, refused)
    rows = {
        TEXT: findings.citations,
        CAUSES: find_causes_of(reader, document, findings.statements),
        TIME: _find_next(reader, stored),
        SESSIONS: _find_continued(reader, stored),
        VECTORS: near.get(stored.id, []),
    }
    return _Related(stored, rows, whole)


def _has_none(reader: Reader, row: int, refused: Callable[[], Set[int]]) -> bool:
    """Whether a document has no vectors for good: it is empty, or a model refused some of it."""
    fragments = reader.fragments_of(row)
    return not fragments or any(part.id in refused() for part in fragments)


def _list_refused(reader: Reader, space: str) -> Set[int]:
    """Fragments that are not tried again."""
    found = reader.spaces().get(space)
    return frozenset() if found is None else {one.fragment for one in found.failures if one.tries >= MAX_TRIES}


def _write(
    writer: Writer, mark: str, found: Sequence[_Related], compared: Mapping[int, Candidates], done: DeriveReport
) -> None:
    """What changed meanwhile is left to the next run."""
    whole = []
    same = find_unchanged(writer, [one.stored for one in found])
    for one in found:
        if one.stored.id not in same:
            continue
        for origin, (added, removed) in writer.set_relations(one.stored.document.docid, one.rows).items():
            done.added[DERIVED[origin]] += added
            done.removed[DERIVED[origin]] += removed
        if one.whole:
            whole.append(one.stored)
    writer.set_means((), {stored.id: compared[stored.id].reach for stored in whole if stored.id in compared})
    writer.set_mark([stored.id for stored in whole], mark)
    done.documents += len(whole)


def _find_next(reader: Reader, stored: StoredDocument) -> list[DocumentRelation]:
    """From a document to the next one of its project."""
    document = stored.document
    later = None if is_purged(document) else reader.beside(document.docid, later=True)
    if later is None or document.dated_at is None or later.document.dated_at is None:
        return []
    days = (later.document.dated_at - document.dated_at) / DAY_MS
    weight = round(0.5 ** (days / DAYS_HALF), 6)
    at = later.document.dated_at
    return [DocumentRelation(document.docid, "temporal", later.document.docid, weight, at, origin=TIME)]


def _find_continued(reader: Reader, stored: StoredDocument) -> list[DocumentRelation]:
    """From a hand-off to the one before it in its project."""
    document = stored.document
    if document.content_type not in _HANDOFF or is_purged(document):
        return []
    before = reader.beside(document.docid, _HANDOFF, later=False)
    if before is None:
        return []
    return [DocumentRelation(document.docid, "follows", before.document.docid, at=document.dated_at, origin=SESSIONS)]
