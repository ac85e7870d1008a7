"""Writes fragments with postings and terms, vectors and the journal's state, and keeps the counts that all share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain, count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.core.document import AnalyzedFragment
from hearth.core.graph import SPACE
from hearth.core.journal import Member, Register
from hearth.ports import RecordVectors
from hearth.store.sqlite.read_search import SqliteVectorReader
from hearth.store.sqlite.read_states import SqliteBase
from hearth.store.sqlite.rows import batches, canonical, chunks, marks
from hearth.text.terms import Packed, pack, prominent

if TYPE_CHECKING:
    from hearth.ports import Bytes


# Rows passed to SQLite as one JSON text.
_BULK = 10_000
_COUNT_TERMS = (
    "UPDATE terms SET df = df + (j.value ->> 0), strong = strong + (j.value ->> 1) FROM json_each(?) j "
    "WHERE terms.id = j.value ->> 2"
)
_COUNT = (
    "INSERT INTO counters SELECT key, value FROM json_each(?) WHERE true "
    "ON CONFLICT DO UPDATE SET value = value + excluded.value"
)
_NEW_TERMS = (
    "INSERT INTO terms (id, term, df, strong) SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 "
    "FROM json_each(?)"
)
# The last ids that were given, beside the ids of terms, which are looked up first.
_TAKEN = "SELECT name, seq, 1 FROM sqlite_sequence"


# Rows written by one statement.
_FOLDED = 50
_NEWER_REGISTER = (
    "value = excluded.value, hlc = excluded.hlc, machine = excluded.machine, event = excluded.event "
    "WHERE (excluded.hlc, excluded.machine, excluded.event) > (hlc, machine, event)"
)
_NEWER_MEMBER = "at = max(at, excluded.at)"


class SqliteWriterBase(SqliteBase):
    """One write transaction. New terms and document frequencies are gathered and written once, by ``finish``.

    Until then each statement writes one row (``executemany``): SQLite guards one that may fail halfway by a savepoint,
    at which FTS5 flushes what it has gathered, so that each document would make a segment of its own."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._df: Counter[int] = Counter()
        self._strong: Counter[int] = Counter()
        self._counters: Counter[str] = Counter()
        self._ids: dict[str, int] = {}
        self._new: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._before: int = connection.total_changes()
        # Rows changed by folding events. These don't raise the generation, so that caches stay valid.
        self._folded = 0

    def _pending(self, counter: str) -> int:
        return self._counters[counter]

    def _settle_means(self, condition: str, values: Iterable[tuple[Any, ...]]) -> None:
        """Copies into means the vectors that they refer to, before those are removed."""
        vector = "SELECT vector FROM vectors WHERE space = (SELECT value FROM meta WHERE key = ?1)"
        sql = f"UPDATE means SET vector = ({vector} AND fragment = means.fragment), fragment = NULL WHERE {condition}"
        self._db.executemany(f"{sql} AND fragment IS NOT NULL", [(SPACE, *bound) for bound in values])

    def finish(self) -> None:
        """Writes the sums; called once, before the commit."""
        new = [(identity, term, self._df[identity], self._strong[identity]) for term, identity in self._new.items()]
        for terms in chunks(new, _BULK):
            self._db.execute(_NEW_TERMS, (json.dumps(terms),))
        known = (self._df.keys() | self._strong.keys()).difference(self._new.values())
        rows = [(self._df[term], self._strong[term], term) for term in known]
        for batch in chunks(rows, _BULK):
            self._db.execute(_COUNT_TERMS, (json.dumps(batch),))
        if self._db.total_changes() - self._before > self._folded:
            self._counters["generation"] += 1
        if self._counters:
            self._db.execute(_COUNT, (json.dumps(self._counters),))

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """What hangs together is no change of what is there, and what is kept in memory stays good."""
        before = self._db.total_changes()
        yield
        self._folded += self._db.total_changes() - before


