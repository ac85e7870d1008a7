"""Embedding: fills a space with the vectors that it lacks, at once or by a provider's batch service."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from hearth.core.errors import BadReply, Unavailable
from hearth.core.lazy import dataclass
from hearth.markdown.fragments import embedding_text
from hearth.ports import Embedder, EmbeddingCache, FragmentReader, Store, StoredFragment
from hearth.vault.canary import Collapsed, checked, checked_rows, refuse_alike

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors


class Backfilled(Protocol):
    """By position in the texts given: unit vectors, and reasons for those that failed. The others are for next time."""

    @property
    def vectors(self) -> Mapping[int, Vectors]: ...
    @property
    def failed(self) -> Mapping[int, str]: ...


class Backfill(Protocol):
    """A provider's batch service: cheaper, hours slower, and it outlives the process. Raises ``Unavailable`` or
    ``BadReply``."""

    @property
    def pending(self) -> bool:
        """Whether a batch is under way, or its result not yet acknowledged."""

    def run(self, texts: Sequence[str], wait: Callable[[], None]) -> Backfilled:
        """Goes on with the batch under way or starts one, and calls ``wait`` between two looks at it."""

    def finish(self) -> None:
        """The result is stored."""


BATCH = 512
MAX_TRIES = 3
# A run gives up where it has tried so many texts and more than this share of them failed.
_ENOUGH = 32
_TOO_MANY = 0.8

# Texts of one call of a batch service, and from how many on it is worth its hours.
_SERVED = 10_000
_WORTHWHILE = 1_000

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class BatchPatience:
    """How a run waits for a batch service: it looks every ``poll`` seconds and leaves the batch to a later run after
    ``most`` seconds, at once for 0."""

    poll: float = 30.0
    most: float = 90_000.0

    def waiting(self) -> Callable[[], None]:
        """Passes the time between two looks. Raises ``Unavailable`` once a later run is to go on."""
        until = time.monotonic() + self.most

        def wait() -> None:
            left = until - time.monotonic()
            if left <= 0:
                raise Unavailable("the batch is under way, and a later run takes its result")
            time.sleep(min(self.poll, left))

        return wait


@dataclass(slots=True)
class EmbedReport:
    """``reused`` of the ``embedded`` came from the cache; ``failed`` ones are tried again by later runs, three times
    in all. ``error`` is why the run ended early, ``news`` what it changed of the spaces."""

    embedded: int = 0
    reused: int = 0
    failed: int = 0
    seconds: float = 0.0
    error: str | None = None
    news: list[str] = field(default_factory=list)

    def add(self, other: EmbedReport) -> None:
        self.embedded += other.embedded
        self.reused += other.reused
        self.failed += other.failed
        self.seconds += other.seconds
        self.error = self.error or other.error
        self.news += other.news


@dataclass(frozen=True, slots=True)
class Order:
    """What to fill. ``again`` replaces vectors that are there, each answering until its successor is written;
    ``cached`` takes what the cache has and asks the model nothing."""

    embedder: Embedder
    space: str
    again: bool = False
    cached: bool = False


@dataclass(frozen=True)
class Filler:
    """Embeds in batches of ``batch``, each written in a transaction of its own, so that an end at any point costs one
    batch at most. ``shared``: others may rebuild the index meanwhile, so that each write first compares the texts."""

    store: Store
    quantize: Callable[[Vectors], tuple[Bytes, Vectors]]
    exclusive: Callable[[], AbstractContextManager[None]]
    cache: EmbeddingCache | None = None
    batch: int = BATCH
    shared: bool = False
    patience: BatchPatience = field(default_factory=BatchPatience)

    def run(
        self,
        embedder: Embedder,
        *,
        progress: Progress = lambda done: None,
        again: bool = False,
        space: str | None = None,
    ) -> EmbedReport:
        """As ``fill``, for a space that is named like its model unless ``space`` says otherwise."""
        return self.fill(Order(embedder, space or embedder.fingerprint, again=again), progress)

    def fill(
        self, order: Order, progress: Progress = lambda done: None, backfill: Backfill | None = None
    ) -> EmbedReport:
        """Raises ``Collapsed`` where the model's vectors mean nothing. What a later run can mend is in the report. Of
        much work ``backfill`` does what it can before the model is asked."""
        run = FillRun(self, order, EmbedReport())
        started = time.perf_counter()
        with self.exclusive():
            try:
                if backfill is not None:
                    run.by_service(backfill, progress)
                run.all(progress)
            except Unavailable as error:
                run.report.error = error.said
        if self.cache is not None and run.report.embedded:
            self.cache.trim()
        run.report.seconds = time.perf_counter() - started
        return run.report


@dataclass
class FillRun:
    """One run under way; ``refused`` are fragments that it tried in vain."""

    filler: Filler
    order: Order
    report: EmbedReport
    refused: set[int] = field(default_factory=set)

    def all(self, progress: Progress) -> None:
        """A second pass finds what a rebuild meanwhile put before the first one's place."""
        for _ in range(1 if self.order.again or self.order.cached else 2):
            after = 0
            while True:
                last, batch, texts = self._work(after, self.filler.batch)
                if last == after:
                    break
                after = last
                self._fill(batch, texts)
                progress(self.report.embedded)

    def by_service(self, service: Backfill, progress: Progress) -> None:
        """Through the provider's batch service, as long as it is much or a batch is under way."""
        while True:
            _, batch, texts = self._work(0, _SERVED)
            if not batch or (len(batch) < _WORTHWHILE and not service.pending):
                return
            earlier = service.pending
            result = service.run(texts, self.filler.patience.waiting())
            for at, error in result.failed.items():
                self.refuse(batch[at], error)
            places = sorted(result.vectors)
            if places:
                rows, scales = self.filler.quantize(
                    checked_rows([result.vectors[at] for at in places], self.order.embedder)
                )
                made = {at: (rows[i], float(scales[i])) for i, at in enumerate(places)}
                if self.filler.cache is not None:
                    self.filler.cache.put(self.order.space, {texts[at]: vector for at, vector in made.items()})
                self.put([(batch[at], vector) for at, vector in made.items()])
            service.finish()
            progress(self.report.embedded)
            # An earlier batch may hold nothing that is still wanted: an end came between storing and acknowledging it.
            if not (result.vectors or result.failed or earlier):
                return

    def _work(self, after: int, limit: int) -> tuple[int, list[StoredFragment], list[str]]:
        """The last fragment looked at, those to embed, and their texts."""
        order = self.order
        with self.filler.store.read() as reader:
            if order.again:
                batch = reader.fragments_after(after, limit)
            else:
                batch = reader.fragments_after(after, limit, without=(order.space, MAX_TRIES))
            titles = {row: d.document.title for row, d in reader.documents([f.document for f in batch]).items()}
        last = batch[-1].id if batch else after
        batch = [fragment for fragment in batch if fragment.id not in self.refused]
        return last, batch, [embedding_text(f, titles[f.document]) for f in batch]

    def _fill(self, batch: Sequence[StoredFragment], texts: Sequence[str]) -> None:
        """A batch that the model refuses is tried in halves, so that a poisoned text blocks no other."""
        if not batch:
            return
        try:
            found, reused = self._vectors(texts)
        except Collapsed:
            raise
        except BadReply as error:
            if len(batch) > 1:
                middle = len(batch) // 2
                self._fill(batch[:middle], texts[:middle])
                self._fill(batch[middle:], texts[middle:])
            else:
                self.refuse(batch[0], error)
            return
        self.report.reused += reused
        self.put([(fragment, found[at]) for at, fragment in enumerate(batch) if at in found])

    def refuse(self, fragment: StoredFragment, error: object) -> None:
        with self.filler.store.write() as writer:
            writer.put_vectors(self.order.space, (), (), (), {fragment.id: str(error)})
        self.refused.add(fragment.id)
        self.report.failed += 1
        tried = self.report.failed + self.report.embedded - self.report.reused
        if tried >= _ENOUGH and self.report.failed > _TOO_MANY * tried:
            raise Unavailable(f"{self.report.failed} of {tried} texts failed, the last one because {error}")

    def put(self, found: Sequence[tuple[StoredFragment, tuple[Bytes, float]]]) -> None:
        with self.filler.store.write() as writer:
            if self.filler.shared:
                present = writer.fragments([fragment.id for fragment, _ in found])
                found = [item for item in found if present.get(item[0].id) == item[0]]
            rows, scales = [row for _, (row, _) in found], [scale for _, (_, scale) in found]
            writer.put_vectors(self.order.space, [fragment.id for fragment, _ in found], rows, scales)
        self.report.embedded += len(found)

    def _vectors(self, texts: Sequence[str]) -> tuple[dict[int, tuple[Bytes, float]], int]:
        """int8 rows with scales by position, all of them unless only the cache is asked; how many were in it."""
        cache, order = self.filler.cache, self.order
        found = {} if cache is None or order.again else cache.get(order.space, texts)
        fresh = [] if order.cached else [at for at in range(len(texts)) if at not in found]
        if not fresh:
            return found, len(found)
        asked = [texts[at] for at in fresh]
        vectors = checked(order.embedder, asked, "document")
        refuse_alike(vectors, asked, order.embedder.fingerprint)
        rows, scales = self.filler.quantize(vectors)
        made = {at: (rows[i], float(scales[i])) for i, at in enumerate(fresh)}
        if cache is not None:
            cache.put(order.space, {texts[at]: vector for at, vector in made.items()})
        return {**found, **made}, len(found)


def due(reader: FragmentReader, space: str, limit: int) -> list[int]:
    """Fragments that are to be embedded: without a vector, and not refused too often."""
    return [fragment.id for fragment in reader.fragments_after(0, limit, without=(space, MAX_TRIES))]
