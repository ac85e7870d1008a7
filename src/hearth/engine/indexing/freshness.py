"""Freshness: whether a scan would find anything. Asked before every search, so it loads nothing that reads files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from hearth.engine.history.history import History
from hearth.engine.indexing.plan import plan_sync
from hearth.engine.indexing.untracked import Untracked
from hearth.ports import Clock, Collection, CollectionState, Commits, Files, Reader, Store, Walk

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
    # Of each collection the last walk that the index agrees with, and the generation of the index at that time.
    _seen: dict[str, tuple[Walk, int]] = field(default_factory=dict, compare=False)

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
        self._seen.update((name, (walk, generation)) for name, walk in walks.items())

    def _unchanged(self, collection: Collection, state: CollectionState, reader: Reader) -> bool:
        if state.revision != self.commits.revision(collection):
            return False
        if state.held or reader.unlinked(collection.name, 1):
            return False
        walk = self.files.walk(collection)
        settings = replace(collection, daily=walk.daily).settings
        if (state.root, state.settings) != (collection.root, settings):
            return False
        generation = reader.statistics().generation
        known = self._seen.get(collection.name)
        if known is not None and known[0] is walk and known[1] == generation:
            return True
        skipped = {item for item in reader.skipped() if item.collection == collection.name}
        if walk.missing or set(walk.skipped) != skipped:
            return False
        plan = plan_sync(walk.files, reader.files(collection.name), self.clock() * 1_000_000)
        if plan.read or plan.gone or plan.back:
            return False
        self._seen[collection.name] = (walk, generation)
        return True


def _embed(reader: Reader) -> bool:
    """Whether every fragment has its vectors."""
    spaces, fragments = reader.spaces(), reader.statistics().fragments
    return bool(spaces or not fragments) and all(reader.vector_count(space) == fragments for space in spaces)
