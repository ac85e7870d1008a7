"""Freshness: whether a scan would find anything. Asked before every search, so it loads nothing that reads files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace

from hearth.core.document import FileState
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Clock, Collection, CollectionState, Commits, Files, Reader, Store, Walk
from hearth.vault.history import History
from hearth.vault.indexing.plan import Untracked, plan_sync

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
