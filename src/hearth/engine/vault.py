"""A vault in use: every question and every change, the same calls for each surface."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, Unpack

from hearth.engine.exchange.facade import Carrier, Exchange
from hearth.engine.freshness import Look
from hearth.engine.hooks.facade import Hooks
from hearth.engine.lifecycle.facade import Lifecycle
from hearth.engine.options import check
from hearth.engine.pair.facade import Access, Pair
from hearth.engine.reading import Passage, read_lines
from hearth.engine.recall import Recaller
from hearth.engine.reference import Target, find
from hearth.engine.related import Moment, similar, timeline
from hearth.engine.sessions.facade import Sessions
from hearth.engine.state import husk
from hearth.engine.state.facade import Changes
from hearth.engine.usage.facade import Usage
from hearth.errors import NotFound, Unavailable
from hearth.model.identity import INTERNAL
from hearth.model.query import Hit, Query, Recall
from hearth.model.types import DEFAULT_TYPE
from hearth.ports import Clock, Collection, CollectionState, Files, Filter, Skipped, Store, StoredDocument

if TYPE_CHECKING:
    from hearth.engine.embedding import EmbedReport
    from hearth.engine.hooks.desk import Desk
    from hearth.engine.lifecycle.steward import Steward
    from hearth.engine.sessions.logbook import Logbook
    from hearth.engine.state.changer import Changer
    from hearth.engine.sync import Progress, Syncer, SyncReport
    from hearth.engine.upkeep import SpaceStatus, Upkeep
    from hearth.engine.writing.scribe import Scribe
    from hearth.model.memory import Entry, Remembered
    from hearth.model.options import QueryOptions, WishOptions

# A search scans the folders first when the last scan is older than this.
FRESH_MS = 5_000


def no_changer() -> Changer:
    raise Unavailable("this vault keeps no state; open it with hearth.open_vault")


def no_steward() -> Steward:
    raise Unavailable("this vault keeps no state; open it with hearth.open_vault")


def no_logbook() -> Logbook:
    raise Unavailable("this vault keeps no sessions; open it with hearth.open_vault")


def no_desk(vault: Vault) -> Desk:
    raise Unavailable("this vault answers no hooks; open it with hearth.open_vault")


def no_carrier() -> Carrier:
    raise Unavailable("this vault can't be taken elsewhere; open it with hearth.open_vault")


class Rebuild(Protocol):
    def __call__(self, progress: Progress, *, force: bool) -> SyncReport: ...


def no_scribe() -> Scribe:
    raise Unavailable("this vault holds no memories; open it with hearth.open_vault")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a vault is made of; ``app`` chooses and wires them. ``rebuild`` fills a side index and swaps it in;
    ``graph`` builds the approximate search where the vault is large enough. ``holder`` and ``embedding`` tell which
    process scans, and which embeds by a model. ``scanner`` and ``keeper`` load the code that reads and embeds files."""

    name: str
    zone: str
    store: Store
    files: Files
    collections: tuple[Collection, ...]
    look: Look
    scanner: Callable[[], Syncer]
    keeper: Callable[[], Upkeep]
    recaller: Recaller
    clock: Clock
    rebuild: Rebuild
    graph: Callable[[Callable[[int], None]], None]
    stale: Callable[[], bool]
    watched: Callable[[], bool] = lambda: False
    holder: Callable[[], str | None] = lambda: None
    embedding: Callable[[], str | None] = lambda: None
    scribe: Callable[[], Scribe] = no_scribe
    changer: Callable[[], Changer] = no_changer
    logbook: Callable[[], Logbook] = no_logbook
    steward: Callable[[], Steward] = no_steward
    citations: str = "auto"
    carrier: Callable[[], Carrier] = no_carrier
    checkpoint: Callable[[], None] = lambda: None
    desk: Callable[[Vault], Desk] = no_desk
    close: Callable[[], None] = lambda: None

    @property
    def syncer(self) -> Syncer:
        return self.scanner()

    @property
    def upkeep(self) -> Upkeep:
        return self.keeper()


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
    spaces: tuple[SpaceStatus, ...]
    generation: int
    states: Mapping[str, int]

    @property
    def vectors(self) -> dict[str, int]:
        return {space.name: space.vectors for space in self.spaces}

    @property
    def wanted(self) -> list[SpaceStatus]:
        """The spaces of the present settings."""
        return [space for space in self.spaces if space.role != "former"]

    @property
    def missing_vectors(self) -> int:
        """What ``embed`` has to do."""
        return sum(space.missing for space in self.spaces)


