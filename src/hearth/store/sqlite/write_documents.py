"""Documents with all that is derived from them, and what was found in the folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hearth.core.document import TERM_FIELDS, Document, DocumentState, FileState
from hearth.core.graph import FILE, LINKS
from hearth.markdown.links import number_key
from hearth.ports import CollectionState, DocumentRecord, Skipped
from hearth.store.sqlite.rows import (
    canonical,
    decode_json,
    document_columns,
    documents_of,
    encode_document,
    encode_state,
    marks,
    mask,
    plain,
    storable,
    stored_stem,
)
from hearth.store.sqlite.write_fragments import fragment_columns
from hearth.store.sqlite.write_graph import SqliteEntityWriter
from hearth.text.names import document_keys

_MENTIONED = "EXISTS (SELECT 1 FROM mentions WHERE stem IN (?, ?))"
# One row at least, whose last column says whether any link may mean a path.
_PRESENT = (
    f"SELECT d.id, d.raw_hash, d.docid, d.path, d.record, d.collection, {_MENTIONED} "
    "FROM (SELECT 1) LEFT JOIN documents d ON d.docid = ? OR (d.collection = ? AND d.path = ?)"
)


def _link_ends(path: str) -> tuple[str | bytes, str | bytes]:
    """What links to a path end in."""
    return stored_stem(path), storable(number_key(path) or "")


class SqliteDocumentWriter(SqliteEntityWriter):
    """Implements ``ports.DocumentWriter``."""

    def put(self, record: DocumentRecord) -> bool:
        document = record.document
        place = (document.docid, document.collection, storable(document.path))
        rows = self._db.execute(_PRESENT, (*_link_ends(document.path), *place)).fetchall()
        row: Any = None if rows[0][0] is None else rows[0]
        if len(rows) > 1 or (row[1] if row else None) != record.expected_hash:
            return False
        # Appending to a document costs only what was appended: unchanged fragments keep their rows, terms and vectors,
        # unless the document's names changed, which terms and vectors include.
        known = self._read_columns(row[0]) if row is not None and _has_names_of(row[4], document) else {}
        kept, fresh = set(), []
        for at, part in enumerate(record.fragments):
            identity = known.get(fragment_columns(part))
            if identity is None:
                fresh.append(at)
            else:
                kept.add(identity)
        parts = self._make_rows([record.fragments[at] for at in fresh])
        if row is not None:
            self._drop_entities(row[0])
            self._drop_relations(row[0], None if row[2] == document.docid else row[2])
            self._clear(row[0], kept)
            self._count_document(row[5], -1)
        self._count_document(document.collection, 1)
        identity = self._put_row(record, row[0] if row else None)
        first = self._put_fragments(identity, parts)
        if record.vectors is not None:
            self._put_new_vectors(identity, record.vectors, dict(enumerate(fresh, first)))
        self._put_names(identity, document)
        self._put_mentions(identity, record.mentions, new=row is None)
        if row is None or row[2:4] != (document.docid, storable(document.path)):
            if rows[0][-1]:
                self._mark_unlinked(document.collection, document.path)
            if row is not None:
                self._unlink(document.collection, plain(row[3]))
        return True

    def _count_document(self, collection: str, more: int) -> None:
        for counter in ("documents", documents_of(collection)):
            self._counters[counter] += more

    def _put_row(self, record: DocumentRecord, identity: int | None) -> int:
        document, file = record.document, record.file
        columns: dict[str, Any] = document_columns(document) | {
            "mtime_ns": file.mtime_ns, "file_size": file.size, "ctime_ns": file.ctime_ns, "disk_path": file.disk_path,
            "problem": record.problem, "vanished": 0, "record": encode_document(document),
            "links": canonical(list(record.links)) if record.links else None,
            "linked": int(identity is None and not record.mentions), "related": None,
        }  # fmt: skip
        names = list(columns)
        if identity is None:
            sql = f"INSERT INTO documents ({', '.join(names)}) VALUES ({marks(len(names))})"
            self._db.execute(sql, tuple(columns.values()))
            return self._db.last_insert_rowid()
        sql = f"UPDATE documents SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"
        self._db.execute(sql, (*columns.values(), identity))
        return identity

    def _put_mentions(self, document: int, mentions: Iterable[str], *, new: bool) -> None:
        rows = [(storable(mention), document) for mention in mentions]
        self._db.executemany("INSERT OR IGNORE INTO mentions VALUES (?, ?)", rows)
        if not (rows or new):
            # Nothing to resolve, unless what it meant before is still there.
            links = "EXISTS (SELECT 1 FROM relations WHERE owner = ?1 AND origin IN (?2, ?3))"
            self._db.execute(f"UPDATE documents SET linked = NOT {links} WHERE id = ?1", (document, LINKS, FILE))

    def _unlink(self, collection: str, path: str) -> None:
        """Marks documents whose links may mean this path to be resolved again."""
        if self._db.execute(f"SELECT {_MENTIONED}", _link_ends(path)).get:
            self._mark_unlinked(collection, path)

    def _mark_unlinked(self, collection: str, path: str) -> None:
        # The plus keeps SQLite from walking through the collection for each name.
        sql = (
            "SELECT d.id FROM documents d WHERE +d.collection = ? AND d.linked "
            "AND d.id IN (SELECT document FROM mentions WHERE stem IN (?, ?))"
        )
        waiting = self._db.execute(sql, (collection, *_link_ends(path))).fetchall()
        self._db.executemany("UPDATE documents SET linked = 0 WHERE id = ?", waiting)

    def _put_names(self, identity: int, document: Document) -> None:
        keys = document_keys(document.title, document.path, document.aliases)
        self._db.executemany("INSERT INTO names VALUES (?, ?)", [(storable(key), identity) for key in sorted(keys)])
        self._db.execute("INSERT INTO spelled (rowid, keys) VALUES (?, ?)", (identity, "\n".join(sorted(keys))))

    def remove(self, docid: str) -> None:
        row = self._db.execute("SELECT id, collection, path FROM documents WHERE docid = ?", (docid,)).fetchone()
        if row is not None:
            self._drop_entities(row[0])
            self._drop_relations(row[0], docid)
            self._clear(row[0])
            self._db.execute("DELETE FROM relations WHERE owner = ?", (row[0],))
            self._db.execute("DELETE FROM documents WHERE id = ?", (row[0],))
            self._count_document(row[1], -1)
            self._unlink(row[1], plain(row[2]))

    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        row = self._db.execute("SELECT id FROM documents WHERE docid = ?", (document.docid,)).fetchone()
        if row is None:
            return
        self._db.execute("PRAGMA secure_delete = ON")
        self._drop_entities(row[0])
        self._drop_relations(row[0], document.docid)
        self._clear(row[0])
        columns = "record = ?, problem = NULL, links = NULL, linked = 0, related = NULL"
        self._db.execute(f"UPDATE documents SET {columns} WHERE id = ?", (encode_document(document), row[0]))
        self._put_mentions(row[0], mentions, new=False)

    def update(
        self,
        docid: str,
        *,
        file: FileState | None = None,
        committed: tuple[int | None, str | None] | None = None,
        vanished: bool | None = None,
        state: DocumentState | None = None,
    ) -> None:
        if file is not None:
            self._db.execute(
                "UPDATE documents SET mtime_ns = ?, file_size = ?, ctime_ns = ?, disk_path = ?, vanished = 0, "
                "record = json_set(record, '$.modified_at', ?) WHERE docid = ?",
                (file.mtime_ns, file.size, file.ctime_ns, file.disk_path, file.modified_at, docid),
            )
        if committed is not None:
            self._db.execute(
                "UPDATE documents SET committed_at = ?2, committed_by = ?3, "
                "dated_at = coalesce(record ->> 'authored_at', ?2), related = NULL, "
                "record = json_set(record, '$.committed_at', ?2, '$.committed_by', ?3) WHERE docid = ?1",
                (docid, *committed),
            )
        if vanished is not None:
            self._db.execute("UPDATE documents SET vanished = ? WHERE docid = ?", (int(vanished), docid))
        if state is not None:
            self._db.execute(
                "UPDATE documents SET state = ?, hidden = ?, valid_to = ?, ends_at = ? WHERE docid = ?",
                (encode_state(state), mask(state.veils), state.valid_to, state.ends_at, docid),
            )


def _has_names_of(record: str, document: Document) -> bool:
    """Whether a document's row, by its ``record``, has the names and the language of another."""
    known, ours = decode_json(record), decode_json(encode_document(document))
    return all(known[name] == ours[name] for name in TERM_FIELDS)


