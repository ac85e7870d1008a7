"""Embedding: fills a space with the vectors that it lacks. The work list is derived, so nothing can be forgotten."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hearth.engine.analysis import embedding_text
from hearth.errors import BadReply, Unavailable
from hearth.ports import Embedder, EmbeddingCache, Store, StoredFragment

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors

BATCH = 512
MAX_TRIES = 3


@dataclass(slots=True)
class EmbedReport:
    """``reused`` of the ``embedded`` came from the cache; ``failed`` ones are tried again by later runs, three times
    in all."""

    embedded: int = 0
    reused: int = 0
    failed: int = 0
    seconds: float = 0.0
    error: str | None = None


@dataclass(frozen=True)
class Filler:
    """Embeds in batches, each written in a transaction of its own."""

    store: Store
    quantize: Callable[[Vectors], tuple[Bytes, Vectors]]
    exclusive: Callable[[], AbstractContextManager[None]]
    cache: EmbeddingCache | None = None

    def run(
        self, embedder: Embedder, *, progress: Callable[[int], None] = lambda done: None, again: bool = False
    ) -> EmbedReport:
        """``again`` replaces vectors that are there, each answering until its successor is written. Raises nothing
        that a later run can mend: the report names it."""
        started = time.perf_counter()
        report = EmbedReport()
        after = 0
        with self.exclusive():
            while True:
                with self.store.read() as reader:
                    batch = (
                        reader.fragments_after(after, BATCH)
                        if again
                        else reader.missing_vectors(embedder.fingerprint, BATCH, MAX_TRIES, after)
                    )
                    titles = {row: d.document.title for row, d in reader.documents([f.document for f in batch]).items()}
                if not batch:
                    break
                after = batch[-1].id
                texts = [embedding_text(f.headings, f.context, f.text, titles.get(f.document, "")) for f in batch]
                try:
                    self._fill(embedder, batch, texts, report)
                except Unavailable as error:
                    report.error = str(error)
                    break
                progress(report.embedded)
        if self.cache is not None and report.embedded:
            self.cache.trim()
        report.seconds = time.perf_counter() - started
        return report

    def _fill(self, embedder: Embedder, batch: list[StoredFragment], texts: list[str], report: EmbedReport) -> None:
        """A batch that the model refuses is tried one by one, so that a poisoned text blocks no other."""
        try:
            rows, scales, reused = self._vectors(embedder, texts)
        except BadReply as error:
            if len(batch) == 1:
                with self.store.write() as writer:
                    writer.note_failure(embedder.fingerprint, batch[0].id, str(error))
                report.failed += 1
                return
            for fragment, text in zip(batch, texts, strict=True):
                self._fill(embedder, [fragment], [text], report)
            return
        with self.store.write() as writer:
            writer.put_vectors(embedder.fingerprint, [fragment.id for fragment in batch], rows, scales)
        report.embedded += len(batch)
        report.reused += reused

    def _vectors(self, embedder: Embedder, texts: list[str]) -> tuple[Sequence[Bytes], Sequence[float], int]:
        """int8 rows and scales of the texts, and how many came from the cache."""
        known = self.cache.get(embedder.fingerprint, texts) if self.cache is not None else {}
        fresh = [at for at in range(len(texts)) if at not in known]
        if fresh:
            rows, scales = self.quantize(embedder.embed([texts[at] for at in fresh], "document"))
            made = {at: (rows[i], float(scales[i])) for i, at in enumerate(fresh)}
            if self.cache is not None:
                self.cache.put(embedder.fingerprint, {texts[at]: vector for at, vector in made.items()})
            known = {**known, **made}
        ordered = [known[at] for at in range(len(texts))]
        return [row for row, _ in ordered], [scale for _, scale in ordered], len(texts) - len(fresh)
