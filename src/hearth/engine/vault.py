"""A vault in use: every question and every change, the same calls for each surface."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from hearth.engine.embedding import EmbedReport, Filler
from hearth.engine.reading import Passage, read_lines
from hearth.engine.recall import Recaller
from hearth.engine.reference import Target, find
from hearth.engine.related import Moment, similar, timeline
from hearth.engine.spaces import Space
from hearth.engine.sync import Progress, Syncer, SyncReport
from hearth.errors import NotFound
from hearth.model.query import Hit, Query, Recall
from hearth.ports import Clock, Collection, CollectionState, Files, Filter, Skipped, Store, StoredDocument

# A search scans the folders first when the last scan is older than this.
FRESH_MS = 5_000


class Rebuild(Protocol):
    def __call__(self, progress: Progress, *, force: bool) -> SyncReport: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What a vault is made of; ``app`` chooses and wires them. ``rebuild`` fills a side index and swaps it in;
    ``graph`` builds the approximate search where the vault is large enough."""

    name: str
    zone: str
    store: Store
    files: Files
    collections: tuple[Collection, ...]
    syncer: Syncer
    filler: Filler
    space: Space | None
    recaller: Recaller
    clock: Clock
    rebuild: Rebuild
    graph: Callable[[Callable[[int], None]], None]
    stale: Callable[[], bool]
    watched: Callable[[], bool] = lambda: False
    holder: Callable[[], str | None] = lambda: None
    close: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Status:
    """What a vault holds and how it is. Instants are ms UTC."""

    vault: str
    documents: int
    fragments: int
    languages: tuple[str, ...]
    collections: tuple[CollectionState, ...]
    skipped: tuple[Skipped, ...]
    problems: tuple[tuple[str, str], ...]
    vectors: Mapping[str, int]
    missing_vectors: int
    generation: int
    states: Mapping[str, int]