class Vault(Changes, Hooks, Lifecycle, Sessions, Usage, Pair, Exchange):
    """Thread-safe. Use as a context manager, or call ``close``."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._memories_seen = False

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

    def recall(self, text: str | Query, **options: Unpack[QueryOptions]) -> Recall:
        """The passages that answer, best first. Raises ``UsageError`` for options out of range or unknown, ``NotFound``
        for a collection that there is not.

        >>> from hearth import open_vault
        >>> with open_vault() as vault:  # doctest: +SKIP
        ...     vault.recall("why did we choose PostgreSQL?").hits[0].path
        """
        query = text if isinstance(text, Query) else self.query(text, **options)
        check(query, (collection.name for collection in self._parts.collections))
        return self._parts.recaller(query)

    def similar(self, reference: str, limit: int = 10) -> list[Hit]:
        """Other documents with passages like those of the document."""
        with self._parts.store.read() as reader:
            target = find(reference, reader, self._roots())
            return similar(target.stored, self._parts.upkeep.spaces, reader, limit)

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

    def read(self, stored: StoredDocument) -> Passage:
        """The text of a document that was looked up, secrets scrubbed. Raises ``NotFound`` where its file is gone."""
        return self._passage(Target(stored), raw=False)

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
            return Status(
                vault=parts.name,
                documents=statistics.documents,
                fragments=statistics.fragments,
                languages=statistics.languages,
                collections=tuple(
                    state
                    for name, state in reader.collections().items()
                    if name != INTERNAL or state.documents or state.held
                ),
                skipped=tuple(reader.skipped()),
                problems=tuple((d.document.uri, d.problem) for d in documents if d.problem),
                spaces=parts.upkeep.status(reader),
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
        """Brings the index up to date with the folders, static vectors included; a model on this machine embeds what
        is new, up to ``upkeep.SMALL`` fragments."""
        report = self._scan(force=force, progress=progress)
        embedded = self._parts.upkeep.small()
        if embedded.error is not None:
            report.problems.append(f"the model did not embed what is new: {embedded.error}")
        return report

    def _scan(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        quiet: Progress = lambda done, total: None  # noqa: E731
        if self._parts.stale():
            return self._rebuilt(progress or quiet, force=False)
        report = self._parts.syncer.run(self._parts.collections, force=force, progress=progress or quiet)
        self._erase(report)
        if report.touched or self._parts.upkeep.lacks_static():
            self._parts.upkeep.static()
            self._parts.graph(lambda done: None)
        return report

    def scanning(self) -> str | None:
        """Who else is scanning this vault right now and makes a sync wait; ``None`` where nobody does."""
        return self._parts.holder() or "another process" if self._parts.watched() else None

    def freshen(self, *, progress: Progress | None = None) -> SyncReport | None:
        """Scans when nothing watches the folders and the last scan is older than 5 s; ``None`` when it is not
        due or would find nothing new."""
        if not self._parts.collections:
            return None
        with self._parts.store.read() as reader:
            states = reader.collections()
        wanted = {collection.name for collection in self._parts.collections}
        oldest = min((states[name].scanned_at if name in states else 0 for name in wanted), default=0)
        fresh = 0 <= self._parts.clock() - oldest < FRESH_MS and wanted == states.keys()
        # Last, since asking may wait for another process's scan.
        due = (not fresh or self._parts.stale()) and not self._parts.watched()
        if not due or (not self._parts.stale() and self._parts.look.nothing_new(self._parts.collections)):
            if due:
                self._erase()
            return None
        return self._scan(progress=progress)

    def embed(self, *, force: bool = False, progress: Callable[[int], None] = lambda done: None) -> EmbedReport:
        """Fills in missing vectors; ``force`` makes all anew while the present ones keep answering.

        Raises ``BadReply`` where the model's vectors mean nothing; the spaces that answered before still do."""
        report = self._parts.upkeep.run(force=force, progress=progress)
        self._parts.graph(lambda done: None)
        return report

    def reindex(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Builds a new index from the files and the journal, and swaps it in when it is complete. ``force`` gives up
        the documents of folders that are missing or empty, and an index that can't be read; without it these raise
        ``Unavailable``."""
        return self._rebuilt(progress or (lambda done, total: None), force=force)

    def _rebuilt(self, progress: Progress, *, force: bool) -> SyncReport:
        report = self._parts.rebuild(progress, force=force)
        self._erase(report)
        return report

    def _erase(self, report: SyncReport | None = None) -> None:
        """Erases what was purged, here or on another machine, where that is still due."""
        with self._parts.store.read() as reader:
            if not husk.due(reader):
                return
        pending = self._parts.changer().eraser.run().pending
        if pending is not None and report is not None:
            report.problems.append(f"what was purged is not all erased yet: {pending}; run: hearth update")

    def check(self) -> list[str]:
        """What is wrong inside the index, by reading all of it; empty where nothing is."""
        return self._parts.store.check()

    # -- memories --------------------------------------------------------------------------------------------------

    def remember(self, text: str, type: str = DEFAULT_TYPE, **given: Unpack[WishOptions]) -> Remembered:  # noqa: A002
        """Writes a memory of a content type, or finds that it is there; ``given`` are other fields of ``Wish``.

        It is in its file, in the index and searchable on return. Raises as ``Scribe.remember``.
        """
        from hearth.model.memory import Wish

        session = given.get("session") if type == "handoff" else None
        if session and not given.get("project"):
            given["project"] = self.project_of_session(session)
        done = self._scribe().remember(Wish(text, type, **given))
        if session:
            self.session_handed_off(session, done.docid)
        return done

    def note(self, text: str) -> Remembered:
        """Adds a text to today's daily file, under the present local time."""
        return self._scribe().note(text)

    def diary_write(self, text: str, topic: str | None = None, agent: str = "agent") -> Remembered:
        """Keeps an entry of an agent's diary."""
        from hearth.engine.writing import diary

        return diary.write(self._scribe(), text, topic, agent)

    def diary_read(self, last: int = 10, *, agent: str | None = None, topic: str | None = None) -> list[Entry]:
        """The newest entries of the diary, newest first, with their text."""
        from hearth.engine.writing import diary

        return diary.read(self._scribe(), last, agent, topic)

    def keep_state(self, session: str, text: str, project: str | None = None) -> Remembered:
        """Keeps the state of a session that is about to be compacted, over what was kept of it before."""
        from hearth.engine.writing import states

        return states.save(self._scribe(), session, text, project)

    def kept_state(self, session: str) -> StoredDocument | None:
        """Where the state of a session is kept; ``None`` where it is not."""
        from hearth.engine.writing import states

        path = states.path_of(session)
        found = self.documents(Filter(collections=(INTERNAL,), paths=(path,)))
        return next((stored for stored in found if stored.document.path == path), None)

    def _desk(self) -> Desk:
        return self._parts.desk(self)

    def _scribe(self) -> Scribe:
        """After a scan where the index is stale or knows nothing of memories that are there."""
        if self._parts.stale() or not self._memories_seen:
            with self._parts.store.read() as reader:
                seen = INTERNAL in reader.collections()
            own = next((c for c in self._parts.collections if c.name == INTERNAL), None)
            if self._parts.stale() or (not seen and own is not None and self._parts.files.walk(own).files):
                self._scan()
            self._memories_seen = True
        return self._parts.scribe()

    def _logbook(self) -> Logbook:
        return self._parts.logbook()

    def _changer(self) -> Changer:
        if self._parts.stale():
            self._scan()
        return self._parts.changer()

    def _steward(self) -> Steward:
        if self._parts.stale():
            self._scan()
        return self._parts.steward()

    def _access(self) -> Access:
        from hearth.engine.pair.get import Getter

        parts = self._parts
        getter = Getter(parts.store, parts.files, parts.collections, lambda text: parts.syncer.analyzer.redact(text))
        return Access(parts.recaller, parts.store, getter, parts.citations)

    def _carrier(self) -> Carrier:
        if self._parts.stale():
            self._scan()
        return self._parts.carrier()

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
