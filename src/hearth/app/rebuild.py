"""A rebuild: a new index beside the present one, copied over it when it is complete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters
from hearth.errors import Unavailable
from hearth.ports import Collection
from hearth.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from hearth.engine.sync import Progress, SyncReport


def rebuild(adapters: Adapters, progress: Progress, *, force: bool) -> SyncReport:
    """Fills a side index from the files and the journal, then copies it over the live one in one transaction.

    Raises ``Unavailable`` where a folder is missing or empty, unless ``force``."""
    store, collections = adapters.store, adapters.collections()
    with adapters.locks.scan():
        if not force:
            _refuse_loss(adapters, collections)
        side_path = adapters.cache / "rebuild" / "index.sqlite"
        remove_index(side_path)
        side = SqliteStore(side_path, store.fingerprint)
        try:
            report = adapters.syncer(side, nested=True).run(collections, progress=progress)
            adapters.models.refill(side)
        finally:
            side.close()
        store.replace_with(side_path)
        remove_index(side_path)
    adapters.models.graph(lambda done: None)
    return report


def _refuse_loss(adapters: Adapters, collections: tuple[Collection, ...]) -> None:
    with adapters.store.read() as reader:
        known = reader.collections()
    for collection in collections:
        state = known.get(collection.name)
        walk = adapters.files.walk(collection)
        if state is not None and state.documents and not walk.files:
            why = walk.missing or f"{collection.root} is empty"
            raise Unavailable(
                f"collection {collection.name!r} can't be rebuilt ({why}) and its {state.documents} documents "
                "would be lost; bring the folder back, or run: hearth reindex --force"
            )


def remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
