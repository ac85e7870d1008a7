"""How documents hang together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hearth.model.graph.relation import DERIVED, FILE, LINKS, SPACE, DocumentRelation
from hearth.ports import MeanVector
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.readers.relations import KINDS, MILLIONTHS
from hearth.store.sqlite.rows import canonical
from hearth.store.sqlite.writers.fragments import SqliteFragmentWriter

_COLUMNS = "source, type, target, weight, at, until, evidence"


class SqliteRelationWriter(SqliteFragmentWriter):
    """Implements ``ports.RelationWriter``."""

    def set_relations(self, docid: str, origin: str, relations: Iterable[DocumentRelation]) -> tuple[int, int]:
        owner = self._db.execute("SELECT id FROM documents WHERE docid = ?", (docid,)).get
        if owner is None:
            return 0, 0
        rows = dict.fromkeys(relations)
        near = self._find_near(docid, origin, rows)
        added, removed = self._set_near(owner, origin, set(near.values()))
        wanted = {_row(one) for one in rows if one not in near}
        sql = f"SELECT rowid, {_COLUMNS} FROM relations WHERE owner = ? AND origin = ?"
        known = {row[1:]: row[0] for row in self._db.execute(sql, (owner, origin))}
        gone = [(known[row],) for row in known.keys() - wanted]
        new = [(owner, origin, *row) for row in sorted(wanted - known.keys(), key=str)]
        with self._aside():
            self._db.executemany("DELETE FROM relations WHERE rowid = ?", gone)
            self._db.executemany(f"INSERT INTO relations (owner, origin, {_COLUMNS}) VALUES ({marks(9)})", new)
        return len(new) + added, len(gone) + removed

    def _find_near(
        self, docid: str, origin: str, relations: Iterable[DocumentRelation]
    ) -> dict[DocumentRelation, tuple[int, int, int | None]]:
        """Those that the table ``near`` holds as they are, with the row of the other end, the weight and the date."""
        if origin not in KINDS:
            return {}
        plain = [
            one
            for one in relations
            if (one.source, one.type, one.until, one.evidence) == (docid, DERIVED[origin], None, ())
            and round(one.weight * MILLIONTHS) / MILLIONTHS == one.weight
        ]
        rows: dict[str, int] = {}
        for batch in batches(sorted({one.target for one in plain})):
            rows.update(
                self._db.execute(f"SELECT docid, id FROM documents WHERE docid IN ({marks(len(batch))})", batch)
            )
        found: dict[int, tuple[DocumentRelation, tuple[int, int, int | None]]] = {}
        for one in plain:
            # A second one to the same end stands with the others.
            if (other := rows.get(one.target)) is not None and other not in found:
                found[other] = one, (other, round(one.weight * MILLIONTHS), one.at)
        return dict(found.values())

    def _set_near(self, owner: int, origin: str, wanted: set[tuple[int, int, int | None]]) -> tuple[int, int]:
        if origin not in KINDS:
            return 0, 0
        kind = KINDS.index(origin)
        sql = "SELECT other, weight, at FROM near WHERE owner = ? AND kind = ?"
        known = {(row[0], row[1], row[2]) for row in self._db.execute(sql, (owner, kind))}
        with self._aside():
            gone = [(owner, kind, row[0]) for row in known - wanted]
            self._db.executemany("DELETE FROM near WHERE owner = ? AND kind = ? AND other = ?", gone)
            new = [(owner, kind, *row) for row in sorted(wanted - known, key=str)]
            self._db.executemany("INSERT INTO near VALUES (?, ?, ?, ?, ?)", new)
        return len(new), len(gone)

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        rows = list(links)
        for origin in (LINKS, FILE):
            self.set_relations(docid, origin, (one for one in rows if one.origin == origin))
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


def _row(one: DocumentRelation) -> tuple[Any, ...]:
    return one.source, one.type, one.target, one.weight, one.at, one.until, _encode(one)


def _encode(relation: DocumentRelation) -> str | None:
    places = [[place.docid, place.start, place.end, place.hash] for place in relation.evidence]
    return canonical(places) if places else None
