"""Documents with all that is derived from them: names in fragments, relations between documents, and what was found
in the folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from hearth.core.document import TERM_FIELDS, Document, DocumentState, FileState
from hearth.core.graph import DERIVED, FILE, LINKS, SPACE, DocumentRelation, NamedEntity
from hearth.language.name_matching import key_of
from hearth.markdown.links import number_key
from hearth.ports import CollectionState, DocumentRecord, MeanVector, Skipped
from hearth.store.sqlite.read_graph import KINDS, MILLIONTHS
from hearth.store.sqlite.rows import (
    batches,
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
from hearth.store.sqlite.write_fragments import SqliteFragmentWriter, fragment_columns
from hearth.text.names import document_keys

_COLUMNS = "source, type, target, weight, at, until, evidence"


class SqliteRelationWriter(SqliteFragmentWriter):
    """Implements ``ports.RelationWriter``."""

    def set_relations(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, tuple[int, int]]:
        owner = self._db.execute("SELECT id FROM documents WHERE docid = ?", (docid,)).get
        if owner is None:
            return dict.fromkeys(relations, (0, 0))
        rows = {origin: dict.fromkeys(found) for origin, found in relations.items()}
        near = self._find_near(docid, rows)
        others = {(origin, *_row(one)) for origin, found in rows.items() for one in found if (origin, one) not in near}
        kinds = [at for at, origin in enumerate(KINDS) if origin in rows]
        sql = f"SELECT kind, other, weight, at FROM near WHERE owner = ? AND kind IN ({marks(len(kinds))})"
        known_near = set(self._db.execute(sql, (owner, *kinds)))
        sql = f"SELECT rowid, origin, {_COLUMNS} FROM relations WHERE owner = ? AND origin IN ({marks(len(rows))})"
        known = {row[1:]: row[0] for row in self._db.execute(sql, (owner, *rows))}
        gone_near, gone = known_near.difference(near.values()), known.keys() - others
        new_near = sorted(set(near.values()) - known_near, key=itemgetter(0, 1))
        new = sorted(others - known.keys(), key=str)
        if LINKS in rows:
            self._db.execute("UPDATE documents SET linked = 1 WHERE id = ?", (owner,))
        with self._aside():
            ends = [(owner, kind, other) for kind, other, *_ in gone_near]
            self._change("DELETE FROM near WHERE owner = ? AND kind = ? AND other = ?", ends)
            self._change("INSERT INTO near VALUES (?, ?, ?, ?, ?)", [(owner, *row) for row in new_near])
            self._change("DELETE FROM relations WHERE rowid = ?", [(known[row],) for row in gone])
            into = f"INSERT INTO relations (owner, origin, {_COLUMNS}) VALUES ({marks(9)})"
            self._change(into, [(owner, *row) for row in new])
        added, removed = (
            Counter([*(KINDS[row[0]] for row in found_near), *(row[0] for row in found)])
            for found_near, found in ((new_near, new), (gone_near, gone))
        )
        return {origin: (added[origin], removed[origin]) for origin in rows}

    def _change(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._db.executemany(sql, rows)

    def _find_near(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[tuple[str, DocumentRelation], tuple[int, int, int, int | None]]:
        """Those that the table ``near`` holds as they are, by origin, with what stands in it: the kind, the row of the
        other end, the weight in millionths and the date."""
        plain = [
            (origin, one)
            for origin in KINDS
            for one in relations.get(origin, ())
            if (one.source, one.type, one.until, one.evidence) == (docid, DERIVED[origin], None, ())
            and round(one.weight * MILLIONTHS) / MILLIONTHS == one.weight
        ]
        ends: dict[str, int] = {}
        for batch in batches(sorted({one.target for _, one in plain})):
            ends.update(
                self._db.execute(f"SELECT docid, id FROM documents WHERE docid IN ({marks(len(batch))})", batch)
            )
        found: dict[tuple[str, int], DocumentRelation] = {}
        for origin, one in plain:
            # A second one to the same end stands with the others.
            if one.target in ends:
                found.setdefault((origin, ends[one.target]), one)
        return {
            (origin, one): (KINDS.index(origin), other, round(one.weight * MILLIONTHS), one.at)
            for (origin, other), one in found.items()
        }

    def set_mark(self, documents: Iterable[int], mark: str | None) -> None:
        rows = [(mark, document) for document in documents]
        with self._aside():
            self._db.executemany("UPDATE documents SET related = ?1 WHERE id = ?2 AND related IS NOT ?1", rows)

    def set_means(
        self,
        means: Iterable[MeanVector],
        reaches: Mapping[int, float] = MappingProxyType({}),
        *,
        without: Iterable[int] | None = (),
    ) -> None:
        first = "(SELECT id FROM fragments WHERE document = ? ORDER BY seq LIMIT 1)"
        space = "(SELECT value FROM meta WHERE key = ?)"
        same = f"SELECT fragment FROM vectors WHERE space = {space} AND fragment = {first} AND vector = ?"
        with self._aside():
            if without is None:
                self._db.execute("DELETE FROM means")
            else:
                self._db.executemany("DELETE FROM means WHERE document = ?", [(document,) for document in without])
            for one in means:
                vector = one.levels.tobytes()
                fragment = self._db.execute(same, (SPACE, one.document, vector)).get
                kept = vector if fragment is None else None
                row = (one.document, one.docid, one.text, one.scale, one.reach, fragment, kept)
                self._db.execute("INSERT OR REPLACE INTO means VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            rows = [(reach, document) for document, reach in reaches.items()]
            self._db.executemany("UPDATE means SET reach = ? WHERE document = ?", rows)

    def _drop_relations(self, owner: int, docid: str | None = None) -> None:
        """What was derived from a document, and with ``docid`` what has it at an end: whatever that was derived from is
        to be looked at again. What files name stays until their links are resolved again."""
        derived = "origin NOT IN (?2, ?3)"
        self._db.execute(f"DELETE FROM relations WHERE owner = ?1 AND {derived}", (owner, LINKS, FILE))
        self._db.execute("DELETE FROM near WHERE owner = ?", (owner,))
        if docid is not None:
            owners = "SELECT owner FROM near WHERE other = ?"
            self._db.execute(f"UPDATE documents SET related = NULL WHERE id IN ({owners})", (owner,))
            self._db.execute("DELETE FROM near WHERE other = ?", (owner,))
        for end in ("source", "target") if docid is not None else ():
            owners = f"SELECT owner FROM relations WHERE {end} = ?1 AND {derived}"
            self._db.execute(f"UPDATE documents SET related = NULL WHERE id IN ({owners})", (docid, LINKS, FILE))
            self._db.execute(f"DELETE FROM relations WHERE {end} = ?1 AND {derived}", (docid, LINKS, FILE))


def _row(one: DocumentRelation) -> tuple[Any, ...]:
    return one.source, one.type, one.target, one.weight, one.at, one.until, _encode(one)


def _encode(relation: DocumentRelation) -> str | None:
    places = [[place.docid, place.start, place.end, place.hash] for place in relation.evidence]
    return canonical(places) if places else None


class SqliteEntityWriter(SqliteRelationWriter):
    """Implements ``ports.EntityWriter``."""

    def set_entities(self, document: int, mark: str, found: Sequence[tuple[int, NamedEntity]]) -> bool:
        there = {row[0] for row in self._db.execute("SELECT id FROM fragments WHERE document = ?", (document,))}
        known = self._db.execute("SELECT 1 FROM documents WHERE id = ?", (document,)).get
        if known is None or not there.issuperset(fragment for fragment, _ in found):
            return False
        self._drop_entities(document)
        ids = {entity: self._take_name(entity) for entity in dict.fromkeys(entity for _, entity in found)}
        rows = {(ids[entity], document, fragment) for fragment, entity in found}
        self._db.executemany("INSERT INTO entities VALUES (?, ?, ?)", sorted(rows))
        sql = "UPDATE entity_names SET documents = documents + 1 WHERE id = ?"
        self._db.executemany(sql, [(identity,) for identity in sorted(set(ids.values()))])
        self._db.execute("INSERT OR REPLACE INTO entity_marks VALUES (?, ?)", (document, mark))
        return True

    def _take_name(self, entity: NamedEntity) -> int:
        row = (key_of(entity.name), entity.name, entity.type)
        sql = "SELECT id FROM entity_names WHERE key = ? AND name = ? AND type = ?"
        found = self._db.execute(sql, row).get
        if found is None:
            self._db.execute("INSERT INTO entity_names (key, name, type, documents) VALUES (?, ?, ?, 0)", row)
            found = self._db.last_insert_rowid()
        return int(found)

    def _drop_entities(self, document: int) -> None:
        """A name that no document holds any more is gone with the last."""
        sql = "SELECT DISTINCT name FROM entities WHERE document = ?"
        names = self._db.execute(sql, (document,)).fetchall()
        self._db.executemany("UPDATE entity_names SET documents = documents - 1 WHERE id = ?", names)
        self._db.executemany("DELETE FROM entity_names WHERE id = ? AND documents <= 0", names)
        self._db.execute("DELETE FROM entities WHERE document = ?", (document,))
        self._db.execute("DELETE FROM entity_marks WHERE document = ?", (document,))


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
