"""The embedding cache: vectors by model and text, in a file of their own, so that a rebuild embeds nothing again."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from hearth.errors import Unavailable
from hearth.store.sqlite.connection import Unreadable, connect, scrub
from hearth.store.sqlite.reader import batches, marks

if TYPE_CHECKING:
    from hearth.ports import Bytes

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    space TEXT NOT NULL, key BLOB NOT NULL, scale REAL NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (space, key)
) WITHOUT ROWID;
"""
_KEY_BYTES = 16


def text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_KEY_BYTES]


class SqliteEmbeddings:
    """Implements ``ports.EmbeddingCache``. Losing the file costs time, nothing else: where it can't be read or
    written, the vectors are made anew. ``limit`` bounds the entries; the space that filled it makes room."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._db: apsw.Connection | None = None
        self._lock = threading.Lock()
        self.problem: str | None = None

    def get(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> (int8 vector, scale), for those that are known."""
        keys = [text_key(text) for text in texts]
        import numpy as np

        known: dict[bytes, tuple[Bytes, float]] = {}
        with self._lock:
            db = self._opened()
            if db is None:
                return {}
            try:
                for batch in batches(keys):
                    sql = f"SELECT key, scale, vector FROM vectors WHERE space = ? AND key IN ({marks(len(batch))})"
                    for key, scale, vector in db.execute(sql, (space, *batch)):
                        known[bytes(key)] = (np.frombuffer(vector, dtype=np.int8), scale)
            except apsw.Error as error:
                self._give_up(error)
        return {at: known[key] for at, key in enumerate(keys) if key in known}

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None:
        rows = [(space, text_key(text), float(scale), vector.tobytes()) for text, (vector, scale) in vectors.items()]
        with self._lock:
            db = self._opened()
            if db is None or not self._limit:
                return
            try:
                with db:
                    db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", sorted(rows))
            except apsw.Error as error:
                self._give_up(error)

    def trim(self) -> int:
        """Removes entries above the limit; how many went."""
        with self._lock:
            db = self._opened()
            if db is None:
                return 0
            try:
                excess = int(db.execute("SELECT count(*) FROM vectors").get) - self._limit
                if excess > 0:
                    sql = "DELETE FROM vectors WHERE (space, key) IN (SELECT space, key FROM vectors LIMIT ?)"
                    db.execute(sql, (excess,))
            except apsw.Error as error:
                self._give_up(error)
                return 0
        return max(0, excess)

    def keep(self, texts: Iterable[str]) -> bool:
        with self._lock:
            if not self._path.exists():
                return True
            db = self._opened()
            if db is None:
                return False
            try:
                db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY) WITHOUT ROWID")
                db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((text_key(text),) for text in texts))
                db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM kept); DROP TABLE kept")
                return scrub(db)
            except apsw.Error as error:
                self._give_up(error)
                return False

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _opened(self) -> apsw.Connection | None:
        if self._db is None and self.problem is None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._db = connect(self._path)
                self._db.execute("PRAGMA synchronous = OFF")
                self._db.execute(_SCHEMA)
            except (OSError, Unreadable, Unavailable, apsw.Error) as error:
                self._give_up(error)
        return self._db

    def _give_up(self, error: Exception) -> None:
        self.problem = f"embedding cache {self._path} is not used: {error}"
        if self._db is not None:
            self._db.close()
            self._db = None
