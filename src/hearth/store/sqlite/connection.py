"""Opening the index file: pragmas in the right order, the schema, and what the file says of itself."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import apsw

from hearth.errors import IndexNewer, Unavailable

# Below 3.51.3 a WAL reset race can corrupt the file.
MIN_SQLITE = (3, 51, 3)
SCHEMA = 1
BUSY_MS = 30_000
_CACHE_KIB = 8_192


class Unreadable(Exception):
    """The file is no usable index: another program's, truncated, or corrupt."""


def check_version() -> str:
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")[:3]) < MIN_SQLITE:
        needed = ".".join(map(str, MIN_SQLITE))
        raise Unavailable(f"SQLite {version} is too old (need {needed}); run: pip install -U apsw")
    return version


def connect(path: Path, *, read_only: bool = False, vfs: str | None = None) -> apsw.Connection:
    """A connection to an existing or new file. Raises ``Unreadable`` or ``Unavailable``."""
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    try:
        if read_only:
            name = f"file:{_quoted(path)}?immutable=1"
            connection = apsw.Connection(name, flags=flags | apsw.SQLITE_OPEN_URI, vfs=vfs)
        else:
            connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
        connection.set_busy_timeout(BUSY_MS)
        _prepare(connection, read_only=read_only)
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise Unreadable(f"{path} is not a usable index ({error})") from error
    except apsw.Error as error:
        raise unavailable(path, error) from error
    return connection


def unavailable(path: Path, error: apsw.Error) -> Unavailable:
    """One line for a person: what SQLite could not do, where, and what helps."""
    hints = {
        apsw.FullError: "the disk is full; free space and run the command again",
        apsw.IOError: "the disk reported an error; check free space, quota and the file system",
        apsw.ReadOnlyError: "the folder is read-only; set HEARTH_CACHE_DIR to a writable one",
        apsw.CantOpenError: "the folder can't be written; set HEARTH_CACHE_DIR to a writable one",
        apsw.BusyError: "another process holds it; try again",
        apsw.PermissionsError: "permission denied; check the folder's owner",
    }
    hint = next((text for kind, text in hints.items() if isinstance(error, kind)), "run: hearth doctor")
    return Unavailable(f"index {path}: {error}; {hint}")


def _quoted(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _prepare(connection: apsw.Connection, *, read_only: bool) -> None:
    if not read_only:
        # Feedback and state live in the journal, so losing the last commits in a power cut costs a replay, no data.
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 268435456")


def version_of(connection: apsw.Connection) -> int:
    version = connection.execute("PRAGMA user_version").get
    return int(version)


def create_schema(connection: apsw.Connection, fingerprint: str) -> None:
    """Fills an empty file; exactly one of several processes does it."""
    script = files("hearth.store.sqlite").joinpath("schema.sql").read_text(encoding="utf-8")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version_of(connection) == 0:
            connection.execute(script)
            connection.execute("INSERT INTO meta VALUES ('fingerprint', ?)", (fingerprint,))
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def check_newer(connection: apsw.Connection, path: Path) -> None:
    version = version_of(connection)
    if version > SCHEMA:
        raise IndexNewer(
            f"index {path} was written by a newer Hearth (schema {version}); upgrade: pip install -U hearth-memory"
        )