class SqliteStateWriter(SqliteWriterBase):
    """Implements ``ports.StateWriter``."""

    def fold(self, primitives: Iterable[Register | Member], *, anew: bool = False) -> None:
        for table in ("registers", "members") if anew else ():
            self._db.execute(f"DELETE FROM {table}")
        registers: list[tuple[Any, ...]] = []
        members: list[tuple[Any, ...]] = []
        for item in primitives:
            if isinstance(item, Register):
                registers.append((item.subject, item.field, canonical(item.value), *item.stamp))
            else:
                members.append((item.subject, item.name, item.key, item.at))
        with self._aside():
            for table, rows, newer in (("registers", registers, _NEWER_REGISTER), ("members", members, _NEWER_MEMBER)):
                for batch in chunks(rows, _FOLDED):
                    row = f"({marks(len(batch[0]))})"
                    values = ", ".join([row] * len(batch))
                    sql = f"INSERT INTO {table} VALUES {values} ON CONFLICT DO UPDATE SET {newer}"
                    self._db.execute(sql, tuple(chain.from_iterable(batch)))

    def set_meta(self, key: str, value: str, *, aside: bool = False) -> None:
        with self._aside() if aside else nullcontext():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


class SqliteVectorWriter(SqliteWriterBase, SqliteVectorReader):
    """Implements ``ports.VectorWriter``."""

    def put_vectors(
        self,
        space: str,
        fragments: Sequence[int],
        vectors: Sequence[Bytes],
        scales: Sequence[float],
        failures: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        self._note_failures(space, failures)
        if not fragments:
            return
        last = self.last_vector(space)
        self._counters["vector_removals"] += sum(int(fragment) <= last for fragment in fragments)
        document = "(SELECT document FROM postings WHERE fragment = ?2)"
        self._settle_means(f"document = {document}", ((int(one),) for one in fragments if int(one) <= last))
        rows = [
            (space, float(scale), vector.tobytes(), int(fragment))
            for fragment, vector, scale in zip(fragments, vectors, scales, strict=True)
        ]
        self._db.executemany(
            "INSERT OR REPLACE INTO vectors (space, fragment, document, scale, vector) "
            "SELECT ?1, fragment, document, ?2, ?3 FROM postings WHERE fragment = ?4",
            rows,
        )
        fragments_done = [(space, row[3]) for row in rows]
        self._db.executemany("DELETE FROM failures WHERE space = ? AND fragment = ?", fragments_done)
        self._db.executemany(
            "UPDATE documents SET related = NULL WHERE related IS NOT NULL "
            "AND id = (SELECT document FROM postings WHERE fragment = ?)",
            [(row[3],) for row in rows],
        )

    def _note_failures(self, space: str, failures: Mapping[int, str]) -> None:
        self._db.executemany(
            "INSERT INTO failures SELECT ?1, id, 1, ?3 FROM fragments WHERE id = ?2 "
            "ON CONFLICT DO UPDATE SET tries = tries + 1, error = excluded.error",
            [(space, fragment, error) for fragment, error in failures.items()],
        )

    def drop_space(self, space: str) -> None:
        self._settle_means("?2 = (SELECT value FROM meta WHERE key = ?1)", [(space,)])
        before = self._db.total_changes()
        self._db.execute("DELETE FROM vectors WHERE space = ?", (space,))
        self._counters["vector_removals"] += self._db.total_changes() - before
        self._db.execute("DELETE FROM failures WHERE space = ?", (space,))


class FragmentRow(NamedTuple):
    """A fragment as the tables hold it; ``columns`` are those of ``fragments`` after the document."""

    columns: tuple[Any, ...]
    length: int
    packed: bytes
    terms: Sequence[int]
    strong: Sequence[int]


class SqliteFragmentWriter(SqliteWriterBase):
    """Writes and clears a document's fragments, postings and terms."""

    def _make_rows(self, fragments: Sequence[AnalyzedFragment]) -> list[FragmentRow]:
        ids = self._term_ids(set().union(*(item.terms for item in fragments)))
        return [_make_row(item, ids) for item in fragments]

    def _read_columns(self, document: int) -> dict[tuple[Any, ...], int]:
        """The ids of a document's stored fragments by ``fragment_columns``."""
        sql = (
            "SELECT seq, kind, start_line, end_line, start_byte, end_byte, headings, context, text, id "
            "FROM fragments WHERE document = ?"
        )
        return {row[:-1]: row[-1] for row in self._db.execute(sql, (document,))}

    def _put_fragments(self, document: int, rows: Sequence[FragmentRow]) -> int:
        """Gives the id of the first; those of the others follow."""
        first = self._take_ids("fragments", len(rows))
        texts, postings, matches = [], [], []
        for identity, row in enumerate(rows, first):
            texts.append((identity, document, *row.columns))
            postings.append((identity, document, row.length, row.packed))
            words = [*map(str, row.terms), *(f"s{term}" for term in row.strong)]
            matches.append((identity, " ".join(words)))
            self._df.update(row.terms)
            self._strong.update(row.strong)
            self._counters["length"] += row.length
        self._counters["fragments"] += len(rows)
        self._db.executemany(f"INSERT INTO fragments VALUES ({marks(11)})", texts)
        self._db.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", postings)
        self._db.executemany("INSERT INTO matches (rowid, terms) VALUES (?, ?)", matches)
        return first

    def _put_new_vectors(self, document: int, vectors: RecordVectors, places: Mapping[int, int]) -> None:
        """``places`` are those of fragments in the record, by their ids. Nothing refers to ids that are new."""
        space, levels, scales = vectors
        rows = [(space, fragment, document, scales[at], levels[at].tobytes()) for fragment, at in places.items()]
        self._db.executemany(
            "INSERT INTO vectors (space, fragment, document, scale, vector) VALUES (?, ?, ?, ?, ?)", rows
        )

    def merge_terms(self) -> None:
        self._db.execute("INSERT INTO matches (matches) VALUES ('optimize')")

    def _term_ids(self, wanted: set[str]) -> dict[str, int]:
        """Ids of the wanted terms and others; new terms, which ``finish`` writes, get theirs here. The documents of a
        batch share most."""
        known = self._ids
        # Not ``wanted - known.keys()``, which walks over all known terms.
        for batch in batches([term for term in wanted if term not in known]):
            sql = f"SELECT term, id, 0 FROM terms WHERE term IN ({marks(len(batch))})"
            rows: list[Any] = self._db.execute(
                sql if self._last else f"{sql} UNION ALL {_TAKEN}", tuple(batch)
            ).fetchall()
            known.update((term, identity) for term, identity, taken in rows if not taken)
            self._note_taken(row for row in rows if row[2])
        new = sorted(term for term in wanted if term not in known)
        if new:
            self._new.update(zip(new, count(self._take_ids("terms", len(new))), strict=False))
            known.update((term, self._new[term]) for term in new)
        return known

    def _note_taken(self, rows: Iterable[Any]) -> None:
        if not self._last:
            self._last = {"terms": 0, "fragments": 0} | {name: last for name, last, _ in rows}

    def _take_ids(self, table: str, amount: int) -> int:
        """The first of ``amount`` unused ids of a table. Nobody else takes any during a write transaction."""
        self._note_taken(self._db.execute(_TAKEN) if not self._last else ())
        first = self._last[table] + 1
        self._last[table] += amount
        return first

    def _clear(self, document: int, kept: Collection[int] = ()) -> None:
        """Removes everything derived from a document except its row and the ``kept`` fragments."""
        sql = (
            "SELECT p.fragment, p.length, p.packed FROM fragments f JOIN postings p ON p.fragment = f.id "
            "WHERE f.document = ?"
        )
        rows = [row for row in self._db.execute(sql, (document,)) if row[0] not in kept]
        for _, length, packed in rows:
            terms = Packed(packed)
            self._df.subtract(terms.ids())
            self._strong.subtract(terms.strong_ids())
            self._counters["length"] -= length
        self._counters["fragments"] -= len(rows)
        fragments = [(row[0],) for row in rows]
        self._db.executemany("DELETE FROM matches WHERE rowid = ?", fragments)
        if fragments:
            self._settle_means("document = ?2", [(document,)])
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM vectors WHERE fragment = ?", fragments)
        self._counters["vector_removals"] += self._db.total_changes() - before
        for table in ("failures", "postings"):
            self._db.executemany(f"DELETE FROM {table} WHERE fragment = ?", fragments)
        self._db.executemany("DELETE FROM fragments WHERE id = ?", fragments)
        for table in ("mentions", "names"):
            self._db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
        self._db.execute("DELETE FROM spelled WHERE rowid = ?", (document,))


def fragment_columns(item: AnalyzedFragment) -> tuple[Any, ...]:
    """The columns that tell fragments of a document apart: equal ones need not be written again, as long as the
    document keeps its names and language."""
    part = item.fragment
    return (part.seq, part.kind, part.start_line, part.end_line, item.start_byte, item.end_byte,
            canonical(list(part.headings)), part.context, part.text)  # fmt: skip


def _make_row(item: AnalyzedFragment, ids: Mapping[str, int]) -> FragmentRow:
    """``ids`` maps its terms to their ids."""
    numbers = list(map(ids.__getitem__, item.terms))
    counts = item.terms.values()
    strong = [term for term, count in zip(numbers, counts, strict=True) if prominent(count)]
    return FragmentRow(fragment_columns(item), item.length, pack(zip(numbers, counts, strict=True)), numbers, strong)
