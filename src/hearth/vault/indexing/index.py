"""The index of a vault beside its folders: brought up to date, filled with vectors, rebuilt, checked. Freshness:
whether a scan would find anything. Asked before every search, so it loads nothing that reads files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Protocol

from hearth.core.document import FileState
from hearth.core.errors import Guidance, Remedy, Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Clock, Collection, CollectionState, Commits, Files, Reader, Store, Walk
from hearth.vault import changes
from hearth.vault.history import History
from hearth.vault.indexing.plan import Untracked, plan_sync

if TYPE_CHECKING:
    from hearth.vault.embedding import EmbedReport
    from hearth.vault.indexing.plan import SyncReport
    from hearth.vault.indexing.sync import Progress, Syncer
    from hearth.vault.upkeep import Upkeep


# A look that found nothing is written down once in a while only: each write has others load what they keep anew.
_NOTED_MS = 60_000


@dataclass(frozen=True)
class ChangeProbe:
    """``exclusive`` keeps it apart from scans; ``history`` is the journal side."""

    store: Store
    files: Files
    history: History
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]
    commits: Commits = field(default_factory=Untracked)
    _seen: dict[str, _Agreement] = field(default_factory=dict, compare=False)

    def nothing_new(self, collections: Sequence[Collection]) -> bool:
        """Whether the index holds the folders as they are; they then count as scanned, to the minute. In doubt it says
        no, and a scan finds out. Takes in what the journals hold beyond the index."""
        with self.exclusive():
            self.history.replay()
            with self.store.read() as reader:
                states = reader.collections()
                if states.keys() != {c.name for c in collections} or not _embed(reader):
                    return False
                if not all(self._unchanged(collection, states[collection.name], reader) for collection in collections):
                    return False
            now = self.clock()
            if any(abs(now - state.scanned_at) >= _NOTED_MS for state in states.values()):
                with self.store.write() as writer:
                    for state in states.values():
                        writer.set_collection(replace(state, scanned_at=now))
        return True

    def saw(self, walks: Mapping[str, Walk]) -> None:
        """Notes that the index holds what these walks found, as far as it can be held."""
        with self.store.read() as reader:
            generation = reader.statistics().generation
        self._seen.update((name, _Agreement(walk, generation)) for name, walk in walks.items())

    def _unchanged(self, collection: Collection, state: CollectionState, reader: Reader) -> bool:
        if state.revision != self.commits.revision(collection):
            return False
        if state.held or reader.unlinked(collection.name, 1):
            return False
        walk = self.files.walk(collection)
        settings = collection.walked(walk).settings
        if (state.root, state.settings) != (collection.root, settings):
            return False
        generation = reader.statistics().generation
        known = self._seen.get(collection.name)
        if known is None or known.walk is not walk or known.generation != generation:
            known = self._agreement(collection, walk, reader)
            if known is None:
                return False
            self._seen[collection.name] = known
        return not any(self._opens(collection, file) for file in known.shut)

    def _agreement(self, collection: Collection, walk: Walk, reader: Reader) -> _Agreement | None:
        skipped = [item for item in reader.skipped() if item.collection == collection.name]
        if walk.missing or set(walk.skipped) != {item for item in skipped if item.file is None}:
            return None
        left = {item.path: item.file for item in skipped if item.file is not None}
        indexed = reader.files(collection.name)
        plan = plan_sync(walk.files, indexed, self.clock() * 1_000_000, unreadable=left)
        if plan.read or plan.gone or plan.back or not left.keys() <= walk.files.keys():
            return None
        shut = tuple(item.file for item in skipped if item.shut and item.file is not None)
        return _Agreement(walk, reader.statistics().generation, shut)

    def _opens(self, collection: Collection, file: FileState) -> bool:
        """Whether what could not be read can be now, or is to be looked at for another reason."""
        try:
            self.files.read(collection, file)
        except OSError:
            return False
        except Unavailable:  # is being written
            return True
        return True


@dataclass(frozen=True, slots=True)
class _Agreement:
    """The last walk that the index agrees with, the generation of the index at that time, and what it refused."""

    walk: Walk
    generation: int
    shut: tuple[FileState, ...] = ()


def _embed(reader: Reader) -> bool:
    """Whether every fragment has its vectors."""
    spaces, fragments = reader.spaces(), reader.statistics().fragments
    return bool(spaces or not fragments) and all(space.vectors == fragments for space in spaces.values())


class Locks(Protocol):
    """Who else works on the index, in any process."""

    def wait_for_scan(self, *, first: bool = False) -> bool:
        """Whether somebody has been scanning for longer than a search should wait, longer if for the ``first`` time."""

    def scanner(self) -> str | None:
        """The process that scans."""

    def embedder(self) -> str | None:
        """The process that embeds by a model at this moment."""


class Rebuild(Protocol):
    """Fills a side index and swaps it in."""

    def __call__(self, progress: Progress, *, force: bool) -> SyncReport: ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The code that reads, embeds, erases and rebuilds, loaded when it is first called. ``erase`` returns why it must
    be done again later, if it must; ``graph`` builds the approximate search where the vault is large enough; ``derive``
    writes what is indexed beside people's files."""

    syncer: Callable[[], Syncer]
    upkeep: Callable[[], Upkeep]
    erase: Callable[[], str | None]
    rebuild: Rebuild
    graph: Callable[[Callable[[int], None]], None]
    derive: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Index:
    """``is_stale`` says that the index was written by another version, and must be rebuilt before it is used."""

    store: Store
    collections: tuple[Collection, ...]
    clock: Clock
    probe: ChangeProbe
    locks: Locks
    tools: Tools
    is_stale: Callable[[], bool]
    checkpoint: Callable[[], None]

    @property
    def syncer(self) -> Syncer:
        return self.tools.syncer()

    @property
    def upkeep(self) -> Upkeep:
        return self.tools.upkeep()

    def sync(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Brings the index up to date with the folders, static vectors included; a model on this machine embeds what
        is new, up to ``upkeep.SMALL`` fragments."""
        report = self.scan(force=force, progress=progress)
        embedded = self.upkeep.small()
        if embedded.error is not None:
            report.problems.append(f"the model failed to embed new fragments: {embedded.error}")
        return report

    def scan(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """As ``sync``, without a model."""
        quiet: Progress = lambda done, total: None  # noqa: E731
        if self.is_stale():
            return self.reindex(progress=progress)
        self.tools.derive()
        report = self.syncer.run(self.collections, force=force, progress=progress or quiet)
        self._erase(report)
        if report.touched or self.upkeep.lacks_static():
            self.upkeep.static()
            self.tools.graph(lambda done: None)
        self.probe.saw(report.walks)
        return report

    def freshen(self, *, progress: Progress | None = None, patient: bool = False) -> SyncReport | None:
        """Scans where that would find something; ``None`` where not, or where another process is scanning for longer
        than a search should wait. ``patient`` waits longer for the first scan, without which nothing is found."""
        if not self.collections or self._gave_up_waiting(patient):
            return None
        self.tools.derive()
        try:
            fresh = not self.is_stale() and self.probe.nothing_new(self.collections)
        except Unavailable:  # what damage the look comes upon is moved aside by the next who opens the index
            fresh = False
        if fresh:
            self._erase()
            return None
        return self.scan(progress=progress)

    def _gave_up_waiting(self, patient: bool) -> bool:
        if not self.locks.wait_for_scan():
            return False
        with self.store.read() as reader:
            empty = not reader.statistics().documents
        return not (patient and empty) or self.locks.wait_for_scan(first=True)

    def prepare(self) -> None:
        """Rebuilds an index of another version before anything is changed in it."""
        if self.is_stale():
            self.scan()

    def scanning(self) -> str | None:
        """Who else is scanning this vault right now and makes a sync wait; ``None`` where nobody does."""
        return self.locks.scanner() or "another process" if self.locks.wait_for_scan() else None

    def embed(self, *, force: bool = False, progress: Callable[[int], None] = lambda done: None) -> EmbedReport:
        """Fills in missing vectors; ``force`` makes all anew while the present ones keep answering.

        Raises ``BadReply`` where the model's vectors mean nothing; the spaces that answered before still do."""
        report = self.upkeep.run(force=force, progress=progress)
        self.tools.graph(lambda done: None)
        return report

    def reindex(self, *, force: bool = False, progress: Progress | None = None) -> SyncReport:
        """Builds a new index from the files and the journal, and swaps it in when it is complete. ``force`` gives up
        the documents of folders that are missing or empty, and an index that can't be read; without it these raise
        ``Unavailable``."""
        report = self.tools.rebuild(progress or (lambda done, total: None), force=force)
        self._erase(report)
        return report

    def check(self, *, deep: bool = False) -> list[str]:
        """What is wrong inside the index, by reading all of it; empty where nothing is."""
        return self.store.check(deep=deep)

    def _erase(self, report: SyncReport | None = None) -> None:
        """Erases what was purged, here or on another machine, where that is still due."""
        with self.store.read() as reader:
            if not changes.due(reader):
                return
        pending = self.tools.erase()
        if pending is not None and report is not None:
            report.problems.append(Guidance(f"purged data is not fully erased yet: {pending}", Remedy("update")))
