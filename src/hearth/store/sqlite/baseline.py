"""The baseline that every search is compared with: SQLite's own BM25, OR over the words, over the same fragments."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from hearth.core.lazy import regex

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
