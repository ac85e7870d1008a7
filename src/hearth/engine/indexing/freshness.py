"""Freshness: whether a scan would find anything. Asked before every search, so it loads nothing that reads files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from hearth.engine.history.history import History
from hearth.engine.indexing.plan import plan_sync
from hearth.engine.indexing.untracked import Untracked
from hearth.ports import Clock, Collection, CollectionState, Commits, Files, Reader, Store


@dataclass(frozen=True)
class ChangeProbe:
    """``exclusive`` keeps it apart from scans; ``history`` is the journal side."""

    store: Store
    files: Files
    history: History
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]
    commits: Commits = field(default_factory=Untracked)

    def nothing_new(self, collections: Sequence[Collection]) -> bool:
        """Whether the index holds the folders as they are; they then count as scanned. In doubt it says no, and a
        scan finds out. Takes in what the journals hold beyond the index."""
        with self.exclusive():
            self.history.replay()
            with self.store.read() as reader:
                states = reader.collections()
                if states.keys() != {c.name for c in collections} or not _embedded(reader):
                    return False
                if not all(self._unchanged(collection, states[collection.name], reader) for collection in collections):
                    return False
            now = self.clock()
            with self.store.write() as writer:
                for state in states.values():
                    writer.set_collection(replace(state, scanned_at=now))
        return True

    def _unchanged(self, collection: Collection, state: CollectionState, reader: Reader) -> bool:
        if state.revision != self.commits.revision(collection):
            return False
        if state.held or reader.unlinked(collection.name, 1):
            return False
        walk = self.files.walk(collection)
        settings = replace(collection, daily=walk.daily).settings
        if (state.root, state.settings) != (collection.root, settings):
            return False
        skipped = {item for item in reader.skipped() if item.collection == collection.name}
        if walk.missing or set(walk.skipped) != skipped:
            return False
        plan = plan_sync(walk.files, reader.files(collection.name), self.clock() * 1_000_000)
        return not (plan.read or plan.gone or plan.back)


def _embedded(reader: Reader) -> bool:
    """Whether every fragment has its vectors."""
    spaces, fragments = reader.spaces(), reader.statistics().fragments
    return bool(spaces or not fragments) and all(reader.vector_count(space) == fragments for space in spaces)
