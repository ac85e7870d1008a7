"""A file of derived data beside the index: whoever can't use it does without."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import apsw

from hearth.errors import Unavailable
from hearth.files import make_folder
from hearth.store.sqlite.connection import Unreadable, close, connect

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
