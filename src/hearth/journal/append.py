"""Appending to this machine's journals: locked, whole, durable, and never undone."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hearth.core.errors import Unavailable, UsageError
from hearth.core.files import PRIVATE_FILE, make_folder, settle, sync_folder, unavailable, write_atomically
from hearth.core.journal import Draft, Event
from hearth.journal.line import BadLine, Clock, UlidSource, clean, decode, encode
from hearth.journal.machine import MAX_NUMBER, JournalFile, list_folder, parse
from hearth.journal.read import BATCH, Batch, JournalPosition, newest, read
from hearth.ports import LogBatch

ROTATE_BYTES = 16 * 1024 * 1024
MAX_EVENT_BYTES = 64 * 1024
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC


class Journal:
    """The journals in ``folder``, of which this process writes that of ``machine``.

    Any number of processes and threads may append at once. ``redact`` takes the secrets out of a text.
    """

    def __init__(
        self,
        folder: Path,
        machine: str,
        clock: Clock,
        redact: Callable[[str], str],
        rotate_bytes: int = ROTATE_BYTES,
    ) -> None:
        if parse(f"{machine}.jsonl") is None:
            raise UsageError(f"{machine!r} is not a machine id: ten lower-case letters and digits, without i, l, o, u")
        self._folder = folder
        self._machine = machine
        self._clock = clock
        self._redact = redact
        self._rotate_bytes = rotate_bytes
        self._ulid = UlidSource(clock.now)
        self._mutex = threading.Lock()
        self._end: tuple[JournalFile, int] | None = None
        self._unsynced: Path | None = None

    def append(self, drafts: Sequence[Draft], *, durable: bool = True) -> list[Event]:
        """Stamps and writes the drafts, in order; they are in the file, and on the disk if ``durable``, on return.

        Raises ``UsageError`` for drafts that can't be journaled (none is written then) and ``Unavailable`` where
        writing fails: a part of them may be in the file then, and the next append starts on a new line.
        """
        ready = [clean(draft, self._redact) for draft in drafts]
        if not ready:
            return []
        with self._mutex, self._explain(), self._lock() as lock:
            current = self._current()
            size = self._catch_up(current)
            events = [self._stamp(draft) for draft in ready]
            data = b"".join(self._line(event) for event in events)
            self._end = None
            if size and size + len(data) > self._rotate_bytes and current.number < MAX_NUMBER:
                self._sync_file(self._folder / current.name)
                current = JournalFile(self._machine, current.number + 1)
            self._end = (current, self._write(current, lock, data, durable))
        return events

    def sync(self) -> None:
        """Makes durable what was appended without being so. Raises ``Unavailable``."""
        with self._mutex, self._explain():
            if self._unsynced is not None:
                self._sync_file(self._unsynced)
                self._unsynced = None

    def newest(self, *, own: bool, naming: Sequence[str] = ()) -> Iterator[Event]:
        """As ``ports.EventLog``. Raises ``Unavailable`` where a file can't be read."""
        try:
            yield from newest(self._folder, self._machine, own=own, naming=naming)
        except OSError as error:
            where = f"the journal {self._folder}"
            raise Unavailable(f"can't read {where}: {error.strerror}; check its permissions") from error

    def read(self, position: JournalPosition, limit: int = BATCH, *, whole: bool = False) -> Batch:
        """As ``hearth.journal.read.read``; later stamps of ours will exceed those read."""
        batch = read(self._folder, position, limit, whole=whole)
        with self._mutex:
            self._clock.observe(*(event.hlc for event in batch.events))
        return batch

    def read_after(self, position: Mapping[str, Any], *, whole: bool = False) -> LogBatch:
        """``read`` with the position as JSON and problems as text, as the engine wants it."""
        batch = self.read(JournalPosition.from_json(position), whole=whole)
        problems = [str(found) for found in batch.problems]
        return LogBatch(batch.events, problems, batch.position.to_json(), batch.more, batch.lost)

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = self._folder / JournalFile(self._machine, 0).name if error.filename is None else error.filename
            raise unavailable(f"can't write the journal {where}", error) from error

    @contextmanager
    def _lock(self) -> Iterator[int]:
        """The descriptor of the machine's first file, locked; all processes use that one whatever file is current."""
        make_folder(self._folder)
        path = self._folder / JournalFile(self._machine, 0).name
        while True:
            handle = os.open(path, _FLAGS | os.O_CREAT, PRIVATE_FILE)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if _same_file(handle, path):
                    yield handle
                    return
            finally:
                os.close(handle)

    def _current(self) -> JournalFile:
        files, _ = list_folder(self._folder)
        return max(file for file in files if file.machine == self._machine)

    def _catch_up(self, current: JournalFile) -> int:
        """Resumes the clock from what others wrote since; returns the size of the current file."""
        size = (self._folder / current.name).stat().st_size
        if self._end == (current, size):
            return size
        first = self._end is None
        files, _ = list_folder(self._folder)
        for file in reversed(files):
            if file.machine == self._machine:
                hlc = _last_hlc(self._folder / file.name)
                self._clock.resume(hlc)
                if hlc:
                    break
        if first:
            for machine in {file.machine for file in files} - {self._machine}:
                newest = max(file for file in files if file.machine == machine)
                self._observe_tail(self._folder / newest.name)
        return size

    def _observe_tail(self, path: Path) -> None:
        try:
            self._clock.observe(_last_hlc(path))
        except OSError:  # another machine's file in transit must not keep this one from writing
            return

    def _stamp(self, draft: Draft) -> Event:
        return Event(
            id=self._ulid(),
            hlc=self._clock.tick(),
            at=self._clock.now(),
            machine=self._machine,
            kind=draft.kind,
            doc=draft.doc,
            path=draft.path,
            body_hash=draft.body_hash,
            data=draft.data,
        )

    def _line(self, event: Event) -> bytes:
        line = encode(event) + b"\n"
        if len(line) > MAX_EVENT_BYTES:
            limit = f"{MAX_EVENT_BYTES // 1024} KiB"
            raise UsageError(f"can't journal {event.kind}: its line takes {len(line)} bytes, over {limit}; shorten it")
        return line

    def _write(self, current: JournalFile, lock: int, data: bytes, durable: bool) -> int:
        """Appends to the current file; returns its new size."""
        path = self._folder / current.name
        handle = os.dup(lock) if current.number == 0 else os.open(path, _FLAGS | os.O_CREAT, PRIVATE_FILE)
        try:
            size = os.fstat(handle).st_size
            if size == 0:
                # Before the first byte, so that a file that holds anything is known to survive a power cut.
                sync_folder(self._folder)
                settle(self._folder)
            elif os.pread(handle, 1, size - 1) != b"\n":
                data = b"\n" + data
            _write_all(handle, data)
            if durable:
                os.fsync(handle)
            self._unsynced = None if durable else path
            return size + len(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        finally:
            os.close(handle)

    def _sync_file(self, path: Path) -> None:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    """Whether a sync program or git replaced the file while we waited for its lock."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _last_hlc(path: Path) -> int:
    """The stamp of the last whole event of a file, 0 where it has none."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        window = 4096
        while True:
            stream.seek(max(0, size - window))
            lines = stream.read(min(window, size)).split(b"\n")
            for line in reversed(lines):
                try:
                    return decode(line).hlc
                except BadLine:
                    continue
            if window >= size:
                return 0
            window *= 4


class NoteJournal(Journal):
    """Implements ``ports.NoteLog``."""

    def erase(self, gone: Callable[[Event], bool]) -> bool:
        with self._mutex, self._explain():
            if not any(file.machine == self._machine for file in list_folder(self._folder)[0]):
                return False
            with self._lock():
                return self._rewrite(gone)

    def _rewrite(self, gone: Callable[[Event], bool]) -> bool:
        """Under the lock: whoever waits for it sees that the file is another one, and begins anew."""
        changed = False
        # The first file, which is the lock, comes last.
        for file in sorted(list_folder(self._folder)[0], reverse=True):
            if file.machine != self._machine:
                continue
            path = self._folder / file.name
            lines = path.read_bytes().splitlines(keepends=True)
            kept = [line for line in lines if not _says(line, gone)]
            if len(kept) < len(lines):
                write_atomically(path, b"".join(kept))
                changed = True
        self._end = None
        return changed


def _says(line: bytes, gone: Callable[[Event], bool]) -> bool:
    """A line that can't be read says nothing to anybody, and may hold what is to go."""
    try:
        return gone(decode(line))
    except BadLine:
        return True
