"""Where conversations come from: files, folders and zip archives, which are only read, each within limits. SQLite
databases of other programs are read from a private copy: the original is opened for reading bytes alone."""

from __future__ import annotations

import io
import os
import posixpath
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote

import apsw

from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.lazy import dataclass
from hearth.importers.formats import HEAD_BYTES, Head, SourceFile
from hearth.importers.values import BEGINNING_BYTES

_WAIT_MS = 5_000
MAX_MEMBERS = 200_000
MAX_MEMBER_BYTES = 8 * 1024**3
MAX_RATIO = 300
"""How much larger a member of an archive may be than it is packed: text packs to a tenth at best, bombs to less than a
thousandth."""
_SMALL_MEMBER = 1024 * 1024
_ZIP = b"PK\x03\x04"
# Folders of programs, in which no export lies.
_PASSED_OVER = frozenset({"node_modules", ".git", "__pycache__", ".venv", "site-packages"})
_TAIL = frozenset({"-wal", "-shm", "-journal"})

Skip = Callable[[str, str, str], None]
"""Told why a file is left out, which, and what the system says of it."""


@dataclass(frozen=True)
class DiskFile:
    """A file below ``root``."""

    path: Path
    root: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def place(self) -> str | None:
        return str(self.path)

    @property
    def folder(self) -> str:
        return self.path.parent.name

    def open(self) -> BinaryIO:
        """Raises ``Unavailable`` for what can't be read and for what is no regular file."""
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            raise Unavailable(f"{self.path} can't be read: {error.strerror}") from error
        file = os.fdopen(handle, "rb")
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            file.close()
            raise Unavailable(f"{self.path} is not a regular file")
        return file

    def beside(self, path: str) -> SourceFile | None:
        place = Path(os.path.normpath(self.path.parent / path))
        inside = place.is_relative_to(self.root) or self.root == self.path
        return DiskFile(place, self.root) if inside and place.is_file() and not place.is_symlink() else None


@dataclass(frozen=True)
class Member:
    """A member of an archive; its name is never used as a path."""

    archive: Path
    zip: zipfile.ZipFile
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        return f"{self.archive}!{self.info.filename}"

    @property
    def place(self) -> str | None:
        return None

    @property
    def folder(self) -> str:
        return posixpath.basename(posixpath.dirname(self.info.filename))

    def open(self) -> BinaryIO:
        try:
            # Files of one folder are read together, perhaps after the archive was left.
            archive = self.zip if self.zip.fp is not None else zipfile.ZipFile(self.archive)
            return cast(BinaryIO, _Bounded(cast(BinaryIO, archive.open(self.info)), self.name, self.info.file_size))
        except (OSError, RuntimeError, zipfile.BadZipFile, ValueError) as error:
            raise Unavailable(f"{self.name} can't be unpacked: {error}") from error

    def beside(self, path: str) -> SourceFile | None:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(self.info.filename), path))
        with suppress(KeyError):
            return Member(self.archive, self.zip, self.zip.getinfo(name))
        return None


class _Bounded(io.RawIOBase):
    """No more bytes of a member than its archive says that it has."""

    def __init__(self, file: BinaryIO, name: str, size: int) -> None:
        self._file, self._name, self._left = file, name, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._file.read(min(len(buffer), self._left + 1))
        except (OSError, EOFError, zipfile.BadZipFile, ValueError, zlib.error) as error:
            raise Unavailable(f"{self._name} is damaged: {error}") from error
        if len(data) > self._left:
            raise Unavailable(f"{self._name} is larger than its archive says")
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(-1 if size is None else size)

    def close(self) -> None:
        self._file.close()
        super().close()


def find_files(path: Path, skip: Skip) -> Iterator[SourceFile]:
    """The files of a path in order of their names: itself, those of a folder, those of archives. Links are not
    followed. Raises ``NotFound`` where there is nothing."""
    if not path.exists():
        raise NotFound(f"no file or folder {path}")
    if path.is_file():
        yield from _open_file(DiskFile(path, path), skip)
        return
    for folder, names, files in os.walk(
        path, onerror=lambda error: skip("can't be read", str(error.filename), f"can't be read: {error.strerror}")
    ):
        names[:] = sorted(name for name in names if name not in _PASSED_OVER)
        for name in sorted(files):
            place = Path(folder, name)
            if place.is_symlink() or any(name.endswith(tail) for tail in _TAIL):
                continue
            yield from _open_file(DiskFile(place, path), skip)


def read_head(file: SourceFile) -> Head:
    """Raises ``Unavailable``."""
    with file.open() as stream:
        data = stream.read(HEAD_BYTES) or b""
        if data.startswith(b"{") and b"\n" not in data:
            # Its first line holds a long paste or instructions.
            data += stream.readline(BEGINNING_BYTES)
    head = Head(data)
    if not head.is_database or file.place is None:
        return head
    with open_database(Path(file.place)) as database:
        found = database.execute("select lower(name) from sqlite_schema where type = 'table'")
        return Head(head.data, frozenset(str(row[0]) for row in found))


@contextmanager
def open_database(place: Path) -> Iterator[apsw.Connection]:
    """Opened to be read, with what its log holds. Raises ``Unavailable`` for one that is locked or damaged."""
    log = place.with_name(f"{place.name}-wal")
    # Without a log nobody writes to it, and not even a lock is left beside it.
    how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(f"file:{quote(str(place))}?{how}", flags=flags)) as database:
            database.set_busy_timeout(_WAIT_MS)
            yield database
    except apsw.Error as error:
        raise Unavailable(f"{place} can't be read: {error}; close the program that uses it and try again") from error


def _open_file(file: DiskFile, skip: Skip) -> Iterator[SourceFile]:
    try:
        with file.open() as stream:
            is_archive = stream.read(len(_ZIP)) == _ZIP
    except Unavailable as error:
        skip("can't be read", file.name, error.said)
        return
    if not is_archive:
        yield file
        return
    try:
        with zipfile.ZipFile(file.path) as archive:
            yield from _open_members(file.path, archive, skip)
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        skip("damaged archive", file.name, f"damaged archive: {error}")


def _open_members(path: Path, archive: zipfile.ZipFile, skip: Skip) -> Iterator[SourceFile]:
    members = sorted((info for info in archive.infolist() if not info.is_dir()), key=lambda info: info.filename)
    if len(members) > MAX_MEMBERS:
        skip("archive with too many files", str(path), f"{len(members):,} files, more than {MAX_MEMBERS:,}")
        return
    for info in members:
        name = f"{path}!{info.filename}"
        is_packed = info.file_size > MAX_RATIO * max(1, info.compress_size) and info.file_size > _SMALL_MEMBER
        if is_packed or info.file_size > MAX_MEMBER_BYTES:
            skip("unpacks to too much", name, "")
        elif info.flag_bits & 1:
            skip("encrypted", name, "")
        else:
            yield Member(path, archive, info)


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
