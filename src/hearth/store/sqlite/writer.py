"""Writing the index inside one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hearth.model.document import Document, DocumentState, FileState
from hearth.model.fragment import AnalyzedFragment
from hearth.model.journal.state import Member, Register
from hearth.ports import CollectionState, DocumentRecord, Skipped
from hearth.store.sqlite.reader import SqliteReader, batches, marks
from hearth.store.sqlite.rows import canonical, encode_document, encode_state, mask, plain, storable, stored_stem
from hearth.text.names import document_keys
from hearth.text.packed import Packed, pack, prominent

if TYPE_CHECKING:
    from hearth.ports import Bytes


class SqliteWriter(SqliteReader):
    """Implements ``ports.Writer``. Document frequencies are summed up and written once, by ``finish``."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._df: Counter[int] = Counter()
        self._strong: Counter[int] = Counter()
        self._counters: Counter[str] = Counter()
        self._ids: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._before: int = connection.total_changes()
        # Rows of folded events: what was used is no change of what is there, and what is kept in memory stays good.
        self._folded = 0

    def finish(self) -> None:
        """Writes what was summed up; called once, before the commit."""
        rows = [(self._df[term], self._strong[term], term) for term in self._df.keys() | self._strong.keys()]
        self._db.executemany("UPDATE terms SET df = df + ?, strong = strong + ? WHERE id = ?", rows)
        if self._db.total_changes() - self._before > self._folded:
            self._counters["generation"] += 1
        self._db.executemany(
            "UPDATE counters SET value = value + ? WHERE key = ?", [(n, key) for key, n in self._counters.items()]
        )

    # -- documents -------------------------------------------------------------------------------------------------

    def put(self, record: DocumentRecord) -> bool:
        document = record.document
        rows = self._db.execute(
            "SELECT id, raw_hash, docid, path FROM documents WHERE docid = ? OR (collection = ? AND path = ?)",
            (document.docid, document.collection, storable(document.path)),
        ).fetchall()
        row: Any = rows[0] if rows else None
        if len(rows) > 1 or (row[1] if row else None) != record.expected_hash:
            return False
        if row is not None:
            self._clear(row[0])
        identity = self._put_row(record, row[0] if row else None)
        self._put_fragments(identity, record.fragments)
        self._put_names(identity, document)
        self._put_mentions(identity, record.mentions)
        if row is None or row[2:] != (document.docid, storable(document.path)):
            self._unlink(document.collection, document.path)
            if row is not None:
                self._unlink(document.collection, plain(row[3]))
        return True

    def _put_row(self, record: DocumentRecord, identity: int | None) -> int:
        document, file = record.document, record.file
        columns: dict[str, Any] = {
            "docid": document.docid, "collection": document.collection, "path": storable(document.path),
            "content_type": document.content_type, "dated_at": document.dated_at, "language": document.language,
            "mtime_ns": file.mtime_ns, "file_size": file.size, "inode": file.inode, "disk_path": file.disk_path,
            "raw_hash": document.raw_hash, "body_hash": document.body_hash, "origin": document.origin,
            "problem": record.problem, "vanished": 0, "record": encode_document(document),
            "committed_at": document.committed_at, "stem": stored_stem(document.path),
            "links": canonical(list(record.links)) if record.links else None,
            "linked": 0,
        }  # fmt: skip
        names = list(columns)
        if identity is None:
            sql = f"INSERT INTO documents ({', '.join(names)}) VALUES ({marks(len(names))})"
            self._db.execute(sql, tuple(columns.values()))
            return self._db.last_insert_rowid()
        sql = f"UPDATE documents SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"
        self._db.execute(sql, (*columns.values(), identity))
        return identity

    def _put_mentions(self, document: int, mentions: Iterable[str]) -> None:
        rows = [(storable(mention), document) for mention in mentions]
        self._db.executemany("INSERT OR IGNORE INTO mentions VALUES (?, ?)", rows)
        if not rows:
            # Nothing to resolve, unless what it meant before is still there.
            links = "EXISTS (SELECT 1 FROM links WHERE document = ?1)"
            self._db.execute(f"UPDATE documents SET linked = NOT {links} WHERE id = ?1", (document,))

    def _unlink(self, collection: str, path: str) -> None:
        """What may mean this path has to be looked at again."""
        # The plus keeps SQLite from walking through the collection for each name.
        sql = (
            "UPDATE documents SET linked = 0 WHERE +collection = ? AND linked "
            "AND id IN (SELECT document FROM mentions WHERE stem = ?)"
        )
        self._db.execute(sql, (collection, stored_stem(path)))

    def _put_names(self, identity: int, document: Document) -> None:
        keys = document_keys(document.title, document.path, document.aliases)
        rows = [(storable(key), identity) for key in sorted(keys)]
        self._db.executemany("INSERT INTO names VALUES (?, ?)", rows)

    def _put_fragments(self, document: int, fragments: Sequence[AnalyzedFragment]) -> None:
        ids = self._term_ids(set().union(*(item.terms for item in fragments)))
        texts, postings, matches = [], [], []
        for identity, item in enumerate(fragments, self._take_ids("fragments", len(fragments))):
            part = item.fragment
            headings = canonical(list(part.headings))
            texts.append(
                (identity, document, part.seq, part.kind, part.start_line, part.end_line, item.start_byte,
                 item.end_byte, headings, part.context, part.text)
            )  # fmt: skip
            numbers = list(map(ids.__getitem__, item.terms))
            counts = item.terms.values()
            strong = [term for term, count in zip(numbers, counts, strict=True) if prominent(count)]
            postings.append((identity, document, item.length, pack(zip(numbers, counts, strict=True))))
            words = [*map(str, numbers), *(f"s{term}" for term in strong)]
            matches.append((identity, " ".join(words)))
            self._df.update(numbers)
            self._strong.update(strong)
            self._counters["length"] += item.length
        self._counters["fragments"] += len(fragments)
        self._db.executemany(f"INSERT INTO fragments VALUES ({marks(11)})", texts)
        self._db.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", postings)
        self._db.executemany("INSERT INTO matches (rowid, terms) VALUES (?, ?)", matches)

    def _term_ids(self, wanted: set[str]) -> dict[str, int]:
        """Ids of the wanted terms and others; new terms get theirs here. The documents of a batch share most."""
        known = self._ids
        # Not ``wanted - known.keys()``, which walks through all that is known.
        for batch in batches([term for term in wanted if term not in known]):
            sql = f"SELECT term, id FROM terms WHERE term IN ({marks(len(batch))})"
            known.update(self._db.execute(sql, tuple(batch)))
        new = sorted(term for term in wanted if term not in known)
        if new:
            rows = list(enumerate(new, self._take_ids("terms", len(new))))
            self._db.executemany("INSERT INTO terms (id, term, df, strong) VALUES (?, ?, 0, 0)", rows)
            known.update((term, identity) for identity, term in rows)
        return known

    def _take_ids(self, table: str, count: int) -> int:
        """The first of ``count`` ids that no row of the table has had. Nobody else takes any during a transaction."""
        if table not in self._last:
            sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = ?"
            self._last[table] = self._db.execute(sql, (table,)).get or 0
        first = self._last[table] + 1
        self._last[table] += count
        return first

    def _clear(self, document: int) -> None:
        """Removes everything derived from a document, its row excepted."""
        rows = list(
            self._db.execute(
                "SELECT p.fragment, p.length, p.packed FROM fragments f JOIN postings p ON p.fragment = f.id "
                "WHERE f.document = ?",
                (document,),
            )
        )
        for _, length, packed in rows:
            terms = Packed(packed)
            self._df.subtract(terms.ids())
            self._strong.subtract(terms.strong_ids())
            self._counters["length"] -= length
        self._counters["fragments"] -= len(rows)
        fragments = [(row[0],) for row in rows]
        self._db.executemany("DELETE FROM matches WHERE rowid = ?", fragments)
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM vectors WHERE fragment = ?", fragments)
        self._counters["vector_removals"] += self._db.total_changes() - before
        for table in ("failures", "postings"):
            self._db.executemany(f"DELETE FROM {table} WHERE fragment = ?", fragments)
        for table in ("fragments", "mentions", "names"):
            self._db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))

    def remove(self, docid: str) -> None:
        row = self._db.execute("SELECT id, collection, path FROM documents WHERE docid = ?", (docid,)).fetchone()
        if row is not None:
            self._clear(row[0])
            self._db.execute("DELETE FROM links WHERE document = ?", (row[0],))
            self._db.execute("DELETE FROM documents WHERE id = ?", (row[0],))
            self._unlink(row[1], plain(row[2]))

    def set_links(self, docid: str, links: Iterable[str]) -> None:
        row = self._db.execute("SELECT id FROM documents WHERE docid = ?", (docid,)).fetchone()
        if row is not None:
            self._db.execute("DELETE FROM links WHERE document = ?", row)
            self._db.executemany("INSERT OR IGNORE INTO links VALUES (?, ?)", [(row[0], target) for target in links])
            self._db.execute("UPDATE documents SET linked = 1 WHERE id = ?", row)

    def hollow(self, document: Document, mentions: Iterable[str] = ()) -> None:
        row = self._db.execute("SELECT id FROM documents WHERE docid = ?", (document.docid,)).fetchone()
        if row is None:
            return
        self._db.execute("PRAGMA secure_delete = ON")
        self._clear(row[0])
        columns = "record = ?, problem = NULL, links = NULL, linked = 0"
        self._db.execute(f"UPDATE documents SET {columns} WHERE id = ?", (encode_document(document), row[0]))
        self._put_mentions(row[0], mentions)

    def touch(self, docid: str, file: FileState) -> None:
        self._db.execute(
            "UPDATE documents SET mtime_ns = ?, file_size = ?, inode = ?, disk_path = ?, vanished = 0, "
            "record = json_set(record, '$.modified_at', ?) WHERE docid = ?",
            (file.mtime_ns, file.size, file.inode, file.disk_path, file.modified_at, docid),
        )

    def set_committed(self, docid: str, at: int | None) -> None:
        self._db.execute(
            "UPDATE documents SET committed_at = ?1, dated_at = coalesce(record ->> 'authored_at', ?1), "
            "record = json_set(record, '$.committed_at', ?1) WHERE docid = ?2",
            (at, docid),
        )

    def set_vanished(self, docids: Sequence[str], vanished: bool) -> None:
        rows = [(int(vanished), docid) for docid in docids]
        self._db.executemany("UPDATE documents SET vanished = ? WHERE docid = ?", rows)

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
        rows = [(item.collection, storable(item.path), storable(item.reason)) for item in skipped]
        self._db.executemany("INSERT INTO skipped VALUES (?, ?, ?)", rows)

    # -- vectors ---------------------------------------------------------------------------------------------------

    def put_vectors(
        self, space: str, fragments: Sequence[int], vectors: Sequence[Bytes], scales: Sequence[float]
    ) -> None:
        last = self.last_vector(space)
        self._counters["vector_removals"] += sum(int(fragment) <= last for fragment in fragments)
        rows = [
            (space, float(scale), vector.tobytes(), int(fragment))
            for fragment, vector, scale in zip(fragments, vectors, scales, strict=True)
        ]
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors (space, fragment, document, scale, vector) "
            "SELECT ?1, fragment, document, ?2, ?3 FROM postings WHERE fragment = ?4",
            rows,
        )
        self._db.executemany("DELETE FROM failures WHERE space = ? AND fragment = ?", [(space, row[3]) for row in rows])

    def note_failure(self, space: str, fragment: int, error: str) -> None:
        self._db.execute(
            "INSERT INTO failures VALUES (?, ?, 1, ?) "
            "ON CONFLICT DO UPDATE SET tries = tries + 1, error = excluded.error",
            (space, fragment, error),
        )

    def drop_space(self, space: str) -> None:
        before = self._db.total_changes()
        self._db.execute("DELETE FROM vectors WHERE space = ?", (space,))
        self._counters["vector_removals"] += self._db.total_changes() - before
        self._db.execute("DELETE FROM failures WHERE space = ?", (space,))

    # -- journal ---------------------------------------------------------------------------------------------------

    def forget_journal(self) -> None:
        for table in ("registers", "members"):
            self._db.execute(f"DELETE FROM {table}")
        self.set_journal_position({})

    def fold(self, primitives: Iterable[Register | Member]) -> None:
        registers, members = [], []
        for item in primitives:
            if isinstance(item, Register):
                registers.append((item.subject, item.field, canonical(item.value), *item.stamp))
            else:
                members.append((item.subject, item.name, item.key, item.at))
        before = self._db.total_changes()
        self._db.executemany(
            "INSERT INTO registers VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, "
            "hlc = excluded.hlc, machine = excluded.machine, event = excluded.event "
            "WHERE (excluded.hlc, excluded.machine, excluded.event) > (hlc, machine, event)",
            registers,
        )
        self._db.executemany(
            "INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)", members
        )
        self._folded += self._db.total_changes() - before

    def set_state(self, docid: str, state: DocumentState) -> None:
        self._db.execute(
            "UPDATE documents SET state = ?, hidden = ? WHERE docid = ?",
            (encode_state(state), mask(state.veils), docid),
        )

    def set_journal_position(self, position: Mapping[str, Any]) -> None:
        before = self._db.total_changes()
        self.set_meta("journal", json.dumps(position, sort_keys=True))
        self._folded += self._db.total_changes() - before

    def set_meta(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
