"""The embedding cache: vectors by model and text, in a file of their own, so that a rebuild embeds nothing again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from hearth.store.sqlite.connection import scrub
from hearth.store.sqlite.reader import batches, marks
from hearth.store.sqlite.side import SideFile

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
        self._file = SideFile(path, "embedding cache", _SCHEMA)
        self._limit = limit

    @property
    def problem(self) -> str | None:
        return self._file.problem

    def get(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> (int8 vector, scale), for those that are known."""
        import numpy as np

        keys = [text_key(text) for text in texts]

        def read(db: apsw.Connection) -> dict[int, tuple[Bytes, float]]:
            known: dict[bytes, tuple[Bytes, float]] = {}
            for batch in batches(keys):
                sql = f"SELECT key, scale, vector FROM vectors WHERE space = ? AND key IN ({marks(len(batch))})"
                for key, scale, vector in db.execute(sql, (space, *batch)):
                    known[bytes(key)] = (np.frombuffer(vector, dtype=np.int8), scale)
            return {at: known[key] for at, key in enumerate(keys) if key in known}

        return self._file.tried(read, {})

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None:
        if not self._limit:
            return
        rows = [(space, text_key(text), float(scale), vector.tobytes()) for text, (vector, scale) in vectors.items()]

        def write(db: apsw.Connection) -> None:
            with db:
                db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", sorted(rows))

        self._file.tried(write, None)

    def trim(self) -> int:
        """Removes entries above the limit; how many went."""

        def remove(db: apsw.Connection) -> int:
            excess = int(db.execute("SELECT count(*) FROM vectors").get) - self._limit
            if excess > 0:
                sql = "DELETE FROM vectors WHERE (space, key) IN (SELECT space, key FROM vectors LIMIT ?)"
                db.execute(sql, (excess,))
            return max(0, excess)

        return self._file.tried(remove, 0)

    def keep(self, texts: Iterable[str]) -> bool:
        def erase(db: apsw.Connection) -> bool:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY) WITHOUT ROWID")
            db.execute("DELETE FROM kept")
            db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((text_key(text),) for text in texts))
            db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM kept); DROP TABLE kept")
            return scrub(db)

        return not self._file.path.exists() or self._file.tried(erase, False)

    def close(self) -> None:
        self._file.close()
