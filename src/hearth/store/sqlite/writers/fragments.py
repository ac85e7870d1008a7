"""What is derived from a document's text: its fragments with their postings and terms."""

from __future__ import annotations

from collections.abc import Sequence

from hearth.model.fragment import AnalyzedFragment
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.rows import canonical
from hearth.store.sqlite.writers.base import SqliteWriterBase
from hearth.text.packed import Packed, pack, prominent


class SqliteFragmentWriter(SqliteWriterBase):
    """Puts and clears what a document's row does not hold itself."""

    def _put_fragments(self, document: int, fragments: Sequence[AnalyzedFragment]) -> None:
        ids = self._term_ids(set().union(*(item.terms for item in fragments)))
        texts, postings, matches = [], [], []
        for identity, item in enumerate(fragments, self._take_ids("fragments", len(fragments))):
            part = item.fragment
            headings = canonical(list(part.headings))
            texts.append(
                (identity, document, part.seq, part.kind, part.start_line, part.end_line, item.start_byte,
                 item.end_byte, headings, part.context, part.text)
            )  # fmt: skip
            numbers = list(map(ids.__getitem__, item.terms))
            counts = item.terms.values()
            strong = [term for term, count in zip(numbers, counts, strict=True) if prominent(count)]
            postings.append((identity, document, item.length, pack(zip(numbers, counts, strict=True))))
            words = [*map(str, numbers), *(f"s{term}" for term in strong)]
            matches.append((identity, " ".join(words)))
            self._df.update(numbers)
            self._strong.update(strong)
            self._counters["length"] += item.length
        self._counters["fragments"] += len(fragments)
        self._db.executemany(f"INSERT INTO fragments VALUES ({marks(11)})", texts)
        self._db.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", postings)
        self._db.executemany("INSERT INTO matches (rowid, terms) VALUES (?, ?)", matches)

    def _term_ids(self, wanted: set[str]) -> dict[str, int]:
        """Ids of the wanted terms and others; new terms get theirs here. The documents of a batch share most."""
        known = self._ids
        # Not ``wanted - known.keys()``, which walks through all that is known.
        for batch in batches([term for term in wanted if term not in known]):
            sql = f"SELECT term, id FROM terms WHERE term IN ({marks(len(batch))})"
            known.update(self._db.execute(sql, tuple(batch)))
        new = sorted(term for term in wanted if term not in known)
        if new:
            rows = list(enumerate(new, self._take_ids("terms", len(new))))
            self._db.executemany("INSERT INTO terms (id, term, df, strong) VALUES (?, ?, 0, 0)", rows)
            known.update((term, identity) for identity, term in rows)
        return known

    def _take_ids(self, table: str, count: int) -> int:
        """The first of ``count`` ids that no row of the table has had. Nobody else takes any during a transaction."""
        if table not in self._last:
            sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = ?"
            self._last[table] = self._db.execute(sql, (table,)).get or 0
        first = self._last[table] + 1
        self._last[table] += count
        return first

    def _clear(self, document: int) -> None:
        """Removes everything derived from a document, its row excepted."""
        rows = list(
            self._db.execute(
                "SELECT p.fragment, p.length, p.packed FROM fragments f JOIN postings p ON p.fragment = f.id "
                "WHERE f.document = ?",
                (document,),
            )
        )
        for _, length, packed in rows:
            terms = Packed(packed)
            self._df.subtract(terms.ids())
            self._strong.subtract(terms.strong_ids())
            self._counters["length"] -= length
        self._counters["fragments"] -= len(rows)
        fragments = [(row[0],) for row in rows]
        self._db.executemany("DELETE FROM matches WHERE rowid = ?", fragments)
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM vectors WHERE fragment = ?", fragments)
        self._counters["vector_removals"] += self._db.total_changes() - before
        for table in ("failures", "postings"):
            self._db.executemany(f"DELETE FROM {table} WHERE fragment = ?", fragments)
        for table in ("fragments", "mentions", "names"):
            self._db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
