"""How documents hang together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hearth.model.graph.relation import FILE, LINKS, DocumentRelation
from hearth.store.sqlite.rows import canonical
from hearth.store.sqlite.writers.fragments import SqliteFragmentWriter


class SqliteRelationWriter(SqliteFragmentWriter):
    """Implements ``ports.RelationWriter``."""

    def set_relations(self, docid: str, origin: str, relations: Iterable[DocumentRelation]) -> None:
        owner = self._db.execute("SELECT id FROM documents WHERE docid = ?", (docid,)).get
        if owner is None:
            return
        self._db.execute("DELETE FROM relations WHERE owner = ? AND origin = ?", (owner, origin))
        rows = [
            (owner, origin, one.source, one.type, one.target, one.weight, one.at, one.until, _encode(one))
            for one in dict.fromkeys(replace(one, origin=origin) for one in relations)
        ]
        self._db.executemany("INSERT INTO relations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def set_links(self, docid: str, links: Iterable[DocumentRelation]) -> None:
        rows = list(links)
        for origin in (LINKS, FILE):
            self.set_relations(docid, origin, (one for one in rows if one.origin == origin))
        self._db.execute("UPDATE documents SET linked = 1 WHERE docid = ?", (docid,))

    def set_mark(self, docids: Iterable[str], mark: str) -> None:
        self._db.executemany("UPDATE documents SET related = ? WHERE docid = ?", [(mark, docid) for docid in docids])

    def _drop_relations(self, owner: int, docid: str | None = None) -> None:
        """What was derived from a document, and with ``docid`` what has it at an end: whatever that was derived from is
        to be looked at again. What files name stays until their links are resolved again."""
        derived = "origin NOT IN (?2, ?3)"
        self._db.execute(f"DELETE FROM relations WHERE owner = ?1 AND {derived}", (owner, LINKS, FILE))
        for end in ("source", "target") if docid is not None else ():
            owners = f"SELECT owner FROM relations WHERE {end} = ?1 AND {derived}"
            self._db.execute(f"UPDATE documents SET related = NULL WHERE id IN ({owners})", (docid, LINKS, FILE))
            self._db.execute(f"DELETE FROM relations WHERE {end} = ?1 AND {derived}", (docid, LINKS, FILE))


def _encode(relation: DocumentRelation) -> str | None:
    places = [[place.docid, place.start, place.end, place.hash] for place in relation.evidence]
    return canonical(places) if places else None
