"""What was found in the folders."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.document import FileState
from hearth.ports import CollectionState, Skipped
from hearth.store.sqlite.rows import storable
from hearth.store.sqlite.writers.documents import SqliteDocumentWriter


class SqliteCollectionWriter(SqliteDocumentWriter):
    """Implements ``ports.CollectionWriter``; a collection takes its documents along."""

    def set_collection(self, state: CollectionState) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO collections VALUES (?, ?, ?, ?, ?, ?, ?)",
            (state.name, state.root, state.scanned_at, state.held, state.vanished, state.settings, state.revision),
        )

    def drop_collection(self, name: str) -> None:
        for (docid,) in list(self._db.execute("SELECT docid FROM documents WHERE collection = ?", (name,))):
            self.remove(docid)
        self._db.execute("DELETE FROM collections WHERE name = ?", (name,))
        self._db.execute("DELETE FROM skipped WHERE collection = ?", (name,))

    def set_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None:
        self._db.execute("DELETE FROM skipped WHERE collection = ?", (collection,))
        rows = [
            (item.collection, storable(item.path), storable(item.reason), *_state(item.file), item.shut)
            for item in skipped
        ]
        self._db.executemany("INSERT INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _state(file: FileState | None) -> tuple[int | bytes | None, ...]:
    return (None,) * 4 if file is None else (file.mtime_ns, file.size, file.ctime_ns, file.disk_path)
