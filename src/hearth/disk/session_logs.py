"""Transcripts of the sessions that are held here: a file each, appended to and never rewritten."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from hearth.core.errors import UsageError
from hearth.core.files import PRIVATE_FILE, make_folder, settle, sync_folder, unavailable

_SUFFIX = ".jsonl"
_MOST_NAME = 180
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class DiskSessionLogs:
    """``<root>/<agent>/<session>.jsonl``, for their owner alone. Implements ``SessionLogs``."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, agent: str, session: str) -> Path:
        """Raises ``UsageError`` for an empty name."""
        return self._root / _file_name(agent) / f"{_file_name(session)}{_SUFFIX}"

    def read(self, agent: str, session: str, since: int = 0) -> bytes:
        path = self.path(agent, session)
        try:
            with path.open("rb") as file:
                file.seek(since)
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise unavailable(f"can't read {path}", error) from error

    def read_parts(self, agent: str, session: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
        if not places:
            return []
        path = self.path(agent, session)
        try:
            with path.open("rb") as file:
                return [os.pread(file.fileno(), size, offset) for offset, size in places]
        except OSError as error:
            raise unavailable(f"can't read {path}", error) from error

    def append(self, agent: str, session: str, write: Callable[[bytes], bytes], since: int) -> None:
        path = self.path(agent, session)
        try:
            with _locked(path) as handle:
                size = os.fstat(handle).st_size
                if size and os.pread(handle, 1, size - 1) != b"\n":
                    # A crash left a part of a line: it ends here and is passed over.
                    _write(handle, b"\n")
                    size += 1
                if data := write(_read(handle, since, size)):
                    _write(handle, data)
                    os.fsync(handle)
                    sync_folder(path.parent)
        except OSError as error:
            raise unavailable(f"can't write {path}", error) from error


def _file_name(name: str) -> str:
    if not name:
        raise UsageError("a session and its agent need names")
    safe = quote(name, safe="").replace("~", "%7E")
    safe = f"%2E{safe[1:]}" if safe.startswith(".") else safe
    if len(safe) <= _MOST_NAME:
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{safe[: _MOST_NAME - 20].rpartition('%')[0] or safe[: _MOST_NAME - 20]}-{digest}"


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    make_folder(path.parent)
    settle(path.parent)
    handle = os.open(path, _FLAGS, PRIVATE_FILE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)


def _read(handle: int, since: int, size: int) -> bytes:
    parts = []
    while since < size and (part := os.pread(handle, size - since, since)):
        parts.append(part)
        since += len(part)
    return b"".join(parts)


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
