"""Reads postings and vectors, by which lanes find and judge fragments; and SQLite's own BM25 as a baseline."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any

import apsw

from hearth.core.lazy import loaded, regex
from hearth.ports import Failure, Filter, Posting, Rows, Statistics, TermRow, VectorBlock, VectorSpace, WantedTerm
from hearth.store.sqlite.read_documents import SqliteFragmentReader
from hearth.store.sqlite.read_states import BEYOND, NEWEST, WITHOUT, SqliteBase
from hearth.store.sqlite.rows import (
    batches,
    documents_of,
    marks,
    veiled,
    where,
)

# DISTINCT would walk the whole index of languages; this makes one step a language.
_LANGUAGES = (
    "WITH RECURSIVE found (language) AS (SELECT min(language) FROM documents UNION ALL SELECT (SELECT min(d.language) "
    "FROM documents d WHERE d.language > found.language) FROM found WHERE found.language IS NOT NULL) "
    "SELECT json_group_array(language ORDER BY language) FROM found WHERE language IS NOT NULL"
)
_STATISTICS = f"SELECT (SELECT json_group_object(key, value) FROM counters), ({_LANGUAGES})"
_NEWEST = NEWEST.format("matches")
_HOLDING = (
    "SELECT m.rowid FROM matches m CROSS JOIN postings p ON p.fragment = m.rowid "
    "CROSS JOIN documents d ON d.id = p.document WHERE m.matches MATCH ? AND"
)
# By collection: other indexes, and fragments, have many more of what is not wanted.
_FRAGMENTS_OF = (
    "SELECT f.id AS rowid FROM documents d INDEXED BY documents_stem CROSS JOIN fragments f ON f.document = d.id WHERE"
)
# Most documents of other collections that are listed as left out, where listing what is admitted would take longer.
_FEW_OTHERS = 2_000
# What a prominent place adds to a term's weight when candidates are chosen.
STRONG = 0.5
# Only this many of the newest rows of a term are listed: even the rarest word of a question may be in every note.
MOST_ROWS = 20_000


class SqliteFilterReader(SqliteBase):
    """Decides which documents a filter admits."""

    def _is_narrow(self, within: Filter) -> bool:
        """Whether to list what the filter admits. A filter that leaves out only hidden documents and a few small
        collections is cheaper to apply by listing what it leaves out."""
        if not within.narrow or not within.collections or replace(within, collections=()).narrow:
            return within.narrow
        return sum(self._collections[name] for name in self._other_collections(within)) > _FEW_OTHERS

    def _other_collections(self, within: Filter) -> list[str]:
        return sorted(self._collections.keys() - set(within.collections)) if within.collections else []

    @property
    def _collections(self) -> dict[str, int]:
        """How many documents each has."""
        return self._once("collections", self._count_collections)

    def _count_collections(self) -> dict[str, int]:
        start = documents_of("")
        counted = (self._read or {}).get("counters")
        if counted is None:
            sql = "SELECT key, value FROM counters WHERE key > ? AND key < ?"
            counted = dict(self._db.execute(sql, (start, start + BEYOND)))
        names = (key for key in counted if key.startswith(start))
        return {key.removeprefix(start): counted[key] + self._pending(key) for key in names}

    def rows(self, within: Filter) -> Rows | None:
        return self._once(within, lambda: self._list_rows(within))

    def _list_rows(self, within: Filter) -> Rows | None:
        if self._is_narrow(within):
            condition, bound = where(within)
            admitted = self._db.execute(f"SELECT d.id FROM documents d WHERE {condition}", bound)
            return Rows(frozenset(row[0] for row in admitted), only=True)
        # As the partial index says it, so that it is used.
        condition = "vanished" if within.include_hidden else f"(hidden OR vanished) AND ({veiled(within)} OR vanished)"
        sql, bound = f"SELECT id FROM documents WHERE {condition}", list[Any]()
        if others := self._other_collections(within):
            sql += f" UNION ALL SELECT id FROM documents WHERE collection IN ({marks(len(others))})"
            bound += others
        if within.unexpired_at is not None:
            sql += " UNION ALL SELECT id FROM documents WHERE ends_at IS NOT NULL AND ends_at <= ?"
            bound.append(within.unexpired_at)
        hidden = frozenset(row[0] for row in self._db.execute(sql, bound))
        return Rows(hidden, only=False) if hidden else None


class SqlitePostingReader(SqliteFilterReader):
    """Implements ``ports.PostingReader``."""

    def statistics(self) -> Statistics:
        return self._once("statistics", self._count)

    def _count(self) -> Statistics:
        counters, languages = self._db.execute(_STATISTICS).get
        known = json.loads(counters)
        if self._read is not None:
            self._read["counters"] = known
        documents, fragments, length = (known[name] for name in ("documents", "fragments", "length"))
        return Statistics(
            known["generation"], documents + self._pending("documents"), fragments, length, tuple(json.loads(languages))
        )

    def terms(self, terms: Iterable[str]) -> dict[str, TermRow]:
        wanted = list(terms)
        known: dict[str, TermRow | None] = {} if self._read is None else self._once("terms", dict)
        for batch in batches([term for term in wanted if term not in known]):
            sql = f"SELECT term, id, df, strong FROM terms WHERE df > 0 AND term IN ({marks(len(batch))})"
            known.update(dict.fromkeys(batch))
            known.update((row[0], TermRow(*row)) for row in self._db.execute(sql, tuple(batch)))
        return {term: row for term in wanted if (row := known[term]) is not None}

    def terms_with_prefix(self, prefix: str, limit: int) -> list[TermRow]:
        sql = (
            "SELECT term, id, df, strong FROM terms WHERE term >= ? AND term < ? AND df > 0 "
            "ORDER BY df DESC, term LIMIT ?"
        )
        return [TermRow(*row) for row in self._db.execute(sql, (prefix, prefix + BEYOND, limit))]

    def match(self, wanted: Sequence[WantedTerm], within: Filter, limit: int) -> list[int]:
        """Contentless FTS5 without positions can't rank, so each term's rows are listed and weighed here."""
        if len(wanted) == 1 and not self._is_narrow(within):
            return self._first_admitted(lambda count: self._match_one(wanted[0], count), within, limit)
        tokens: list[tuple[str, float]] = []
        for term in wanted:
            if not term.strong_only:
                tokens.append((str(term.row.id), term.weight))
            if term.row.strong:
                extra = term.weight * (1 + STRONG if term.strong_only else STRONG)
                tokens.append((f"s{term.row.id}", extra))
        names = [token for token, _ in tokens]
        if (numpy := loaded("numpy")) is not None and not self._is_narrow(within):
            rows, sums = _weigh_in_arrays(numpy, self._arrays(numpy, names), [weight for _, weight in tokens])
            return self._first_admitted(lambda count: _heaviest_in_arrays(numpy, rows, sums, count), within, limit)
        weights: dict[str, float] = {}
        postings = sum(term.row.df for term in wanted)
        find = self._rows_among if self._is_short(within, wanted, postings) else self._rows_with
        for rows, (_, weight) in zip(find(names, within), tokens, strict=True):
            _add(weights, rows, weight)
        return self._first_admitted(lambda count: _heaviest(weights, count), within, limit)

    def _match_one(self, wanted: WantedTerm, limit: int) -> list[int]:
        """The newest rows in which the term is prominent, then the newest others."""
        tokens = [f"s{wanted.row.id}"] if wanted.row.strong else []
        if not wanted.strong_only:
            tokens.append(str(wanted.row.id))
        found: dict[str, None] = {}
        for token in tokens:
            if len(found) < limit:
                (rows,) = self._search([(_NEWEST, (token, limit + len(found)))])
                found.update(dict.fromkeys(rows))
        return [int(row) for row in islice(found, limit)]

    def _first_admitted(self, find: Callable[[int], list[int]], within: Filter, limit: int) -> list[int]:
        """The first ``limit`` fragments that the filter admits. ``find`` takes a count and returns that many of the
        best; it is called with a larger count until enough of them are admitted."""
        if self._is_narrow(within) or self.rows(within) is None:
            return find(limit)
        wanted = limit
        while True:
            found = find(wanted)
            admitted = self._admit(found, within)
            kept = [row for row in found if row in admitted]
            if len(kept) >= limit or len(found) < wanted:
                return kept[:limit]
            wanted *= 4

    def _admit(self, fragments: Sequence[int], within: Filter) -> set[int]:
        condition, bound = where(within)
        found: set[int] = set()
        for batch in batches(fragments):
            sql = (
                "SELECT p.fragment FROM postings p JOIN documents d ON d.id = p.document "
                f"WHERE p.fragment IN ({marks(len(batch))}) AND {condition}"
            )
            found.update(row[0] for row in self._db.execute(sql, (*batch, *bound)))
        return found

    def _rows_with(self, tokens: Sequence[str], within: Filter) -> list[list[str]]:
        """The rows that hold each token."""
        rows, bound = _NEWEST, list[Any]([MOST_ROWS])
        if self._is_narrow(within):
            condition, bound = where(within)
            rows = f"{_HOLDING} {condition}"
        return self._search([(rows, (token, *bound)) for token in tokens])

    def _arrays(self, numpy: Any, tokens: Sequence[str]) -> list[Any]:
        """The rows that hold each token."""
        generation = self._counter("generation")
        known = {} if self._decoded is None else self._decoded.rows(generation)
        missing = [token for token in tokens if token not in known]
        lists = self._search_packed([(_NEWEST, (token, MOST_ROWS)) for token in missing])
        arrays = (numpy.fromstring(rows, dtype=numpy.int64, sep=",") for rows in lists)
        found = dict(zip(missing, arrays, strict=True))
        listed = [found[token] if token in found else known[token] for token in tokens]
        if self._decoded is not None:
            self._decoded.keep_rows(generation, found)
        return listed

    def _is_short(self, within: Filter, wanted: Sequence[WantedTerm], postings: int) -> bool:
        """Whether the collections that a narrow filter names hold fewer documents than there are postings, each of
        which would have to be looked up."""
        if not (self._is_narrow(within) and within.collections) or any(2 * one.row.df > MOST_ROWS for one in wanted):
            return False
        return sum(self._collections.get(name, 0) for name in within.collections) < postings

    def _rows_among(self, tokens: Sequence[str], within: Filter) -> list[list[str]]:
        """The rows that hold each token, of the fragments that the filter admits. These are listed once a transaction,
        along with the first search."""
        searches: list[tuple[str, Sequence[Any]]] = [(_NEWEST, (token, MOST_ROWS)) for token in tokens]
        known: frozenset[str] | None = (self._read or {}).get(("admitted", within))
        if known is None:
            condition, bound = where(within)
            admitted, *found = self._search([(f"{_FRAGMENTS_OF} {condition}", bound), *searches])
            known = frozenset(admitted)
            self._once(("admitted", within), lambda: known)
        else:
            found = self._search(searches)
        return [[row for row in rows if row in known] for rows in found]

    def postings(self, fragments: Sequence[int], within: Filter) -> list[Posting]:
        # Few documents are hidden: listing them once is cheaper than looking every document up.
        narrow = self._is_narrow(within)
        left_out = None if narrow else self.rows(within)
        joined, condition, bound = "", "", list[Any]()
        if narrow:
            condition, bound = where(within)
            joined, condition = "JOIN documents d ON d.id = p.document ", f" AND {condition}"
        found: list[Posting] = []
        for batch in batches(fragments):
            sql = (
                f"SELECT p.fragment, p.document, p.length, p.packed FROM postings p {joined}"
                f"WHERE p.fragment IN ({marks(len(batch))}){condition}"
            )
            found.extend(map(Posting._make, self._db.execute(sql, (*batch, *bound))))
        return found if left_out is None else [posting for posting in found if left_out.admits(posting.document)]


def _weigh_in_arrays(numpy: Any, lists: Sequence[Any], weights: Sequence[float]) -> tuple[Any, Any]:
    """All rows of the lists, and what each weighs. As ``_add`` sums up, in the same order, at a tenth of the time;
    where NumPy is not loaded, as without vectors, loading it would take longer."""
    sums = numpy.zeros(1 + max((int(rows[0]) for rows in lists if len(rows)), default=0))  # each list is newest first
    for rows, weight in zip(lists, weights, strict=True):
        sums[rows] += weight
    rows = numpy.flatnonzero(sums)
    return rows, sums[rows]


def _heaviest_in_arrays(numpy: Any, rows: Any, sums: Any, count: int) -> list[int]:
    """As ``_heaviest``."""
    if len(rows) > count:
        heavy = sums >= numpy.partition(sums, len(sums) - count)[len(sums) - count]
        rows, sums = rows[heavy], sums[heavy]
    found: list[int] = rows[numpy.lexsort((rows, sums))[::-1][:count]].tolist()
    return found


def _add(weights: dict[str, float], rows: Iterable[str], weight: float) -> None:
    known = weights.get
    for row in rows:
        weights[row] = known(row, 0.0) + weight


def _heaviest(weights: dict[str, float], count: int) -> list[int]:
    """The heaviest rows first, the newer one first at equal weight. Only rows heavy enough are converted and sorted."""
    least = heapq.nlargest(count, weights.values())[-1] if len(weights) > count else 0.0
    heavy = [(weight, int(row)) for row, weight in weights.items() if weight >= least]
    # Very many rows may have the same weight.
    return [row for _, row in heapq.nlargest(count, heavy)]


# DISTINCT would walk all of it, and a space has as many rows as the vault has fragments.
_SPACES = (
    "WITH RECURSIVE found (space) AS (SELECT min(space) FROM vectors UNION ALL SELECT (SELECT min(t.space) "
    "FROM vectors t WHERE t.space > found.space) FROM found WHERE found.space IS NOT NULL) SELECT space FROM found "
    "WHERE space IS NOT NULL"
)


class SqliteVectorReader(SqliteFragmentReader):
    """Implements ``ports.VectorReader``."""

    def spaces(self) -> dict[str, VectorSpace]:
        failures: dict[str, list[Failure]] = {}
        for space, *row in self._db.execute("SELECT * FROM failures ORDER BY space, fragment"):
            failures.setdefault(space, []).append(Failure(*row))
        names = {row[0] for row in self._db.execute(_SPACES)}
        return {
            name: VectorSpace(self.count_vectors(name) if name in names else 0, tuple(failures.get(name, ())))
            for name in sorted({*names, *failures})
        }

    def count_vectors(self, space: str) -> int:
        return int(self._db.execute("SELECT count(*) FROM vectors WHERE space = ?", (space,)).get)

    def lacking(self, space: str) -> list[int]:
        sql = f"SELECT p.id FROM fragments p {WITHOUT} ORDER BY p.id"
        return [row[0] for row in self._db.execute(sql, (space,))]

    def vectors(self, space: str, after: int = 0, fragments: Sequence[int] | None = None) -> VectorBlock:
        if fragments is not None:
            return self._vectors_of(space, fragments)
        sql = "SELECT fragment, document, scale, vector FROM vectors WHERE space = ? AND fragment > ? ORDER BY fragment"
        return _block(self._db.execute(sql, (space, after)))

    def _vectors_of(self, space: str, fragments: Sequence[int]) -> VectorBlock:
        rows: list[Any] = []
        for batch in batches(sorted(set(fragments))):
            sql = (
                "SELECT fragment, document, scale, vector FROM vectors "
                f"WHERE space = ? AND fragment IN ({marks(len(batch))}) ORDER BY fragment"
            )
            rows.extend(self._db.execute(sql, (space, *batch)))
        return _block(rows)

    def vectors_within(self, space: str, documents: Sequence[int], most: int) -> VectorBlock:
        rows: list[Any] = []
        for batch in batches(sorted(set(documents))):
            sql = (
                "SELECT f.id, f.document, v.scale, v.vector FROM fragments f "
                "LEFT JOIN vectors v ON v.space = ? AND v.fragment = f.id "
                f"WHERE f.document IN ({marks(len(batch))}) ORDER BY f.document, f.seq"
            )
            for _, parts in groupby(self._db.execute(sql, (space, *batch)), key=lambda row: row[1]):
                kept: list[Any] = []
                whole = True
                for row in parts:
                    whole = whole and row[2] is not None
                    if len(kept) < most:
                        kept.append(row)
                rows.extend(kept if whole else ())
        return _block(rows)

    def vector_removals(self) -> int:
        return self._counter("vector_removals")

    def last_vector(self, space: str) -> int:
        value = self._db.execute("SELECT max(fragment) FROM vectors WHERE space = ?", (space,)).get
        return int(value or 0)


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


_WORD = regex(r"\w+")


class Bm25Baseline:
    """FTS5 with ``unicode61`` and stop words out, in memory."""

    def __init__(self, fragments: Iterable[tuple[int, str]], stop_words: frozenset[str]) -> None:
        self._stop = stop_words
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE f USING fts5(t, content='', tokenize='porter unicode61')")
        with self._db:
            self._db.executemany("INSERT INTO f (rowid, t) VALUES (?, ?)", fragments)

    def search(self, text: str, limit: int) -> list[int]:
        words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
        words = [word for word in words if word not in self._stop] or words
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?"
        return [row[0] for row in self._db.execute(sql, (query, limit))]

    def close(self) -> None:
        self._db.close()
