"""What was found in the folders."""

from __future__ import annotations

from hearth.model.document import FileState
from hearth.ports import CollectionState, IndexedFile, Skipped, StoredDocument, UnsettledNote
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, decode_document, plain


class SqliteCollectionReader(SqliteBase):
    """Implements ``ports.CollectionReader``."""

    def files(self, collection: str) -> dict[str, IndexedFile]:
        sql = (
            "SELECT docid, path, mtime_ns, file_size, ctime_ns, disk_path, raw_hash, body_hash, origin, vanished, "
            "committed_at, committed_by "
            "FROM documents WHERE collection = ?"
        )
        return {
            (path := plain(row[1])): IndexedFile(
                row[0], path, FileState(*row[2:6]), row[6], row[7], row[8], bool(row[9]), *row[10:]
            )
            for row in self._db.execute(sql, (collection,))
        }

    def misnamed(self, collection: str) -> list[StoredDocument]:
        other = "d.record ->> 'named' IS NOT NULL AND d.record ->> 'named' <> d.docid"
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {other} AND d.collection = ? ORDER BY d.path"
        return [decode_document(row) for row in self._db.execute(sql, (collection,))]

    def unsettled(self, collection: str) -> list[UnsettledNote]:
        dates, unsure = "d.record ->> 'dates'", "d.record ->> 'language_guess'"
        sql = (
            f"SELECT d.path, {dates}, d.language, {unsure} FROM documents d WHERE d.collection = ?"
            f" AND ({dates} IS NOT NULL OR {unsure} IS NOT NULL) ORDER BY 1"
        )
        return [UnsettledNote(plain(row[0]), *row[1:]) for row in self._db.execute(sql, (collection,))]

    def count_languages(self, collection: str) -> dict[str, int]:
        sql = "SELECT language, count(*) FROM documents WHERE collection = ? GROUP BY 1"
        return dict(self._db.execute(sql, (collection,)))

    def skipped(self) -> list[Skipped]:
        sql = (
            "SELECT collection, path, reason, shut, mtime_ns, file_size, ctime_ns, disk_path FROM skipped ORDER BY 1, 2"
        )
        return [
            Skipped(row[0], plain(row[1]), plain(row[2]), None if row[7] is None else FileState(*row[4:]), bool(row[3]))
            for row in self._db.execute(sql)
        ]

    def collections(self) -> dict[str, CollectionState]:
        sql = (
            "SELECT c.name, c.root, c.scanned_at, (SELECT count(*) FROM documents d WHERE d.collection = c.name), "
            "c.held, c.vanished, c.settings, c.revision FROM collections c ORDER BY c.name"
        )
        return {row[0]: CollectionState(*row) for row in self._db.execute(sql)}
