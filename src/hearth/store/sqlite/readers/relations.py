"""How documents hang together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hearth.model.graph.relation import TYPES, DocumentRelation, EvidencePlace
from hearth.model.journal.state import Register
from hearth.model.journal.subjects import RELATION, name_relation
from hearth.ports import Filter, StoredDocument
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.base import SqliteBase
from hearth.store.sqlite.rows import DOCUMENT_COLUMNS, canonical, decode_document, where

_COLUMNS = "source, type, target, weight, at, until, origin, evidence"
_REGISTER = "SELECT subject, field, value, hlc, machine, event FROM registers WHERE"
# Text beyond every other that begins alike.
_BEYOND = f"{RELATION}\U0010ffff"


class SqliteRelationReader(SqliteBase):
    """Implements ``ports.RelationReader``."""

    def relations_of(self, docids: Sequence[str], types: Sequence[str] = ()) -> list[DocumentRelation]:
        found: dict[int, DocumentRelation] = {}
        kinds = f" AND type IN ({marks(len(types))})" if types else ""
        for batch in batches(sorted(set(docids))):
            for end in ("source", "target"):
                sql = f"SELECT rowid, {_COLUMNS} FROM relations WHERE {end} IN ({marks(len(batch))}){kinds}"
                found.update((row[0], _decode(row[1:])) for row in self._db.execute(sql, (*batch, *types)))
        return sorted(found.values(), key=lambda one: (one.source, one.type, one.target, one.origin))

    def said_of(self, docids: Sequence[str]) -> list[Register]:
        rows: dict[tuple[str, str], Register] = {}

        def take(condition: str, *values: Any) -> None:
            for subject, field, value, *stamp in self._db.execute(f"{_REGISTER} {condition}", values):
                rows[subject, field] = Register(subject, field, json.loads(value), (stamp[0], stamp[1], stamp[2]))

        for batch in batches(sorted(set(docids))):
            subjects = f"subject IN ({marks(len(batch))})"
            take(f"{subjects} AND field >= ? AND field < ?", *batch, RELATION, _BEYOND)
            take(f"{subjects} AND field = 'superseded_by'", *batch)
            take(f"field = 'superseded_by' AND value IN ({marks(len(batch))})", *map(canonical, batch))
            for kind in TYPES:
                take(f"field IN ({marks(len(batch))})", *(name_relation(kind, docid) for docid in batch))
        return [rows[key] for key in sorted(rows)]

    def admitted(self, docids: Sequence[str], within: Filter) -> dict[str, int]:
        condition, bound = where(within)
        found: dict[str, int] = {}
        for batch in batches(sorted(set(docids))):
            sql = f"SELECT d.docid, d.id FROM documents d WHERE d.docid IN ({marks(len(batch))}) AND {condition}"
            found.update(self._db.execute(sql, (*batch, *bound)))
        return found

    def unmarked(self, mark: str, limit: int) -> list[StoredDocument]:
        condition = "d.related IS NOT ? AND NOT d.vanished"
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.id LIMIT ?"
        return [decode_document(row) for row in self._db.execute(sql, (mark, limit))]

    def count_unmarked(self, mark: str) -> int:
        sql = "SELECT count(*) FROM documents WHERE {} AND NOT vanished"
        conditions = (("related IS NULL", ()), ("related < ?", (mark,)), ("related > ?", (mark,)))
        return sum(int(self._db.execute(sql.format(one), bound).get) for one, bound in conditions)


def _decode(row: Any) -> DocumentRelation:
    source, kind, target, weight, at, until, origin, evidence = row
    places = () if evidence is None else tuple(EvidencePlace(*place) for place in json.loads(evidence))
    return DocumentRelation(source, kind, target, weight, at, until, origin, places)
