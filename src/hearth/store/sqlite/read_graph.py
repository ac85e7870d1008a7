"""Names in fragments, and relations between documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hearth.core.graph import (
    DERIVED,
    SESSIONS,
    SPACE,
    TIME,
    TYPES,
    VECTORS,
    DocumentRelation,
    EvidencePlace,
    NamedEntity,
    NameSpelling,
)
from hearth.core.journal import Register
from hearth.core.subjects import RELATION, name_relation
from hearth.ports import Filter, HeldName, MeanVector, StoredDocument
from hearth.ports.store import Work
from hearth.store.sqlite.read_states import BEYOND, SqliteBase
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, batches, canonical, decode_document, decode_json, marks, where

_UNREAD = "FROM documents d LEFT JOIN entity_marks m ON m.document = d.id WHERE m.mark IS NOT ? AND NOT d.vanished"


class SqliteEntityReader(SqliteBase):
    """Implements ``ports.EntityReader`` and ``ports.MentionReader``."""

    def _count_unread(self, mark: str) -> int:
        # Each part from an index of its own: of a million fragments in milliseconds.
        vanished = "documents WHERE (hidden OR vanished) AND vanished"
        read = "SELECT count(*) FROM entity_marks WHERE mark = ?1"
        sql = (
            f"SELECT (SELECT count(*) FROM documents) - (SELECT count(*) FROM {vanished}) - ({read}) "
            f"+ ({read} AND document IN (SELECT id FROM {vanished}))"
        )
        return int(self._db.execute(sql, (mark,)).get)

    def list_spellings(
        self, limit: int, kind: str | None = None, part: str = "", keys: Sequence[str] | None = None
    ) -> list[NameSpelling]:
        wanted = "" if keys is None else f"key IN ({marks(len(keys))}) AND "
        sql = (
            f"SELECT key, name, type, documents FROM entity_names WHERE {wanted}(? IS NULL OR type = ?) "
            "AND (? = '' OR instr(key, ?)) ORDER BY documents DESC, key DESC, name, type LIMIT ?"
        )
        rows = self._db.execute(sql, (*(keys or ()), kind, kind, part, part, limit))
        return [NameSpelling(*row) for row in rows]

    def naming(self, keys: Sequence[str], within: Filter, limit: int) -> list[tuple[int, int]]:
        condition, bound = where(within)
        sql = (
            "SELECT DISTINCT e.document, e.fragment FROM entity_names n JOIN entities e ON e.name = n.id "
            f"JOIN documents d ON d.id = e.document WHERE n.key IN ({marks(len(keys))}) AND {condition} "
            "ORDER BY d.dated_at IS NULL, d.dated_at DESC, d.docid, e.fragment LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._db.execute(sql, (*keys, *bound, limit))]

    def entities_in(self, documents: Sequence[int], keys: Sequence[str] | None = None) -> dict[int, list[HeldName]]:
        found: dict[int, list[HeldName]] = {}
        total = "(SELECT sum(m.documents) FROM entity_names m WHERE m.key = n.key)"
        condition = "" if keys is None else f" AND n.key IN ({marks(len(keys))})"
        for batch in batches(sorted(set(documents))):
            sql = (
                f"SELECT DISTINCT e.document, e.fragment, n.name, n.type, n.key, {total} FROM entities e "
                f"JOIN entity_names n ON n.id = e.name WHERE e.document IN ({marks(len(batch))}){condition} "
                "ORDER BY e.document, e.fragment, n.name, n.type"
            )
            for document, fragment, name, kind, key, count in self._db.execute(sql, (*batch, *(keys or ()))):
                found.setdefault(document, []).append(HeldName(fragment, NamedEntity(name, kind), key, count))
        return found

    def holders_of(self, keys: Sequence[str], within: Filter, limit: int | None = None) -> dict[str, list[str]]:
        condition, bound = where(within)
        joined = "FROM entity_names n JOIN entities e ON e.name = n.id JOIN documents d ON d.id = e.document"
        found: dict[str, list[str]] = {}
        if limit is None:
            for batch in batches(sorted(set(keys))):
                sql = (
                    f"SELECT DISTINCT n.key, d.docid {joined} "
                    f"WHERE n.key IN ({marks(len(batch))}) AND {condition} ORDER BY 1, 2"
                )
                for key, docid in self._db.execute(sql, (*batch, *bound)):
                    found.setdefault(key, []).append(docid)
            return found
        for key in sorted(set(keys)):
            # Not in order before the limit: all would have to be found.
            sql = f"SELECT DISTINCT d.docid {joined} WHERE n.key = ? AND {condition} LIMIT ?"
            if docids := sorted(row[0] for row in self._db.execute(sql, (key, *bound, limit))):
                found[key] = docids
        return found


_PROJECT = "coalesce(d.record ->> '$.facts.project', d.collection)"
_COLUMNS = "source, type, target, weight, at, until, origin, evidence"
_REGISTER = "SELECT subject, field, value, hlc, machine, event FROM registers WHERE"
KINDS = (VECTORS, TIME, SESSIONS)
"""Origins of what stands in the table ``near``, which has their places."""
MILLIONTHS = 1_000_000
_NEAR = (
    "SELECT o.docid, n.kind, t.docid, n.weight, n.at FROM near n JOIN documents o ON o.id = n.owner "
    "JOIN documents t ON t.id = n.other WHERE"
)


class SqliteRelationReader(SqliteEntityReader):
    """Implements ``ports.RelationReader``."""

    def relations_of(self, docids: Sequence[str], types: Sequence[str] = ()) -> list[DocumentRelation]:
        found: dict[int, DocumentRelation] = {}
        kinds = f" AND type IN ({marks(len(types))})" if types else ""
        for batch in batches(sorted(set(docids))):
            for end in ("source", "target"):
                sql = f"SELECT rowid, {_COLUMNS} FROM relations WHERE {end} IN ({marks(len(batch))}){kinds}"
                found.update((row[0], _decode(row[1:])) for row in self._db.execute(sql, (*batch, *types)))
        near = self._near(docids, types)
        return sorted((*found.values(), *near), key=lambda one: (one.source, one.type, one.target, one.origin))

    def _near(self, docids: Sequence[str], types: Sequence[str]) -> Iterable[DocumentRelation]:
        rows: dict[tuple[str, int, str], tuple[int, int | None]] = {}
        wanted = [at for at, origin in enumerate(KINDS) if not types or DERIVED[origin] in types]
        for batch in batches(sorted(set(docids))) if wanted else ():
            ids = f"(SELECT id FROM documents WHERE docid IN ({marks(len(batch))}))"
            for end in ("owner", "other"):
                sql = f"{_NEAR} n.{end} IN {ids} AND n.kind IN ({marks(len(wanted))})"
                for source, kind, target, weight, at in self._db.execute(sql, (*batch, *wanted)):
                    rows[source, kind, target] = weight, at
        for (source, kind, target), (weight, at) in rows.items():
            origin = KINDS[kind]
            yield DocumentRelation(source, DERIVED[origin], target, weight / MILLIONTHS, at, origin=origin)

    def find_relations(self, docids: Sequence[str]) -> list[Register]:
        rows: dict[tuple[str, str], Register] = {}

        def take(condition: str, *values: Any) -> None:
            for subject, field, value, *stamp in self._db.execute(f"{_REGISTER} {condition}", values):
                rows[subject, field] = Register(subject, field, decode_json(value), (stamp[0], stamp[1], stamp[2]))

        for batch in batches(sorted(set(docids))):
            subjects = f"subject IN ({marks(len(batch))})"
            take(f"{subjects} AND field >= ? AND field < ?", *batch, RELATION, RELATION + BEYOND)
            take(f"{subjects} AND field = 'superseded_by'", *batch)
            take(f"field = 'superseded_by' AND value IN ({marks(len(batch))})", *map(canonical, batch))
        for fields in batches([name_relation(kind, docid) for docid in sorted(set(docids)) for kind in TYPES]):
            take(f"field IN ({marks(len(fields))})", *fields)
        return [rows[key] for key in sorted(rows)]

    def waiting(self, work: Work, mark: str, limit: int | None = None, after: int = 0) -> list[int]:
        sql = "SELECT id FROM documents WHERE related IS NOT ? AND id > ? AND NOT vanished ORDER BY id LIMIT ?"
        if work == "entities":
            if not self._count_unread(mark):
                return []
            sql = f"SELECT d.id {_UNREAD} AND d.id > ? ORDER BY d.id LIMIT ?"
        return [row[0] for row in self._db.execute(sql, (mark, after, -1 if limit is None else limit))]

    def count_waiting(self, work: Work, mark: str) -> int:
        if work == "entities":
            return self._count_unread(mark)
        sql = "SELECT count(*) FROM documents WHERE {} AND NOT vanished"
        conditions = (("related IS NULL", ()), ("related < ?", (mark,)), ("related > ?", (mark,)))
        return sum(int(self._db.execute(sql.format(one), bound).get) for one, bound in conditions)

    def beside(self, docid: str, types: Sequence[str] = (), *, later: bool) -> StoredDocument | None:
        way, order = (">", "") if later else ("<", " DESC")
        sql = f"SELECT {_PROJECT}, dated_at FROM documents d WHERE docid = ?"
        row = self._db.execute(sql, (docid,)).fetchone()
        if row is None or row[1] is None:
            return None
        kinds = f" AND d.content_type IN ({marks(len(types))})" if types else ""
        same = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {_PROJECT} = ? AND (d.dated_at, d.docid) {way} (?, ?)"
        rest = f"AND d.record ->> 'title' <> ''{kinds} ORDER BY d.dated_at{order}, d.docid{order} LIMIT 1"
        found = self._db.execute(f"{same} {rest}", (*row, docid, *types)).fetchone()
        return decode_document(found) if found else None

    def means(self) -> list[MeanVector]:
        import numpy as np

        space = "(SELECT value FROM meta WHERE key = ?)"
        sql = (
            "SELECT m.document, m.docid, m.text, m.scale, coalesce(m.vector, v.vector), m.reach, d.id IS NULL "
            "FROM means m LEFT JOIN documents d ON d.id = m.document "
            f"LEFT JOIN vectors v ON v.space = {space} AND v.fragment = m.fragment ORDER BY m.document"
        )
        return [
            MeanVector(row, docid, text, scale, np.frombuffer(vector, dtype=np.int8), reach, bool(gone))
            for row, docid, text, scale, vector, reach, gone in self._db.execute(sql, (SPACE,))
        ]


def _decode(row: Any) -> DocumentRelation:
    source, kind, target, weight, at, until, origin, evidence = row
    places = () if evidence is None else tuple(EvidencePlace(*place) for place in decode_json(evidence))
    return DocumentRelation(source, kind, target, weight, at, until, origin, places)
