"""How documents hang together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from hearth.model.graph.relation import DERIVED, FILE, LINKS, SPACE, DocumentRelation
from hearth.ports import MeanVector
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.relations import KINDS, MILLIONTHS
from hearth.store.sqlite.rows import canonical
from hearth.store.sqlite.writers.fragments import SqliteFragmentWriter

_COLUMNS = "source, type, target, weight, at, until, evidence"
# What stands in these columns; the other end, the weight in millionths and the date in the table ``near``.
_Row = tuple[Any, ...]
_Near = tuple[int, int, int | None]


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
        changes = [
            self._set_near(owner, {KINDS.index(origin): set(found.values()) for origin, found in near.items()}),
            self._set_others(
                owner,
                {
                    origin: {_row(one) for one in found if one not in near.get(origin, ())}
                    for origin, found in rows.items()
                },
            ),
        ]
        return {origin: _sum(change.get(origin, (0, 0)) for change in changes) for origin in rows}

    def _set_others(self, owner: int, wanted: Mapping[str, set[_Row]]) -> dict[str, tuple[int, int]]:
        sql = f"SELECT rowid, origin, {_COLUMNS} FROM relations WHERE owner = ? AND origin IN ({marks(len(wanted))})"
        known: dict[str, dict[_Row, int]] = {origin: {} for origin in wanted}
        for rowid, origin, *row in self._db.execute(sql, (owner, *wanted)):
            known[origin][tuple(row)] = rowid
        gone = {origin: [(rows[row],) for row in rows.keys() - wanted[origin]] for origin, rows in known.items()}
        new = {origin: sorted(rows - known[origin].keys(), key=str) for origin, rows in wanted.items()}
        with self._aside():
            self._change("DELETE FROM relations WHERE rowid = ?", gone.values())
            inserted = ([(owner, origin, *row) for row in rows] for origin, rows in new.items())
            self._change(f"INSERT INTO relations (owner, origin, {_COLUMNS}) VALUES ({marks(9)})", inserted)
        return {origin: (len(new[origin]), len(gone[origin])) for origin in wanted}

    def _change(self, sql: str, rows: Iterable[Sequence[tuple[Any, ...]]]) -> None:
        if every := list(chain.from_iterable(rows)):
            self._db.executemany(sql, every)

    def _find_near(
        self, docid: str, relations: Mapping[str, Iterable[DocumentRelation]]
    ) -> dict[str, dict[DocumentRelation, _Near]]:
        """By origin those that the table ``near`` holds as they are."""
        plain = {
            origin: [
                one
                for one in relations[origin]
                if (one.source, one.type, one.until, one.evidence) == (docid, DERIVED[origin], None, ())
                and round(one.weight * MILLIONTHS) / MILLIONTHS == one.weight
            ]
            for origin in KINDS
            if origin in relations
        }
        rows: dict[str, int] = {}
        for batch in batches(sorted({one.target for found in plain.values() for one in found})):
            rows.update(
                self._db.execute(f"SELECT docid, id FROM documents WHERE docid IN ({marks(len(batch))})", batch)
            )
        return {origin: _choose(found, rows) for origin, found in plain.items()}

    def _set_near(self, owner: int, wanted: Mapping[int, set[_Near]]) -> dict[str, tuple[int, int]]:
        if not wanted:
            return {}
        sql = f"SELECT kind, other, weight, at FROM near WHERE owner = ? AND kind IN ({marks(len(wanted))})"
        known: dict[int, set[_Near]] = {kind: set() for kind in wanted}
        for kind, other, weight, at in self._db.execute(sql, (owner, *wanted)):
            known[kind].add((other, weight, at))
        gone = {kind: known[kind] - rows for kind, rows in wanted.items()}
        new = {kind: sorted(rows - known[kind], key=str) for kind, rows in wanted.items()}
        with self._aside():
            removed = ([(owner, kind, row[0]) for row in rows] for kind, rows in gone.items())
            self._change("DELETE FROM near WHERE owner = ? AND kind = ? AND other = ?", removed)
            inserted = ([(owner, kind, *row) for row in rows] for kind, rows in new.items())
            self._change("INSERT INTO near VALUES (?, ?, ?, ?, ?)", inserted)
        return {KINDS[kind]: (len(new[kind]), len(gone[kind])) for kind in wanted}

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        rows = list(links)
        self.set_relations(docid, {origin: [one for one in rows if one.origin == origin] for origin in (LINKS, FILE)})
        self._db.execute("UPDATE documents SET linked = 1 WHERE docid = ?", (docid,))

    def set_mark(self, docids: Iterable[str], mark: str) -> None:
        rows = [(mark, docid) for docid in docids]
        with self._aside():
            self._db.executemany("UPDATE documents SET related = ? WHERE docid = ?", rows)

    def clear_marks(self, documents: Iterable[int]) -> None:
        rows = [(document,) for document in documents]
        with self._aside():
            self._db.executemany("UPDATE documents SET related = NULL WHERE id = ? AND related IS NOT NULL", rows)

    def set_means(self, means: Iterable[MeanVector]) -> None:
        first = "(SELECT id FROM fragments WHERE document = ? ORDER BY seq LIMIT 1)"
        space = "(SELECT value FROM meta WHERE key = ?)"
        same = f"SELECT fragment FROM vectors WHERE space = {space} AND fragment = {first} AND vector = ?"
        with self._aside():
            for one in means:
                vector = one.levels.tobytes()
                fragment = self._db.execute(same, (SPACE, one.document, vector)).get
                kept = vector if fragment is None else None
                row = (one.document, one.docid, one.text, one.scale, one.reach, fragment, kept)
                self._db.execute("INSERT OR REPLACE INTO means VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def set_reach(self, reaches: Mapping[int, float]) -> None:
        rows = [(reach, document) for document, reach in reaches.items()]
        with self._aside():
            self._db.executemany("UPDATE means SET reach = ? WHERE document = ?", rows)

    def drop_means(self, documents: Iterable[int] | None = None) -> None:
        with self._aside():
            if documents is None:
                self._db.execute("DELETE FROM means")
            else:
                self._db.executemany("DELETE FROM means WHERE document = ?", [(document,) for document in documents])

    def set_background(self, key: str, value: str) -> None:
        with self._aside():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """What hangs together is no change of what is there, and what is kept in memory stays good."""
        before = self._db.total_changes()
        yield
        self._folded += self._db.total_changes() - before

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


def _choose(plain: Iterable[DocumentRelation], rows: Mapping[str, int]) -> dict[DocumentRelation, _Near]:
    """One to each end: a second one stands with the others."""
    found: dict[int, tuple[DocumentRelation, _Near]] = {}
    for one in plain:
        if (other := rows.get(one.target)) is not None and other not in found:
            found[other] = one, (other, round(one.weight * MILLIONTHS), one.at)
    return dict(found.values())


def _sum(changes: Iterable[tuple[int, int]]) -> tuple[int, int]:
    added, removed = zip(*changes, strict=True)
    return sum(added), sum(removed)


def _row(one: DocumentRelation) -> _Row:
    return one.source, one.type, one.target, one.weight, one.at, one.until, _encode(one)


def _encode(relation: DocumentRelation) -> str | None:
    places = [[place.docid, place.start, place.end, place.hash] for place in relation.evidence]
    return canonical(places) if places else None
