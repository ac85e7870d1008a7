"""The cache of a reranker's scores and of its last check, in a file of its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import apsw

from hearth.model.curve import Curve
from hearth.ports import RerankCheck
from hearth.store.sqlite.batches import batches, marks
from hearth.store.sqlite.connection import scrub
from hearth.store.sqlite.side import SideFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS scores (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, score REAL NOT NULL);
CREATE TABLE IF NOT EXISTS checks (model TEXT PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID;
"""
# About 6 MB.
ENTRIES = 100_000
_CHECKS = 20
_KEY_BYTES = 16
# A search doesn't wait longer for what is only a saving.
_BUSY_MS = 200


def pair_key(model: str, question: str, text: str) -> bytes:
    """One hash of all three: the file tells nobody what was asked."""
    parts = (hashlib.sha256(part.encode("utf-8", "replace")).digest() for part in (model, question, text))
    return hashlib.sha256(b"".join(parts)).digest()[:_KEY_BYTES]


class SqliteReranks:
    """Implements ``ports.RerankCache``. ``limit`` bounds the scores."""

    def __init__(self, path: Path, limit: int = ENTRIES) -> None:
        self._file = SideFile(path, "the cache of reranked scores", _SCHEMA, _BUSY_MS)
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
