"""The file of an index, which may be deleted, moved aside or replaced between any two requests."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import locked, make_folder
from hearth.core.files import unavailable as unreachable
from hearth.store.sqlite.connection import (
    SCHEMA,
    DamageMark,
    Unreadable,
    check_newer,
    check_version,
    close,
    connect,
    connect_to_read,
    create_schema,
    unavailable,
    version_of,
)

_EXCLUSIVE_WAIT = 10.0
_MAX_IDLE = 4
_FINGERPRINT = "SELECT value FROM meta WHERE key = 'fingerprint'"
# Stands there in an index that is in the place of a damaged one, until a rebuild fills it.
_UNFILLED = "unfilled"
# What reading the header and that row raises where the file is damaged or another program's.
UNUSABLE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)


class IndexFile:
    """A file that is there, readable and of this version, and connections to it.

    Every transaction holds ``index.lock`` shared and checks that the path still names the file that is open. A file in
    which anybody meets damage is marked by a file beside it, so that the next transaction of any process moves it
    aside.
    """

    def __init__(self, path: Path, fingerprint: str, *, vfs: str | None = None) -> None:
        check_version()
        self.path = path
        self.fingerprint = fingerprint
        self._vfs = vfs
        self._lock_path = path.with_name("index.lock")
        self._damage = DamageMark(path)
        self._idle: list[apsw.Connection] = []
        self._identity: tuple[int, int] | None = None
        self._guard = threading.Lock()
        self._pid = os.getpid()
        self.read_only = self._is_read_only()
        self._stale = self._unfilled = False
        self.moved_aside: Path | None = None
        with self._shared():
            pass

    @property
    def stale(self) -> bool:
        """Whether the file was written under another fingerprint, or is unfilled."""
        with self._shared():
            return self._stale

    @property
    def unfilled(self) -> bool:
        """Whether it took the place of a damaged one and holds nothing yet; it answers nobody until then."""
        with self._shared():
            return self._unfilled

    def close(self) -> None:
        with self._guard:
            for connection in self._idle:
                close(connection)
            self._idle.clear()

    @contextmanager
    def _shared(self) -> Iterator[None]:
        """The file is there, is the one that idle connections have open, and stays for the block."""
        if self.read_only:
            self._refresh()
            yield
            return
        for _ in range(5):
            with locked(self._lock_path, shared=True, wait=_EXCLUSIVE_WAIT):
                if self._refresh():
                    yield
                    return
            self._restore()
        raise Unavailable(f"index {self.path} keeps disappearing; is something deleting the cache folder?")

    def _refresh(self) -> bool:
        if os.getpid() != self._pid:
            raise Unavailable("an open index can't be used after a fork; open the vault again in the child")
        try:
            status = self.path.stat()
        except FileNotFoundError:
            if self.read_only:
                raise Unavailable(f"there is no index {self.path} and its folder is read-only") from None
            return False
        except OSError as error:
            raise unreachable(f"can't open index {self.path}", error) from error
        identity = (status.st_dev, status.st_ino)
        if self._damage.names(identity):
            if self.read_only:
                raise Unavailable(f"index {self.path} is damaged and its folder is read-only; make the folder writable")
            return False
        if identity == self._identity:
            # Another process may have built it anew in its place.
            return not self._stale or self._adopt(identity, empty=status.st_size == 0)
        self.close()
        return self._adopt(identity, empty=status.st_size == 0)

    def _adopt(self, identity: tuple[int, int], *, empty: bool) -> bool:
        if empty:
            return False
        try:
            connection = connect_to_read(self.path, read_only=self.read_only, vfs=self._vfs)
        except Unreadable:
            return False
        try:
            check_newer(connection, self.path)
            version = version_of(connection)
            if version == 0:
                return False
            row = connection.execute(_FINGERPRINT).fetchone()
        except UNUSABLE:
            return False
        except apsw.Error as error:
            raise unavailable(self.path, error) from error
        finally:
            close(connection)
        self._stale = version < SCHEMA or row is None or row[0] != self.fingerprint
        self._unfilled = row is not None and row[0] == _UNFILLED
        self._identity = identity
        return True

    def _restore(self) -> None:
        """Under the exclusive lock: makes an index where there is none, moves an unusable one aside."""
        with locked(self._lock_path, wait=_EXCLUSIVE_WAIT):
            self._identity = None
            self.close()
            if self.path.exists() and self._usable():
                return
            aside = self._move_aside()
            with self._translated():
                connection = connect(self.path, vfs=self._vfs)
                try:
                    create_schema(connection, _UNFILLED if aside else self.fingerprint)
                finally:
                    close(connection)
            self._damage.clear()

    def _usable(self) -> bool:
        status = self.path.stat()
        if status.st_size == 0 or self._damage.names((status.st_dev, status.st_ino)):
            return False
        try:
            connection = connect(self.path, vfs=self._vfs)
        except Unreadable:
            return False
        try:
            version = version_of(connection)
            if version == 0 and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
                # A creation that a kill or a full disk cut short.
                create_schema(connection, self.fingerprint)
                return True
            return version > SCHEMA or (version > 0 and connection.execute(_FINGERPRINT).fetchone() is not None)
        except UNUSABLE:
            return False
        except apsw.Error as error:
            raise unavailable(self.path, error) from error
        finally:
            close(connection)

    def _move_aside(self) -> bool:
        """Renames the trio, so that no stale write-ahead log meets a new file; ``False`` where there was nothing."""
        stamp, moved = time.strftime("%Y%m%dT%H%M%S"), False
        for suffix in ("", "-wal", "-shm"):
            old = self.path.with_name(self.path.name + suffix)
            if not old.exists():
                continue
            if old.stat().st_size == 0 or (suffix and not moved):
                old.unlink()
                continue
            old.replace(old.with_name(f"{self.path.name}.corrupt-{stamp}{suffix}"))
            self.moved_aside, moved = old.with_name(f"{self.path.name}.corrupt-{stamp}"), True
        return moved

    def _is_read_only(self) -> bool:
        folder = self.path.parent
        try:
            make_folder(folder)
        except OSError as error:
            if not folder.is_dir():
                raise Unavailable(
                    f"can't create {folder}: {error.strerror}; set HEARTH_CACHE_DIR to a writable folder"
                ) from error
        return not os.access(folder, os.W_OK)

    @contextmanager
    def _connection(self, *, reading: bool = False) -> Iterator[apsw.Connection]:
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._translate_connect(reading=reading)
        identity = self._identity
        try:
            yield connection
        finally:
            with self._guard:
                lasting = identity == self._identity and connection.readonly("main") == self.read_only
                if lasting and len(self._idle) < _MAX_IDLE:
                    self._idle.append(connection)
                else:
                    close(connection)

    def _translate_connect(self, *, reading: bool) -> apsw.Connection:
        opened = connect_to_read if reading else connect
        try:
            return opened(self.path, read_only=self.read_only, vfs=self._vfs)
        except Unreadable as error:
            raise Unavailable(str(error), Remedy("reindex --force")) from error

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:  # a text of it may be none any more
            damaged, self._identity = self._identity, None
            self._damage.put(damaged, durable=not self.read_only)
            raise Unavailable(
                f"index {self.path} is damaged ({error}); run the command again: it is moved aside and rebuilt"
            ) from error
        except apsw.Error as error:
            raise unavailable(self.path, error) from error
