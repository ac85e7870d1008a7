"""The embedding cache: vectors by model and text, in a file of their own, so that a rebuild embeds nothing again."""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.connection import scrub
from hearth.store.sqlite.side import SideFile

if TYPE_CHECKING:
    from hearth.ports import Bytes

# ``seal`` is a checksum of the rest: a vector that the disk changed would else go into every index from now on. The
# table of another name is that of a form without.
_SCHEMA = """
DROP TABLE IF EXISTS vectors;
CREATE TABLE IF NOT EXISTS sealed (
    space TEXT NOT NULL, key BLOB NOT NULL, scale REAL NOT NULL, vector BLOB NOT NULL, seal BLOB NOT NULL,
    PRIMARY KEY (space, key)
) WITHOUT ROWID;
"""
_KEY_BYTES = 16
_SEAL_BYTES = 8
# Entries of a passing look.
_SAMPLE = 5_000


def text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()[:_KEY_BYTES]


def seal(space: str, key: bytes, scale: float, vector: bytes) -> bytes:
    data = b"\0".join((space.encode("utf-8", "replace"), key, struct.pack("<d", scale), vector))
    return hashlib.blake2b(data, digest_size=_SEAL_BYTES).digest()


def _seal_of(row: tuple[Any, ...]) -> bytes | None:
    """``None`` where the damage changed what kind of value a column holds."""
    try:
        return seal(*row[:4])
    except (AttributeError, TypeError, struct.error):
        return None


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
            broken: list[tuple[str, bytes]] = []
            for batch in batches(keys):
                sql = f"SELECT key, scale, vector, seal FROM sealed WHERE space = ? AND key IN ({marks(len(batch))})"
                for key, scale, vector, found in db.execute(sql, (space, *batch)):
                    if found == _seal_of((space, key, scale, vector)):
                        known[bytes(key)] = (np.frombuffer(vector, dtype=np.int8), scale)
                    else:
                        broken.append((space, key))
            if broken:
                db.executemany("DELETE FROM sealed WHERE space = ? AND key = ?", broken)
            return {at: known[key] for at, key in enumerate(keys) if key in known}

        return self._file.tried(read, {})

    def put(self, space: str, vectors: Mapping[str, tuple[Bytes, float]]) -> None:
        if not self._limit:
            return
        rows = [(space, text_key(text), float(scale), vector.tobytes()) for text, (vector, scale) in vectors.items()]
        sealed = [(*row, seal(*row)) for row in sorted(rows)]

        def write(db: apsw.Connection) -> None:
            with db:
                db.executemany("INSERT OR REPLACE INTO sealed VALUES (?, ?, ?, ?, ?)", sealed)

        self._file.tried(write, None)

    def trim(self) -> int:
        """Removes entries above the limit; how many went."""

        def remove(db: apsw.Connection) -> int:
            excess = int(db.execute("SELECT count(*) FROM sealed").get) - self._limit
            if excess > 0:
                sql = "DELETE FROM sealed WHERE (space, key) IN (SELECT space, key FROM sealed LIMIT ?)"
                db.execute(sql, (excess,))
            return max(0, excess)

        return self._file.tried(remove, 0)

    def keep(self, texts: Iterable[str]) -> bool:
        def erase(db: apsw.Connection) -> bool:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY) WITHOUT ROWID")
            db.execute("DELETE FROM kept")
            db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((text_key(text),) for text in texts))
            db.execute("DELETE FROM sealed WHERE key NOT IN (SELECT key FROM kept); DROP TABLE kept")
            return scrub(db)

        return not self._file.path.exists() or self._file.tried(erase, False)

    def check(self, *, deep: bool = False) -> str | None:
        def look(db: apsw.Connection) -> str | None:
            found = str(db.execute("PRAGMA quick_check(1)").fetchall()[0][0])
            if found != "ok":
                return f"{self._file.path} is damaged: {found}"
            where, given = ("", ()) if deep else ("WHERE key >= ? LIMIT ?", (os.urandom(_KEY_BYTES), _SAMPLE))
            rows = db.execute(f"SELECT space, key, scale, vector, seal FROM sealed {where}", given)
            broken = sum(row[4] != _seal_of(row) for row in rows)
            return f"{broken:,} entries of {self._file.path} are damaged" if broken else None

        if not self._file.path.exists():
            return None
        return self._file.tried(look, None) or self._file.problem

    def empty(self) -> None:
        self._file.discard()

    def close(self) -> None:
        self._file.close()
