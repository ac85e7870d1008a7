"""A rebuild: a new index beside the present one, copied over it when it is complete.

Whoever needs both locks takes ``sync.lock`` first and ``memory.lock`` second; nobody who holds the latter waits for a
scan. What is written while the new index is being filled goes to the present one, so before the exchange the new one
takes in: what changed in the folders since they were walked; then, while no memory can be written, the memories; and
last, while no process can write the present index at all, the journals. Whatever was acknowledged is then in both.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.core.document import INTERNAL
from hearth.core.errors import Remedy, Unavailable
from hearth.memory.state import purged
from hearth.ports import Collection
from hearth.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from hearth.vault.indexing.plan import SyncReport
    from hearth.vault.indexing.sync import Progress


def rebuild(adapters: Adapters, progress: Progress, *, force: bool) -> SyncReport:
    """Fills a side index from the files and the journal, then copies it over the live one in one transaction.

    Raises ``Unavailable`` where a folder is missing or empty, unless ``force``."""
    collections = adapters.collections()
    with adapters.locks.scan():
        if not force:
            _refuse_loss(adapters, collections)
        side_path = side_index(adapters.cache)
        remove_index(side_path)
        side = SqliteStore(side_path, adapters.store.fingerprint)
        try:
            report = fill(adapters, side, collections, progress)
            with adapters.locks.write():
                _exchange(adapters, side, collections)
        finally:
            side.close()
        remove_index(side_path)
    adapters.models.graph(lambda done: None)
    return report


def fill(adapters: Adapters, side: SqliteStore, collections: tuple[Collection, ...], progress: Progress) -> SyncReport:
    """What the folders and the journals hold, and what changed while that was taken in."""
    syncer = adapters.syncer(side, nested=True)
    report = syncer.run(collections, progress=progress)
    adapters.models.refill(side)
    syncer.run(collections)
    return report


def _exchange(adapters: Adapters, side: SqliteStore, collections: tuple[Collection, ...]) -> None:
    syncer = adapters.syncer(side, nested=True)
    syncer.run([one for one in collections if one.name == INTERNAL], partial=True)
    adapters.models.refill(side)
    with side.read() as reader:
        due = purged.due(reader)
    if due:
        # What was purged since its file was read must not come back into the present file, not even as free pages.
        side.scrub()
    adapters.store.replace_with(side.path, syncer.history.replay)


def _refuse_loss(adapters: Adapters, collections: tuple[Collection, ...]) -> None:
    if adapters.store.unfilled:
        return  # nothing is left to lose
    with adapters.store.read() as reader:
        known = reader.collections()
    for collection in collections:
        state = known.get(collection.name)
        walk = adapters.files.walk(collection)
        if state is not None and state.documents and not walk.files:
            why = walk.missing or f"{collection.root} is empty"
            raise Unavailable(
                f"collection {collection.name!r} can't be rebuilt ({why}) and its {state.documents} documents "
                "would be lost; bring the folder back",
                Remedy("reindex --force", joint=", or "),
            )


def side_index(cache: Path) -> Path:
    return cache / "rebuild" / "index.sqlite"


def remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
