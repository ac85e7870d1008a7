"""Documents, fragments, links and collections."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from hearth.core.document import FileState
from hearth.core.graph import FILE, LINKS
from hearth.ports import CollectionState, Filter, IndexedFile, Skipped, StoredDocument, StoredFragment, UnsettledNote
from hearth.store.sqlite.read_states import SqliteBase
from hearth.store.sqlite.rows import (
    DOCUMENT_COLUMNS,
    FRAGMENT_COLUMNS,
    batches,
    decode_document,
    decode_fragment,
    decode_json,
    marks,
    plain,
    storable,
    where,
)


class SqliteDocumentReader(SqliteBase):
    """Implements ``ports.DocumentReader``."""

    def generation(self) -> int:
        value = self._db.execute("SELECT value FROM counters WHERE key = 'generation'").get
        return int(value)

    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        known = {} if self._decoded is None else self._decoded.of(self.generation())
        for batch in batches([row for row in ids if row not in known]):
            sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id IN ({marks(len(batch))})"
            known.update((row[0], self._decode(row)) for row in self._db.execute(sql, tuple(batch)))
        return {row: known[row] for row in ids if row in known}

    def document(self, docid: str) -> StoredDocument | None:
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.docid = ?"
        row = self._db.execute(sql, (docid,)).fetchone()
        return None if row is None else self._decode(row)

    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]:
        condition, bound = where(within)
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.collection, d.path LIMIT ?"
        return [self._decode(row) for row in self._db.execute(sql, (*bound, -1 if limit is None else limit))]

    def called(self, keys: Sequence[str], within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        wanted = sorted(map(storable, keys))
        if len(wanted) > 1:
            # Of the many that a sentence may hold hardly any names a document.
            known = "SELECT DISTINCT key FROM names WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"
            wanted = [row[0] for row in self._db.execute(known, (json.dumps(wanted),))]
        sql = (
            "SELECT d.id FROM names n CROSS JOIN documents d ON d.id = n.document "
            f"WHERE n.key = ? AND {condition} ORDER BY n.document LIMIT ?"
        )
        found = (row[0] for key in wanted for row in self._db.execute(sql, (key, *bound, limit)))
        return list(dict.fromkeys(found))[:limit]

    def documents_between(self, start: int, end: int, within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        sql = (
            f"SELECT d.id FROM documents d WHERE d.dated_at >= ? AND d.dated_at < ? AND {condition} "
            "ORDER BY abs(d.dated_at - ?), d.docid LIMIT ?"
        )
        return [row[0] for row in self._db.execute(sql, (start, end, *bound, (start + end) // 2, limit))]

    def reviewable(self, before: int) -> list[StoredDocument]:
        due = "d.record ->> 'review_by' IS NOT NULL AND d.record ->> 'review_by' < ?"
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {due} ORDER BY d.record ->> 'review_by', d.docid"
        return [self._decode(row) for row in self._db.execute(sql, (before,))]

    def neighbours(self, document: int, before: int, after: int, within: Filter) -> list[StoredDocument]:
        row = self._db.execute("SELECT dated_at, docid FROM documents WHERE id = ?", (document,)).fetchone()
        if row is None:
            return []
        if row[0] is None:
            return list(self.documents([document]).values())
        condition, bound = where(within)
        select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE (d.dated_at, d.docid)"
        earlier = f"{select} < (?, ?) AND {condition} ORDER BY d.dated_at DESC, d.docid DESC LIMIT ?"
        later = f"{select} >= (?, ?) AND (d.id = ? OR {condition}) ORDER BY d.dated_at, d.docid LIMIT ?"
        past = [self._decode(r) for r in self._db.execute(earlier, (*row, *bound, before))]
        future = [self._decode(r) for r in self._db.execute(later, (*row, document, *bound, after + 1))]
        return past[::-1] + future

    def docids(self) -> dict[str, tuple[str, str]]:
        rows = self._db.execute("SELECT docid, collection, path FROM documents")
        return {docid: (collection, plain(path)) for docid, collection, path in rows}


class SqliteFragmentReader(SqliteBase):
    """Implements ``ports.FragmentReader``."""

    def fragments(self, ids: Sequence[int]) -> dict[int, StoredFragment]:
        found: dict[int, StoredFragment] = {}
        for batch in batches(ids):
            sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.id IN ({marks(len(batch))})"
            found.update((row[0], decode_fragment(row)) for row in self._db.execute(sql, tuple(batch)))
        return found

    def fragments_after(self, fragment: int, limit: int) -> list[StoredFragment]:
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.id > ? ORDER BY f.id LIMIT ?"
        return [decode_fragment(row) for row in self._db.execute(sql, (fragment, limit))]

    def fragments_of(self, document: int) -> list[StoredFragment]:
        sql = f"SELECT {FRAGMENT_COLUMNS} FROM fragments f WHERE f.document = ? ORDER BY f.seq"
        return [decode_fragment(row) for row in self._db.execute(sql, (document,))]


class SqliteLinkReader(SqliteBase):
    """Implements ``ports.LinkReader``."""

    def links_to(self, docid: str, kind: str = "references") -> list[str]:
        sql = (
            "SELECT DISTINCT d.docid FROM relations r JOIN documents d ON d.id = r.owner "
            "WHERE r.target = ? AND r.type = ? AND r.origin IN (?, ?) ORDER BY 1"
        )
        return [row[0] for row in self._db.execute(sql, (docid, kind, LINKS, FILE))]

    def links_of(self, docid: str, kind: str = "references") -> list[str]:
        sql = (
            "SELECT DISTINCT r.target FROM documents d JOIN relations r ON r.owner = d.id "
            "WHERE d.docid = ? AND r.type = ? AND r.origin IN (?, ?) ORDER BY 1"
        )
        return [row[0] for row in self._db.execute(sql, (docid, kind, LINKS, FILE))]

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        sql = (
            f"SELECT {DOCUMENT_COLUMNS}, d.links FROM documents d WHERE d.collection = ? AND NOT d.linked "
            "ORDER BY d.id LIMIT ?"
        )
        rows = self._db.execute(sql, (collection, limit))
        return [(decode_document(row), tuple(decode_json(row[-1] or "[]"))) for row in rows]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for batch in batches(sorted(set(stems))):
            sql = f"SELECT path, docid FROM documents WHERE collection = ? AND stem IN ({marks(len(batch))})"
            rows = self._db.execute(sql, (collection, *map(storable, batch)))
            found.update((plain(path), docid) for path, docid in rows)
        return found


class SqliteCollectionReader(SqliteBase):
    """Implements ``ports.CollectionReader``."""

    def files(self, collection: str) -> dict[str, IndexedFile]:
        sql = (
            "SELECT docid, path, mtime_ns, file_size, ctime_ns, disk_path, raw_hash, body_hash, origin, vanished, "
            "committed_at, committed_by "
            "FROM documents WHERE collection = ?"
        )
        found: dict[str, IndexedFile] = {}
        for docid, stored, *state, raw, body, origin, vanished, at, by in self._db.execute(sql, (collection,)):
            path = plain(stored)
            found[path] = IndexedFile(docid, path, FileState(*state), raw, body, origin, bool(vanished), at, by)
        return found

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
