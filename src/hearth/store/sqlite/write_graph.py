"""Names in fragments, and relations between documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from hearth.core.graph import DERIVED, FILE, LINKS, SPACE, DocumentRelation, NamedEntity
from hearth.language.name_matching import key_of
from hearth.ports import MeanVector
from hearth.store.sqlite.read_graph import KINDS, MILLIONTHS
from hearth.store.sqlite.rows import batches, canonical, marks
from hearth.store.sqlite.write_fragments import SqliteFragmentWriter

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
