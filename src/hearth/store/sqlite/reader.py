"""Reading the index inside one transaction."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from hearth.model.document import FileState
from hearth.ports import (
    CollectionState,
    Failure,
    Filter,
    IndexedFile,
    Posting,
    Rows,
    Skipped,
    Statistics,
    StoredDocument,
    StoredFragment,
    TermRow,
    VectorBlock,
)
from hearth.store.sqlite.decoded import Decoded
from hearth.store.sqlite.rows import (
    DOCUMENT_COLUMNS,
    FRAGMENT_COLUMNS,
    canonical,
    decode_document,
    decode_fragment,
    plain,
    storable,
    veiled,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BATCH = 500
# The last character there is: text beyond every other that begins alike.
_BEYOND = "\U0010ffff"
# DISTINCT would walk the whole index of languages; this makes one step a language.
_LANGUAGES = (
    "WITH RECURSIVE found (language) AS (SELECT min(language) FROM documents UNION ALL SELECT (SELECT min(d.language) "
    "FROM documents d WHERE d.language > found.language) FROM found WHERE found.language IS NOT NULL) "
    "SELECT language FROM found WHERE language IS NOT NULL ORDER BY 1"
)
# Likewise; a space has as many rows as the vault has fragments.
_SPACES = (
    "WITH RECURSIVE found (space) AS (SELECT min(space) FROM {0} UNION ALL SELECT (SELECT min(t.space) FROM {0} t "
    "WHERE t.space > found.space) FROM found WHERE found.space IS NOT NULL) SELECT space FROM found "
    "WHERE space IS NOT NULL"
)
# What a term's standing prominently adds to its weight when candidates are chosen.
STRONG = 0.5


def batches(items: Sequence[Any], size: int = _BATCH) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def marks(count: int) -> str:
    return ", ".join("?" * count)


class SqliteReader:
    """Implements ``ports.Reader`` over a connection that is in a transaction."""

    def __init__(self, connection: apsw.Connection, decoded: Decoded | None = None) -> None:
        self._db = connection
        self._decoded = decoded

    # -- corpus ----------------------------------------------------------------------------------------------------

    def statistics(self) -> Statistics:
        counters = dict(self._db.execute("SELECT key, value FROM counters"))
        documents = self._db.execute("SELECT count(*) FROM documents").get
        languages = tuple(row[0] for row in self._db.execute(_LANGUAGES))
        return Statistics(counters["generation"], documents, counters["fragments"], counters["length"], languages)

    def generation(self) -> int:
        value = self._db.execute("SELECT value FROM counters WHERE key = 'generation'").get
        return int(value)

    def terms(self, terms: Iterable[str]) -> dict[str, TermRow]:
        found: dict[str, TermRow] = {}
        for batch in batches(list(terms)):
            sql = f"SELECT term, id, df, strong FROM terms WHERE df > 0 AND term IN ({marks(len(batch))})"
            found.update((row[0], TermRow(*row)) for row in self._db.execute(sql, tuple(batch)))
        return found

    def terms_with_prefix(self, prefix: str, limit: int) -> list[TermRow]:
        sql = (
            "SELECT term, id, df, strong FROM terms WHERE term >= ? AND term < ? AND df > 0 "
            "ORDER BY df DESC, term LIMIT ?"
        )
        return [TermRow(*row) for row in self._db.execute(sql, (prefix, prefix + "\U0010ffff", limit))]

    def match(self, tokens: Sequence[tuple[int, bool, float]], within: Filter, limit: int) -> list[int]:
        """Contentless FTS5 without positions can't rank, so each term's rows are listed (packed by SQLite into one
        string: a tenth of the cost of stepping over them) and weighed here."""
        weights: dict[str, float] = {}
        for term, strong_only, weight in tokens:
            if not strong_only:
                for row in self._rows_with(str(term), within):
                    weights[row] = weights.get(row, 0.0) + weight
            extra = weight * (1 + STRONG if strong_only else STRONG)
            for row in self._rows_with(f"s{term}", within):
                weights[row] = weights.get(row, 0.0) + extra
        return self._best(weights, within, limit)

    def _best(self, weights: dict[str, float], within: Filter, limit: int) -> list[int]:
        """The heaviest that the filter admits. Where documents are hidden, as many more are looked at as it takes."""
        unchecked = within.narrow or self.rows(within) is None
        wanted = limit
        while True:
            found = _heaviest(weights, wanted)
            if not unchecked:
                admitted = self._admitted(found, within)
                found = [row for row in found if row in admitted]
            if len(found) >= limit or wanted >= len(weights):
                return found[:limit]
            wanted *= 4

    def _admitted(self, fragments: Sequence[int], within: Filter) -> set[int]:
        condition, bound = where(within)
        found: set[int] = set()
        for batch in batches(fragments):
            sql = (
                "SELECT p.fragment FROM postings p JOIN documents d ON d.id = p.document "
                f"WHERE p.fragment IN ({marks(len(batch))}) AND {condition}"
            )
            found.update(row[0] for row in self._db.execute(sql, (*batch, *bound)))
        return found

    def _rows_with(self, token: str, within: Filter) -> list[str]:
        sql, values = "SELECT group_concat(rowid) FROM matches WHERE matches MATCH ?", [token]
        if within.narrow:
            condition, bound = where(within)
            sql = (
                "SELECT group_concat(m.rowid) FROM matches m CROSS JOIN postings p ON p.fragment = m.rowid "
                f"CROSS JOIN documents d ON d.id = p.document WHERE m.matches MATCH ? AND {condition}"
            )
            values += bound
        rows = self._db.execute(sql, values).get
        return rows.split(",") if rows else []

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        # What is hidden is few: asking for it once is cheaper than looking every document up.
        left_out = None if within.narrow else self.rows(within)
        joined, condition, bound = "", "", list[Any]()
        if within.narrow:
            condition, bound = where(within)
            joined, condition = "JOIN documents d ON d.id = p.document ", f" AND {condition}"
        found: list[Posting] = []
        for batch in batches(fragments):
            sql = (
                f"SELECT p.fragment, p.document, p.length, p.packed FROM postings p {joined}"
                f"WHERE p.fragment IN ({marks(len(batch))}){condition}"
            )
            found.extend(Posting(*row) for row in self._db.execute(sql, (*batch, *bound)))
        return found if left_out is None else [posting for posting in found if left_out.admits(posting.document)]

    # -- fragments and documents -----------------------------------------------------------------------------------

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

    def documents(self, ids: Sequence[int]) -> dict[int, StoredDocument]:
        known = {} if self._decoded is None else self._decoded.of(self.generation())
        for batch in batches([row for row in ids if row not in known]):
            sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id IN ({marks(len(batch))})"
            known.update((row[0], decode_document(row)) for row in self._db.execute(sql, tuple(batch)))
        return {row: known[row] for row in ids if row in known}

    def document(self, docid: str) -> StoredDocument | None:
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.docid = ?"
        row = self._db.execute(sql, (docid,)).fetchone()
        return None if row is None else decode_document(row)

    def find_documents(self, within: Filter, limit: int | None = None) -> list[StoredDocument]:
        condition, bound = where(within)
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE {condition} ORDER BY d.collection, d.path LIMIT ?"
        return [decode_document(row) for row in self._db.execute(sql, (*bound, -1 if limit is None else limit))]

    def called(self, keys: Sequence[str], within: Filter, limit: int) -> list[int]:
        condition, bound = where(within)
        sql = (
            "SELECT d.id FROM names n CROSS JOIN documents d ON d.id = n.document "
            f"WHERE n.key = ? AND {condition} ORDER BY n.document LIMIT ?"
        )
        found = (row[0] for key in sorted(keys) for row in self._db.execute(sql, (storable(key), *bound, limit)))
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
        return [decode_document(row) for row in self._db.execute(sql, (before,))]

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
        past = [decode_document(r) for r in self._db.execute(earlier, (*row, *bound, before))]
        future = [decode_document(r) for r in self._db.execute(later, (*row, document, *bound, after + 1))]
        return past[::-1] + future

    def rows(self, within: Filter) -> Rows | None:
        if within.narrow:
            condition, bound = where(within)
            admitted = self._db.execute(f"SELECT d.id FROM documents d WHERE {condition}", bound)
            return Rows(frozenset(row[0] for row in admitted), only=True)
        # As the partial index says it, so that it is used.
        condition = "vanished" if within.include_hidden else f"(hidden OR vanished) AND ({veiled(within)} OR vanished)"
        hidden = frozenset(row[0] for row in self._db.execute(f"SELECT id FROM documents WHERE {condition}"))
        return Rows(hidden, only=False) if hidden else None

    # -- sync ------------------------------------------------------------------------------------------------------

    def files(self, collection: str) -> dict[str, IndexedFile]:
        sql = (
            "SELECT docid, path, mtime_ns, file_size, inode, disk_path, raw_hash, body_hash, origin, vanished, "
            "committed_at "
            "FROM documents WHERE collection = ?"
        )
        return {
            (path := plain(row[1])): IndexedFile(
                row[0], path, FileState(*row[2:6]), row[6], row[7], row[8], bool(row[9]), row[10]
            )
            for row in self._db.execute(sql, (collection,))
        }

    def docids(self) -> dict[str, tuple[str, str]]:
        rows = self._db.execute("SELECT docid, collection, path FROM documents")
        return {docid: (collection, plain(path)) for docid, collection, path in rows}

    def skipped(self) -> list[Skipped]:
        rows = self._db.execute("SELECT collection, path, reason FROM skipped ORDER BY 1, 2")
        return [Skipped(collection, plain(path), plain(reason)) for collection, path, reason in rows]

    def collections(self) -> dict[str, CollectionState]:
        sql = (
            "SELECT c.name, c.root, c.scanned_at, (SELECT count(*) FROM documents d WHERE d.collection = c.name), "
            "c.held, c.vanished, c.settings, c.revision FROM collections c ORDER BY c.name"
        )
        return {row[0]: CollectionState(*row) for row in self._db.execute(sql)}

    def links_to(self, docid: str) -> list[str]:
        sql = "SELECT d.docid FROM links l JOIN documents d ON d.id = l.document WHERE l.target = ? ORDER BY 1"
        return [row[0] for row in self._db.execute(sql, (docid,))]

    def links_of(self, docid: str) -> list[str]:
        sql = "SELECT l.target FROM links l JOIN documents d ON d.id = l.document WHERE d.docid = ? ORDER BY 1"
        return [row[0] for row in self._db.execute(sql, (docid,))]

    def unlinked(self, collection: str, limit: int) -> list[tuple[StoredDocument, tuple[str, ...]]]:
        sql = (
            f"SELECT {DOCUMENT_COLUMNS}, d.links FROM documents d WHERE d.collection = ? AND NOT d.linked "
            "ORDER BY d.id LIMIT ?"
        )
        rows = self._db.execute(sql, (collection, limit))
        return [(decode_document(row), tuple(json.loads(row[-1] or "[]"))) for row in rows]

    def named(self, collection: str, stems: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for batch in batches(sorted(set(stems))):
            sql = f"SELECT path, docid FROM documents WHERE collection = ? AND stem IN ({marks(len(batch))})"
            rows = self._db.execute(sql, (collection, *map(storable, batch)))
            found.update((plain(path), docid) for path, docid in rows)
        return found

    # -- vectors ---------------------------------------------------------------------------------------------------

    def vectors(self, space: str, after: int = 0) -> VectorBlock:
        sql = "SELECT fragment, document, scale, vector FROM vectors WHERE space = ? AND fragment > ? ORDER BY fragment"
        return _block(self._db.execute(sql, (space, after)))

    def vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        rows: list[Any] = []
        for batch in batches(sorted(set(fragments))):
            sql = (
                "SELECT fragment, document, scale, vector FROM vectors "
                f"WHERE space = ? AND fragment IN ({marks(len(batch))}) ORDER BY fragment"
            )
            rows.extend(self._db.execute(sql, (space, *batch)))
        return _block(rows)

    def vector_removals(self) -> int:
        value = self._db.execute("SELECT value FROM counters WHERE key = 'vector_removals'").get
        return int(value)

    def last_vector(self, space: str) -> int:
        value = self._db.execute("SELECT max(fragment) FROM vectors WHERE space = ?", (space,)).get
        return int(value or 0)

    def vector_count(self, space: str | None = None) -> int:
        value = self._db.execute("SELECT count(*) FROM vectors WHERE ?1 IS NULL OR space = ?1", (space,)).get
        return int(value)

    def missing_vectors(self, space: str, limit: int, max_tries: int, after: int = 0) -> list[StoredFragment]:
        sql = (
            f"SELECT {FRAGMENT_COLUMNS} FROM fragments f LEFT JOIN vectors v ON v.space = ? AND v.fragment = f.id "
            "LEFT JOIN failures x ON x.space = ? AND x.fragment = f.id "
            "WHERE f.id > ? AND v.fragment IS NULL AND coalesce(x.tries, 0) < ? ORDER BY f.id LIMIT ?"
        )
        return [decode_fragment(row) for row in self._db.execute(sql, (space, space, after, max_tries, limit))]

    def spaces(self) -> list[str]:
        return sorted({row[0] for table in ("vectors", "failures") for row in self._db.execute(_SPACES.format(table))})

    def lacking(self, space: str) -> list[int]:
        # The index by fragment holds fragment and space alone: a fraction of the pages of the vectors.
        sql = (
            "SELECT p.fragment FROM postings p WHERE NOT EXISTS (SELECT 1 FROM vectors v INDEXED BY vectors_fragment "
            "WHERE v.fragment = p.fragment AND v.space = ?) ORDER BY p.fragment"
        )
        return [row[0] for row in self._db.execute(sql, (space,))]

    def failures(self, space: str) -> list[Failure]:
        sql = "SELECT fragment, tries, error FROM failures WHERE space = ? ORDER BY fragment"
        return [Failure(*row) for row in self._db.execute(sql, (space,))]

    # -- journal ---------------------------------------------------------------------------------------------------

    def registers(self, subject: str, prefix: str = "") -> dict[str, Any]:
        sql = "SELECT field, value FROM registers WHERE subject = ? AND field >= ? AND field < ?"
        rows = self._db.execute(sql, (subject, prefix, prefix + _BEYOND))
        return {field: json.loads(value) for field, value in rows}

    def members(self, subject: str) -> dict[str, tuple[int, int]]:
        sql = "SELECT name, count(*), max(at) FROM members WHERE subject = ? GROUP BY name"
        return {name: (count, at) for name, count, at in self._db.execute(sql, (subject,))}

    def keys(self, subject: str, name: str, limit: int | None = None) -> dict[str, int]:
        sql = "SELECT key, at FROM members WHERE subject = ? AND name = ? ORDER BY at DESC, key LIMIT ?"
        return dict(self._db.execute(sql, (subject, name, -1 if limit is None else limit)))

    def set_by(self, subject: str, field: str) -> str | None:
        row = self._db.execute("SELECT event FROM registers WHERE subject = ? AND field = ?", (subject, field))
        found: str | None = row.get
        return found

    def subjects_with(self, field: str, value: Any) -> list[str]:
        sql = "SELECT subject FROM registers WHERE field = ? AND value = ? ORDER BY subject"
        return [row[0] for row in self._db.execute(sql, (field, canonical(value)))]

    def orphans(self) -> list[tuple[str, str]]:
        sql = (
            "SELECT r.subject, d.docid FROM registers r CROSS JOIN documents d ON d.body_hash = r.value ->> '$' "
            "WHERE r.field = 'body_hash' AND NOT EXISTS (SELECT 1 FROM documents b WHERE b.docid = r.subject) "
            "AND NOT EXISTS (SELECT 1 FROM registers o WHERE o.subject = d.docid) ORDER BY 1, 2"
        )
        return list(self._db.execute(sql))

    def holders(self, field: str) -> dict[str, Any]:
        rows = self._db.execute("SELECT subject, value FROM registers WHERE field = ? ORDER BY subject", (field,))
        return {subject: json.loads(value) for subject, value in rows}

    def folded(self) -> str:
        registers = [list(row) for row in self._db.execute("SELECT * FROM registers ORDER BY subject, field")]
        members = [list(row) for row in self._db.execute("SELECT * FROM members ORDER BY subject, name, key")]
        return canonical({"registers": registers, "members": members})

    def journal_position(self) -> dict[str, Any]:
        text = self.meta("journal")
        return json.loads(text) if text else {}

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])


def _heaviest(weights: dict[str, float], count: int) -> list[int]:
    """Rows by falling weight, then falling number; only those that can be among them are made numbers and sorted."""
    least = heapq.nlargest(count, weights.values())[-1] if len(weights) > count else 0.0
    heavy = sorted(((weight, int(row)) for row, weight in weights.items() if weight >= least), reverse=True)
    return [row for _, row in heavy[:count]]


def _block(rows: Iterable[Any]) -> VectorBlock:
    import numpy as np

    fragments, documents, scales, parts = [], [], [], []
    for fragment, document, scale, vector in rows:
        fragments.append(fragment)
        documents.append(document)
        scales.append(scale)
        parts.append(vector)
    matrix = np.frombuffer(b"".join(parts), dtype=np.int8)
    return VectorBlock(
        np.array(fragments, dtype=np.int64),
        np.array(documents, dtype=np.int64),
        matrix.reshape(len(parts), -1) if parts else matrix.reshape(0, 0),
        np.array(scales, dtype=np.float32),
    )