class SqliteCollectionWriter(SqliteDocumentWriter):
    """Implements ``ports.CollectionWriter``; a collection takes its documents along."""

    def set_collection(self, state: CollectionState, skipped: Sequence[Skipped] | None = None) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO collections VALUES (?, ?, ?, ?, ?, ?, ?)",
            (state.name, state.root, state.scanned_at, state.held, state.vanished, state.settings, state.revision),
        )
        if skipped is not None:
            self._put_skipped(state.name, skipped)

    def drop_collection(self, name: str) -> None:
        for (docid,) in list(self._db.execute("SELECT docid FROM documents WHERE collection = ?", (name,))):
            self.remove(docid)
        self._db.execute("DELETE FROM collections WHERE name = ?", (name,))
        self._db.execute("DELETE FROM skipped WHERE collection = ?", (name,))

    def _put_skipped(self, collection: str, skipped: Sequence[Skipped]) -> None:
        self._db.execute("DELETE FROM skipped WHERE collection = ?", (collection,))
        rows = [
            (item.collection, storable(item.path), storable(item.reason), *_state(item.file), item.shut)
            for item in skipped
        ]
        self._db.executemany("INSERT INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _state(file: FileState | None) -> tuple[int | bytes | None, ...]:
    return (None,) * 4 if file is None else (file.mtime_ns, file.size, file.ctime_ns, file.disk_path)
