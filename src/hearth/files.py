"""The little file I/O that all adapters share: atomic writes and lock files that the kernel releases."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hearth.errors import Unavailable

_POLL_SECONDS = 0.02


def write_atomically(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Replaces ``path`` so that a reader or a crash sees the old bytes or the new ones; keeps an existing mode."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise Unavailable(f"can't write {path}: {error.strerror}; check permissions and free space") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with_mode = path.stat().st_mode & 0o7777 if path.exists() else mode
        Path(temporary).chmod(with_mode)
        Path(temporary).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise Unavailable(f"can't write {path}: {error.strerror}; check permissions and free space") from error


def sync_folder(folder: Path) -> None:
    """Makes a rename or creation in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: float | None = None) -> Iterator[None]:
    """Holds ``path`` as a lock file (``flock``); the kernel releases it when the process dies.

    ``wait`` bounds the waiting in seconds (``None``: for ever, 0: not at all). Raises ``Unavailable`` that names the
    holder when time is up or the file can't be created.
    """
    handle = _open_lock(path)
    try:
        _acquire(handle, path, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, wait)
        if not shared:
            _sign(handle)
        yield
    finally:
        os.close(handle)


def holder(path: Path) -> str | None:
    """The process that last took ``path`` exclusively, for messages only."""
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
    return text or None


def _open_lock(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unavailable(f"can't open lock {path}: {error.strerror}; check permissions and free space") from error


def _acquire(handle: int, path: Path, kind: int, wait: float | None) -> None:
    if wait is None:
        fcntl.flock(handle, kind)
        return
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Unavailable(f"{path.name} is held by {holder(path) or 'another process'}; try again") from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _sign(handle: int) -> None:
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()}\n".encode("ascii"), 0)
    except OSError:  # a full disk must not cost the lock; the name is a courtesy
        return
