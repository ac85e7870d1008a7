"""SQLite databases of other programs, read from a private copy: the original is opened for reading bytes alone."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass

MAGIC = b"SQLite format 3\0"
_BESIDE = ("", "-wal", "-journal")
_TRIES = 5
_STEPS = 200_000_000
"""A query of a hostile schema ends after so many steps of SQLite's machine."""

Row = dict[str, Any]


def is_database(path: Path) -> bool:
    """Whether a file begins as SQLite's do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a database, none of its views; columns that a version lacks read as ``None``."""

    connection: apsw.Connection
    path: Path

    def columns(self, table: str) -> tuple[str, ...]:
        """Empty where there is no such table."""
        found = self.connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
        if found.fetchone() is None:
            return ()
        return tuple(row[1] for row in self.connection.execute(f"PRAGMA table_info({_quoted(table)})"))

    def rows(self, table: str, order: str = "rowid") -> Iterator[Row]:
        """Every row, as far as it can be read; raises ``Unavailable`` where the file is damaged."""
        names = self.columns(table)
        if not names:
            return
        listed = ", ".join(map(_quoted, names))
        by = f" ORDER BY {_quoted(order)}" if order in names else ""
        try:
            for row in self.connection.execute(f"SELECT {listed} FROM {_quoted(table)}{by}"):
                yield dict(zip(names, map(plain, row), strict=True))
        except apsw.Error as error:
            raise Unavailable(f"can't read {table} in {self.path}: {error}") from error

    def count(self, table: str) -> int:
        if not self.columns(table):
            return 0
        row = self.connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()
        return int(row[0]) if row is not None else 0


def plain(value: Any) -> Any:
    """Text for bytes that are some."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@contextmanager
def opened(path: Path) -> Iterator[Tables]:
    """Raises ``UsageError`` for what is no database, ``Unavailable`` where it can't be read or does not hold still."""
    if not is_database(path):
        raise UsageError(f"{path} is not an SQLite database")
    with tempfile.TemporaryDirectory(prefix="hearth-import-") as folder:
        copy = Path(folder, "copy.sqlite")
        _copy(path, copy)
        try:
            connection = apsw.Connection(str(copy))
        except apsw.Error as error:
            raise Unavailable(f"can't open {path}: {error}") from error
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            with suppress(apsw.Error):
                connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            steps = iter(range(_STEPS // 10_000))
            connection.set_progress_handler(lambda: next(steps, None) is None, 10_000)
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            yield Tables(connection, path)
        except apsw.Error as error:
            raise Unavailable(f"can't read {path}: {error}") from error
        finally:
            connection.close()


def _copy(path: Path, copy: Path) -> None:
    """With what was not yet written back; again, where somebody wrote meanwhile."""
    for _ in range(_TRIES):
        before = _signature(path)
        for suffix in _BESIDE:
            source, target = Path(f"{path}{suffix}"), Path(f"{copy}{suffix}")
            target.unlink(missing_ok=True)
            try:
                shutil.copyfile(source, target, follow_symlinks=True)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Unavailable(f"can't read {source}: {error.strerror}") from error
        if _signature(path) == before:
            return
    raise Unavailable(f"{path} is being written all the time; stop the program that uses it and try again")


def _signature(path: Path) -> Sequence[object]:
    found: list[object] = []
    for suffix in _BESIDE:
        try:
            state = Path(f"{path}{suffix}").stat()
        except FileNotFoundError:
            found.append(None)
        except OSError as error:
            raise Unavailable(f"can't read {path}{suffix}: {error.strerror}") from error
        else:
            found.append((state.st_size, state.st_mtime_ns, state.st_ino))
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
