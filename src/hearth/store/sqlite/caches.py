"""Caches beside the index, each in a file of its own: vectors by model and text, a reranker's scores."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from hearth.core.document import Curve
from hearth.core.errors import Unavailable
from hearth.core.files import make_folder
from hearth.ports import RerankCheck
from hearth.store.sqlite.connection import Unreadable, close, connect, scrub
from hearth.store.sqlite.rows import batches, marks

if TYPE_CHECKING:
    from hearth.ports import Bytes

_Found = TypeVar("_Found")


class SideFile:
    """Opened when first used; ``what`` names it for people. ``busy_ms`` is how long one waits for another process,
    ``None`` for as long as for the index. ``problem`` says why the file is not used."""

    def __init__(self, path: Path, what: str, schema: str, busy_ms: int | None = None) -> None:
        self.path = path
        self.problem: str | None = None
        self._what = what
        self._schema = schema
        self._busy_ms = busy_ms
        self._db: apsw.Connection | None = None
        self._lock = threading.Lock()
        self._closed = False

    def tried(self, work: Callable[[apsw.Connection], _Found], otherwise: _Found) -> _Found:
        """What the work gives; where the file is busy or can't be used, ``otherwise``."""
        with self._lock:
            db = self._open()
            if db is None:
                return otherwise
            try:
                return work(db)
            except apsw.BusyError:
                return otherwise
            except apsw.Error as error:
                self._give_up(error)
                return otherwise
            finally:
                if self._busy_ms is not None and self._db is not None:
                    self._db.set_busy_timeout(self._busy_ms)

    def close(self) -> None:
        """For good: whoever comes late must not open the file again."""
        with self._lock:
            self._closed = True
            self._drop()

    def discard(self) -> None:
        """Removes the file, damaged or not; the next use makes a new one. Raises ``OSError``."""
        with self._lock:
            self._drop()
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            self.problem = None

    def _open(self) -> apsw.Connection | None:
        if self._db is None and self.problem is None and not self._closed:
            try:
                make_folder(self.path.parent)
                db = connect(self.path)
                if self._busy_ms is not None:
                    db.set_busy_timeout(self._busy_ms)
                db.execute("PRAGMA synchronous = OFF")
                db.execute(self._schema)
                self._db = db
            except (OSError, Unreadable, Unavailable, apsw.Error) as error:
                self._give_up(error)
        return self._db

    def _give_up(self, error: Exception) -> None:
        self.problem = f"{self._what} {self.path} is not used: {error}; delete the file if it stays so"
        self._drop()

    def _drop(self) -> None:
        if self._db is not None:
            close(self._db)
            self._db = None


# ``seal`` is a checksum of the rest: a vector that the disk changed would else go into every index from now on. The
# table of another name is that of a form without.
_EMBEDDING_SCHEMA = """
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
        self._file = SideFile(path, "embedding cache", _EMBEDDING_SCHEMA)
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


_RERANK_SCHEMA = """
CREATE TABLE IF NOT EXISTS scores (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, score REAL NOT NULL);
CREATE TABLE IF NOT EXISTS checks (model TEXT PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID;
"""
# About 6 MB.
ENTRIES = 100_000
_CHECKS = 20
# A search doesn't wait longer for what is only a saving.
_BUSY_MS = 200


def pair_key(model: str, question: str, text: str) -> bytes:
    """One hash of all three: the file tells nobody what was asked."""
    parts = (hashlib.sha256(part.encode("utf-8", "replace")).digest() for part in (model, question, text))
    return hashlib.sha256(b"".join(parts)).digest()[:_KEY_BYTES]


class SqliteReranks:
    """Implements ``ports.RerankCache``. ``limit`` bounds the scores."""

    def __init__(self, path: Path, limit: int = ENTRIES) -> None:
        self._file = SideFile(path, "the cache of reranked scores", _RERANK_SCHEMA, _BUSY_MS)
        self._limit = limit

    @property
    def problem(self) -> str | None:
        return self._file.problem

    def get(self, model: str, question: str, texts: Sequence[str]) -> dict[int, float]:
        keys = [pair_key(model, question, text) for text in texts]

        def read(db: apsw.Connection) -> dict[int, float]:
            known: dict[bytes, float] = {}
            for batch in batches(keys):
                known.update(db.execute(f"SELECT key, score FROM scores WHERE key IN ({marks(len(batch))})", batch))
            return {at: known[key] for at, key in enumerate(keys) if key in known}

        return self._file.tried(read, {})

    def put(self, model: str, question: str, scores: Mapping[str, float]) -> None:
        rows = [(pair_key(model, question, text), score) for text, score in scores.items()]

        def write(db: apsw.Connection) -> None:
            with db:
                db.executemany("INSERT OR REPLACE INTO scores (key, score) VALUES (?, ?)", rows)
                excess = int(db.execute("SELECT count(*) FROM scores").get) - self._limit
                if excess > 0:
                    db.execute("DELETE FROM scores WHERE id IN (SELECT id FROM scores ORDER BY id LIMIT ?)", (excess,))

        self._file.tried(write, None)

    def checked(self, model: str) -> RerankCheck | None:
        def read(db: apsw.Connection) -> RerankCheck | None:
            found = db.execute("SELECT found FROM checks WHERE model = ?", (model,)).get
            return None if found is None else _decode(found)

        return self._file.tried(read, None)

    def note(self, model: str, check: RerankCheck) -> None:
        def write(db: apsw.Connection) -> None:
            with db:
                db.execute("INSERT OR REPLACE INTO checks VALUES (?, ?)", (model, json.dumps(asdict(check))))
                oldest = "SELECT model FROM checks ORDER BY found ->> 'at' DESC LIMIT -1 OFFSET ?"
                db.execute(f"DELETE FROM checks WHERE model IN ({oldest})", (_CHECKS,))

        self._file.tried(write, None)

    def clear(self) -> bool:
        def erase(db: apsw.Connection) -> bool:
            db.execute("DELETE FROM scores")
            return scrub(db)

        return not self._file.path.exists() or self._file.tried(erase, False)

    def close(self) -> None:
        self._file.close()


def _decode(found: str) -> RerankCheck | None:
    """A check as stored; ``None`` where another version wrote it."""
    try:
        row = json.loads(found)
        curve = row.pop("curve")
        return RerankCheck(**row, curve=None if curve is None else Curve(**curve))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