class Vault:
    """Thread-safe. Use as a context manager, or call ``close``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @property
    def name(self) -> str:
        return self._parts.name

    @property
    def parts(self) -> Parts:
        """The pieces, for surfaces that report on them (doctor, bench)."""
        return self._parts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._parts.store.close()
        self._parts.close()

    # -- questions -------------------------------------------------------------------------------------------------

    def query(self, text: str, **options: Any) -> Query:
        """A query at the present moment in this vault's zone; ``options`` are the fields of ``Query``."""
        parts = self._parts
        return Query(text, **{"at": parts.clock(), "zone": parts.zone, "vault": parts.name, **options})

    def recall(self, text: str | Query, **options: Any) -> Recall:
        """The passages that answer, best first. Raises ``UsageError`` for options out of range.

        >>> from hearth import open_vault
        >>> with open_vault() as vault:  # doctest: +SKIP
        ...     vault.recall("why did we choose PostgreSQL?").hits[0].path
        """
        query = text if isinstance(text, Query) else self.query(text, **options)
        return self._parts.recaller(query)

    def similar(self, reference: str, limit: int = 10) -> list[Hit]:
        """Other documents with passages like those of the document."""
        with self._parts.store.read() as reader:
            target = find(reference, reader, self._roots())
            return similar(target.stored, self._parts.space, reader, limit)

    def timeline(
        self, reference: str, *, before: int = 5, after: int = 5, same_collection: bool = False
    ) -> list[Moment]:
        """The documents written around a document, oldest first."""
        with self._parts.store.read() as reader:
            target = find(reference, reader, self._roots())
            return timeline(target.stored, reader, before, after, same_collection=same_collection)

    def get(self, reference: str, *, raw: bool = False) -> Passage:
        """A document's text from its file, secrets scrubbed unless ``raw``; ``reference`` may name lines."""
        with self._parts.store.read() as reader:
            target = find(reference, reader, self._roots())
        return self._passage(target, raw=raw)

    def multi_get(self, pattern: str, *, max_bytes: int = 65_536) -> tuple[list[Passage], list[Skipped]]:
        """Documents by glob over ``collection/path``, or a comma-separated list of references; larger ones are
        skipped and named."""
        with self._parts.store.read() as reader:
            if any(mark in pattern for mark in "*?["):
                stored = [
                    d
                    for d in reader.find_documents(Filter())
                    if fnmatch.fnmatchcase(f"{d.document.collection}/{d.document.path}", pattern)
                    or fnmatch.fnmatchcase(d.document.path, pattern)
                ]
                targets = [Target(d) for d in stored]
            else:
                targets = [find(part, reader, self._roots()) for part in pattern.split(",") if part.strip()]
        if not targets:
            raise NotFound(f"no document fits {pattern!r}; hearth list shows all")
        passages: list[Passage] = []
        skipped: list[Skipped] = []
        for target in targets:
            document = target.stored.document
            if document.size > max_bytes:
                reason = f"{document.size} bytes is over --max-bytes {max_bytes}"
                skipped.append(Skipped(document.collection, document.path, reason))
                continue
            try:
                passages.append(self._passage(target, raw=False))
            except NotFound as error:
                skipped.append(Skipped(document.collection, document.path, str(error)))
        return passages, skipped

    def documents(self, within: Filter | None = None, limit: int | None = None) -> list[StoredDocument]:
        with self._parts.store.read() as reader:
            return reader.find_documents(within or Filter(), limit)

    def status(self) -> Status:
        parts = self._parts
        with parts.store.read() as reader:
            statistics = reader.statistics()
            documents = reader.find_documents(Filter(include_hidden=True))
            fingerprint = parts.space.load().fingerprint if parts.space else None
            count = reader.vector_count(fingerprint) if fingerprint else 0
            return Status(
                vault=parts.name,
                documents=statistics.documents,
                fragments=statistics.fragments,
                languages=statistics.languages,
                collections=tuple(reader.collections().values()),
                skipped=tuple(reader.skipped()),
                problems=tuple((d.document.uri, d.problem) for d in documents if d.problem),
                vectors={fingerprint: count} if fingerprint else {},
                missing_vectors=max(0, statistics.fragments - count) if fingerprint else 0,
                generation=statistics.generation,
                states={
                    "pinned": sum(d.state.pinned for d in documents),
                    "snoozed": sum((d.state.snoozed_until or 0) > parts.clock() for d in documents),
                    "forgotten": sum(d.state.forgotten for d in documents),
                    "archived": sum(d.state.archived for d in documents),
                },
            )

    # -- changes ---------------------------------------------------------------------------------------------------

    def sync(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Brings the index up to date with the folders, static vectors included."""
        quiet: Progress = lambda done, total: None  # noqa: E731
        if self._parts.stale():
            return self._parts.rebuild(progress or quiet, force=False)
        report = self._parts.syncer.run(self._parts.collections, force=force, progress=progress or quiet)
        if report.touched or self._lacks_vectors():
            self.embed()
        return report

    def _lacks_vectors(self) -> bool:
        """Asked without loading the model: a scan that finds nothing new costs none."""
        with self._parts.store.read() as reader:
            return reader.vector_count() < reader.statistics().fragments

    def scanning(self) -> str | None:
        """Who else is scanning this vault right now and makes a sync wait; ``None`` where nobody does."""
        return self._parts.holder() or "another process" if self._parts.watched() else None

    def freshen(self, *, progress: Progress | None = None) -> SyncReport | None:
        """Scans when nothing watches the folders and the last scan is older than 5 s; ``None`` when it is not due."""
        if not self._parts.collections:
            return None
        with self._parts.store.read() as reader:
            states = reader.collections()
        wanted = {collection.name for collection in self._parts.collections}
        oldest = min((states[name].scanned_at if name in states else 0 for name in wanted), default=0)
        fresh = 0 <= self._parts.clock() - oldest < FRESH_MS and wanted == states.keys()
        # Last, since asking may wait for another process's scan.
        due = (not fresh or self._parts.stale()) and not self._parts.watched()
        return self.sync(progress=progress) if due else None

    def embed(self, *, force: bool = False, progress: Callable[[int], None] = lambda done: None) -> EmbedReport:
        """Fills in missing vectors; ``force`` makes all anew while the present ones keep answering."""
        parts = self._parts
        if parts.space is None:
            return EmbedReport()
        embedder = parts.space.load()
        report = parts.filler.run(embedder, progress=progress, again=force)
        parts.graph(lambda done: None)
        return report

    def reindex(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Builds a new index from the files and the journal, and swaps it in when it is complete. ``force`` gives up
        the documents of folders that are missing or empty, and an index that can't be read; without it these raise
        ``Unavailable``."""
        return self._parts.rebuild(progress or (lambda done, total: None), force=force)

    def check(self) -> list[str]:
        """What is wrong inside the index, by reading all of it; empty where nothing is."""
        return self._parts.store.check()

    # -- details ---------------------------------------------------------------------------------------------------

    def _roots(self) -> dict[str, str]:
        return {collection.name: collection.root for collection in self._parts.collections}

    def _passage(self, target: Target, *, raw: bool) -> Passage:
        document = target.stored.document
        collection = next((c for c in self._parts.collections if c.name == document.collection), None)
        if collection is None:
            raise NotFound(f"collection {document.collection!r} of {document.path} is not configured any more")
        redact = self._parts.syncer.analyzer.redact
        return read_lines(self._parts.files, collection, target, None if raw else redact)
