"""Opening the index file: pragmas in the right order, the schema, the mark of a damaged file."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from hearth.core.errors import IndexNewer, Remedy, Unavailable
from hearth.core.files import PRIVATE_FILE, write_atomically
from hearth.store.sqlite.rows import LOWER

# Below 3.51.3 a WAL reset race can corrupt the file.
MIN_SQLITE = (3, 51, 3)
SCHEMA = 22
BUSY_MS = 30_000
_CACHE_KIB = 8_192
_SCRUB_WAIT_MS = 2_000


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
    try:
        return _open(path, read_only=read_only, vfs=vfs)
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise Unreadable(f"{path} is not a usable index ({error})") from error
    except apsw.Error as error:
        raise unavailable(path, error) from error


def connect_to_read(path: Path, *, read_only: bool, vfs: str | None) -> apsw.Connection:
    """As ``connect``, also on a full disk, which has no room for the shared memory that even reading a log takes.

    Where the log holds nothing the file itself is read then, without writing or locking anything. Such a connection
    is for one transaction: it would not see what others write once there is room again."""
    try:
        return connect(path, read_only=read_only, vfs=vfs)
    except Unavailable as error:
        log = path.with_name(path.name + "-wal")
        full = isinstance(error.__cause__, apsw.IOError | apsw.FullError)
        if read_only or not full or (log.exists() and log.stat().st_size):
            raise
    return connect(path, read_only=True, vfs=vfs)


def _open(path: Path, *, read_only: bool, vfs: str | None) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    name = str(path)
    if not read_only:
        _create_private(path)
    if read_only:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        name = f"file:{_quote(path)}?immutable=1"
    connection = apsw.Connection(name, flags=flags, vfs=vfs)
    try:
        connection.set_busy_timeout(BUSY_MS)
        _prepare(connection, read_only=read_only)
    except apsw.Error:
        close(connection)
        raise
    return connection


def _create_private(path: Path) -> None:
    """SQLite would leave the mode of a new file to the umask; log and shared memory take theirs from the file. One that
    is there is not opened: closing it would release the locks of this process's connections."""
    with suppress(OSError):  # SQLite says what is in the way
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE))


def close(connection: apsw.Connection) -> None:
    """Never fails: what was committed stands in the log, and the next opening takes it over from there."""
    with suppress(apsw.Error):
        connection.close()


def unavailable(path: Path, error: apsw.Error) -> Unavailable:
    """One line for a person: what SQLite could not do, where, and what helps."""
    hints = {
        apsw.FullError: "free space and run the command again",
        apsw.IOError: "the disk reported an error; check free space, quota and the file system",
        apsw.ReadOnlyError: "the folder is read-only; set HEARTH_CACHE_DIR to a writable one",
        apsw.CantOpenError: "the folder can't be written; set HEARTH_CACHE_DIR to a writable one",
        apsw.BusyError: "another process holds it; try again",
        apsw.PermissionsError: "permission denied; check the folder's owner",
    }
    hint = next((text for kind, text in hints.items() if isinstance(error, kind)), None)
    if hint is None:
        return Unavailable(f"index {path}: {error}", Remedy("doctor"))
    return Unavailable(f"index {path}: {error}; {hint}")


def _quote(path: Path) -> str:
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _prepare(connection: apsw.Connection, *, read_only: bool) -> None:
    if not read_only:
        # Feedback and state live in the journal, so losing the last commits in a power cut costs a replay, no data.
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    # No memory mapping: it gains nothing measurable, and a file cut short under it kills the process (SIGBUS).
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0")
    connection.create_scalar_function(LOWER, _lower, 1, deterministic=True)


def _lower(*values: Any) -> Any:
    return values[0].lower() if isinstance(values[0], str) else values[0]


def scrub(connection: apsw.Connection) -> bool:
    """Leaves nothing of what was deleted: neither in free pages nor in the log. ``False`` where somebody still reads
    or writes the log; outside a transaction only."""
    # The copy that VACUUM makes may be too large for memory.
    connection.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = FILE")
    connection.execute("VACUUM")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.set_busy_timeout(_SCRUB_WAIT_MS)
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    connection.set_busy_timeout(BUSY_MS)
    return not busy


def version_of(connection: apsw.Connection) -> int:
    version = connection.execute("PRAGMA user_version").get
    return int(version)


def create_schema(connection: apsw.Connection, fingerprint: str) -> None:
    """Fills an empty file; exactly one of several processes does it."""
    script = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version_of(connection) == 0:
            connection.execute(script)
            connection.execute("INSERT INTO meta VALUES ('fingerprint', ?)", (fingerprint,))
            # Counting on from the clock: what was cached for an index that was here before never fits this one.
            connection.execute(
                "UPDATE counters SET value = ? WHERE key IN ('generation', 'vector_removals')",
                (time.time_ns() // 1000,),
            )
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
        connection.execute("COMMIT")
    finally:
        # After a full or failing disk SQLite has rolled back by itself, and saying it again would hide the cause.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def check_newer(connection: apsw.Connection, path: Path) -> None:
    version = version_of(connection)
    if version > SCHEMA:
        raise IndexNewer(
            f"index {path} was written by a newer Hearth (schema {version}); upgrade: pip install -U hearth-memory"
        )


Identity = tuple[int, int]
"""Device and inode."""


class DamageMark:
    """A file beside the index. Where it can't be written, this process remembers alone."""

    def __init__(self, index: Path) -> None:
        self._path = index.with_name(f"{index.name}.damaged")
        self._name = str(self._path)
        self._own: Identity | None = None

    def put(self, identity: Identity | None, *, durable: bool) -> None:
        self._own = identity
        if identity is not None and durable:
            with suppress(Unavailable):
                write_atomically(self._path, _text(identity))

    def names(self, identity: Identity) -> bool:
        if identity == self._own:
            return True
        try:  # hardly ever there, and asked for by every reader
            handle = os.open(self._name, os.O_RDONLY | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                return file.read() == _text(identity)
        except OSError:
            return False

    def clear(self) -> None:
        self._own = None
        with suppress(OSError):  # what it names is not there any more
            self._path.unlink(missing_ok=True)


def _text(identity: Identity) -> bytes:
    return b"%d %d" % identity
