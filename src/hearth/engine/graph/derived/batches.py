"""Batches of documents with what they are derived from: while one is written, the texts of those behind it are read,
and the next is compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from itertools import chain, pairwise

from hearth.engine.documents.texts import DocumentTexts, read_texts
from hearth.engine.graph.derived.alike import Candidates, Likeness
from hearth.engine.graph.derived.texts import TextFindings, find_in_texts
from hearth.lazy import dataclass
from hearth.ports import Store, StoredDocument
from hearth.ports.work import Spread

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
