"""Transcripts of the sessions that are held here: a file each, appended to and never rewritten. Beside them pages of
tool results that come from them; deleted, they are made anew."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from hearth.context.engine.results import read_results, read_session_name, render_results
from hearth.core.errors import UsageError
from hearth.core.files import (
    PRIVATE_FILE,
    LockHeld,
    locked,
    make_folder,
    settle,
    sync_folder,
    unavailable,
    write_atomically,
)
from hearth.core.lazy import dataclass
from hearth.ports import Clock

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


_LOG_SUFFIX = ".jsonl"
_STATE, _LOCK = ".state.json", ".lock"
_PAUSE_MS = 5_000
_GROWN = 100_000
"""Bytes that are taken in at once; so are that many messages."""
_MESSAGES = 50
_MOST_READ = 64 * 1024 * 1024
"""Bytes of a transcript at a time; the rest is read at the next look, and a turn that is larger is passed over."""
_MOST_HEADER = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a transcript is read, and the page that is written on."""

    read: int = 0
    page: int = 1


class SessionResults:
    """Reads ``<transcripts>/<agent>/<session>.jsonl`` into ``<root>/<agent>/<session>/<page>.md``; what agents get
    while they are ``without_memory`` is passed over."""

    def __init__(
        self, transcripts: Path, root: Path, clock: Clock, without_memory: Collection[str] = frozenset()
    ) -> None:
        self._transcripts, self._root, self._clock = transcripts, root, clock
        self._without_memory = without_memory
        self._looked: int | None = None
        self._sizes: dict[str, int] = {}

    def catch_up(self) -> None:
        """Takes in what has been committed: every five seconds at most, a large part at once. Another process that is
        at it does it for this one."""
        now = self._clock()
        waits = self._looked is not None and now - self._looked < _PAUSE_MS
        sizes = dict(self._find())
        if waits and not any(self._is_large(name, self._sizes.get(name, 0), size) for name, size in sizes.items()):
            return
        if sizes == self._sizes:
            self._looked = now
            return
        make_folder(self._root)
        try:
            with locked(self._root / _LOCK, wait=0):
                more = self._take_in(sizes)
        except LockHeld:
            return
        self._looked = None if more else now
        self._sizes = sizes

    def _is_large(self, name: str, before: int, size: int) -> bool:
        """Whether enough was added to take it in at once; a message is a line."""
        if size <= before or size - before >= _GROWN:
            return size > before
        with (self._transcripts / f"{name}{_LOG_SUFFIX}").open("rb") as file:
            file.seek(before)
            return file.read(size - before).count(b"\n") >= _MESSAGES

    def _find(self) -> Iterator[tuple[str, int]]:
        """The transcripts, as ``agent/session``, with their sizes."""
        for agent in _list(self._transcripts):
            for file in _list(agent.path):
                if file.name.endswith(_LOG_SUFFIX):
                    yield f"{agent.name}/{file.name.removesuffix(_LOG_SUFFIX)}", file.stat().st_size

    def _take_in(self, sizes: dict[str, int]) -> bool:
        """Whether there is more to read."""
        known, more = self._load(), False
        for name in known.keys() - sizes.keys():
            shutil.rmtree(self._root / name, ignore_errors=True)
            del known[name]
        for name, size in sizes.items():
            before = known.get(name, _Progress())
            if size > before.read:
                if name.partition("/")[0].casefold() in self._without_memory:
                    known[name] = _Progress(size, before.page)
                    continue
                known[name] = after = self._read(name, before)
                more = more or size - after.read > _MOST_READ
        text = json.dumps({name: [one.read, one.page] for name, one in known.items()})
        write_atomically(self._root / _STATE, text.encode())
        return more

    def _read(self, name: str, before: _Progress) -> _Progress:
        with (self._transcripts / f"{name}{_LOG_SUFFIX}").open("rb") as file:
            session = read_session_name(file.readline(_MOST_HEADER)) or unquote(name.partition("/")[2])
            file.seek(before.read)
            data = file.read(_MOST_READ)
        results, end = read_results(data)
        read = end or (len(data) if len(data) == _MOST_READ else 0)
        folder, page = self._root / name, before.page
        if results:
            make_folder(folder)
            place = folder / f"{page:04}.md"
            begun = place.read_text("utf-8", "replace") if place.exists() else ""
            for page, text in enumerate(render_results(session, results, begun), before.page):
                write_atomically(folder / f"{page:04}.md", text.encode("utf-8", "replace"))
        return _Progress(before.read + read, page)

    def _load(self) -> dict[str, _Progress]:
        """Empty where it was lost: the pages then begin anew."""
        try:
            given = json.loads((self._root / _STATE).read_bytes())
            return {name: _Progress(read, page) for name, (read, page) in given.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def _list(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
