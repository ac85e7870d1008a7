"""Batches of documents with what relations are derived from: texts, citations, vectors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from itertools import chain, pairwise
from pathlib import PurePosixPath

from hearth.core.document import Document, docid, is_docid, normal_path
from hearth.core.graph import LINKED, TEXT, DocumentRelation, EvidencePlace, hash_passage
from hearth.core.lazy import dataclass, regex
from hearth.graph.causes import CausalStatement, find_statements
from hearth.graph.relations.alike import Candidates, Likeness
from hearth.ports import Store, StoredDocument, StoredFragment
from hearth.ports.files import Spread
from hearth.vault.documents import DocumentTexts, read_texts

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
            place = place or (EvidencePlace(document.docid, part.start_line, part.end_line, hash_passage(part.text)),)
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
            rows = reader.unmarked(mark, _COMPARED, after)
            documents = list(reader.documents(rows).values())
        if not rows:
            return
        after = rows[-1]
        if documents:
            parts = [rows[first::_THREADS] for first in range(_THREADS)]
            yield DerivationBatch(documents, [pool.submit(compare, part) for part in parts])
