"""Reading journals: their events, how far that is, and what is wrong with a folder of them."""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.journal.line import COUNTER_BITS, SKEW_MS, BadLine, decode
from hearth.journal.machine import JournalFile, list_folder

BATCH = 10_000
LONGEST_LINE = 1 << 20
_HEAD = 4096
_TAIL = 64
_PART = 1 << 20


@dataclass(frozen=True, slots=True)
class Mark:
    """How much of a file was consumed: bytes, lines, a hash of the first 4,096 and the last 64 of those bytes, and the
    CRC-32 of them all."""

    length: int = 0
    lines: int = 0
    check: str = ""
    sum: int = 0


@dataclass(frozen=True, slots=True)
class JournalPosition:
    """What was consumed of each file, by name."""

    files: Mapping[str, Mark] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {name: [mark.length, mark.lines, mark.check, mark.sum] for name, mark in sorted(self.files.items())}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> JournalPosition:
        """Anything malformed counts as not read: reading it again changes nothing."""
        files = {}
        for name, mark in value.items():
            match mark:
                case [int(length), int(lines), str(check), int(total)] if length > 0 and lines >= 0:
                    files[name] = Mark(length, lines, check, total)
        return cls(files)


@dataclass(frozen=True, slots=True)
class JournalProblem:
    """Something wrong in a journal folder; ``line`` is 1-based, ``None`` where the whole file is meant."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}" if self.line is None else f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Batch:
    """Events in file order, what went wrong, where to go on, and whether there may be more at once. ``lost``: some of
    what was read before is not there any more."""

    events: list[Event]
    problems: list[JournalProblem]
    position: JournalPosition
    more: bool
    lost: bool = False


def read(folder: Path, position: JournalPosition, limit: int = BATCH, *, whole: bool = False) -> Batch:
    """At most ``limit`` lines after ``position``; nothing in the folder makes it fail. ``whole`` looks for damage in
    all that was consumed, not only at both ends of it.

    Only terminated lines are consumed. A file that shrank or changed under the mark is a problem and is read again
    from its start, which is harmless since folding is idempotent.
    """
    events: list[Event] = []
    problems: list[JournalProblem] = []
    try:
        files, strangers = list_folder(folder)
    except OSError as error:
        reason = f"can't be listed: {error.strerror}; check its permissions and those of the folders above"
        return Batch([], [JournalProblem(str(folder), None, reason)], position, False)
    problems += [
        JournalProblem(name, None, "not a journal, perhaps a sync conflict copy; ignored") for name in strangers
    ]
    gone = sorted(position.files.keys() - {file.name for file in files})
    problems += [JournalProblem(name, None, "was deleted since it was read") for name in gone]
    marks: dict[str, Mark] = {}
    left, lost = limit, bool(gone)
    for file in files:
        before = position.files.get(file.name, Mark())
        reading = _Reading(file, before, events, problems, whole)
        after = reading.run(folder, left) if left else before
        left -= reading.consumed
        lost = lost or reading.lost
        if after.length:
            marks[file.name] = after
    return Batch(events, problems, JournalPosition(marks), left == 0, lost)


class _Reading:
    """One file's share of a batch."""

    def __init__(
        self, file: JournalFile, mark: Mark, events: list[Event], problems: list[JournalProblem], whole: bool
    ) -> None:
        self.file = file
        self.mark = mark
        self.events = events
        self.problems = problems
        self.whole = whole
        self.consumed = 0
        self.lost = False

    def run(self, folder: Path, limit: int) -> Mark:
        path = folder / self.file.name
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                self._report(None, "not a plain file; ignored")
                return Mark()
            with path.open("rb") as stream:
                return self._go_on(stream, limit)
        except OSError as error:
            self._report(None, f"can't be read: {error.strerror}")
            return self.mark

    def _go_on(self, stream: BinaryIO, limit: int) -> Mark:
        mark = self.mark
        size = os.fstat(stream.fileno()).st_size
        if mark.length and size < mark.length:
            self._report(None, f"shrank from {mark.length} to {size} bytes; read again from its start")
            mark, self.lost = Mark(), True
        elif mark.length and not self._holds(stream, mark):
            self._report(None, "changed in a part already read; read again from the start")
            mark, self.lost = Mark(), True
        if size == mark.length:
            return mark
        stream.seek(mark.length)
        length, lines = self._consume(stream, mark, limit)
        if length == mark.length:
            return mark
        total = _sum(stream, mark.length, length, mark.sum)
        return Mark(length, lines, _check(stream, length), total)

    def _holds(self, stream: BinaryIO, mark: Mark) -> bool:
        """Whether what was consumed is still there."""
        if _check(stream, mark.length) != mark.check:
            return False
        return not self.whole or _sum(stream, 0, mark.length) == mark.sum

    def _consume(self, stream: BinaryIO, mark: Mark, limit: int) -> tuple[int, int]:
        """Appends up to ``limit`` lines' events; returns the bytes and lines consumed of the whole file."""
        length, number = mark.length, mark.lines
        readline, append = stream.readline, self.events.append
        for _ in range(limit):
            line = readline(LONGEST_LINE)
            size = len(line)
            if line[-1:] != b"\n":
                rest = _skip_line(stream) if size == LONGEST_LINE else None
                if rest is None:
                    break
                size += rest
            length += size
            number += 1
            try:
                append(decode(line))
            except BadLine as error:
                if line.strip():
                    long = size > LONGEST_LINE
                    self._report(number, f"longer than {LONGEST_LINE} bytes" if long else str(error))
        self.consumed = number - mark.lines
        return length, number

    def _report(self, line: int | None, reason: str) -> None:
        self.problems.append(JournalProblem(self.file.name, line, reason))


def _check(stream: BinaryIO, length: int) -> str:
    stream.seek(0)
    seen = stream.read(min(_HEAD, length))
    stream.seek(max(0, length - _TAIL))
    return hashlib.sha256(seen + stream.read(min(_TAIL, length))).hexdigest()[:16]


def _sum(stream: BinaryIO, start: int, end: int, before: int = 0) -> int:
    """The CRC-32 of [start, end) that goes on from ``before``."""
    stream.seek(start)
    while start < end and (part := stream.read(min(_PART, end - start))):
        before = crc32(part, before)
        start += len(part)
    return before


def _skip_line(stream: BinaryIO) -> int | None:
    """Bytes to the end of the present line, or ``None`` where it has none yet."""
    skipped = 0
    while part := stream.readline(LONGEST_LINE):
        skipped += len(part)
        if part.endswith(b"\n"):
            return skipped
    return None


@dataclass(frozen=True, slots=True)
class JournalReport:
    """``files`` maps names to bytes; ``ahead`` counts, by machine, events over 5 minutes ahead of now;
    ``unterminated`` names files whose last line has no end (a write going on, or one that was interrupted)."""

    files: Mapping[str, int]
    kinds: Mapping[str, int]
    machines: Mapping[str, int]
    ahead: Mapping[str, int]
    unterminated: tuple[str, ...]
    problems: tuple[JournalProblem, ...]

    @property
    def events(self) -> int:
        return sum(self.kinds.values())

    @property
    def bad_lines(self) -> tuple[JournalProblem, ...]:
        return tuple(problem for problem in self.problems if problem.line is not None)


def verify(folder: Path, now: int) -> JournalReport:
    """Reads everything; ``now`` is ms UTC. Never fails: what can't be read is a problem in the report."""
    kinds: Counter[str] = Counter()
    machines: Counter[str] = Counter()
    ahead: Counter[str] = Counter()
    problems: dict[JournalProblem, None] = {}
    limit = (now + SKEW_MS) << COUNTER_BITS
    position, more = JournalPosition(), True
    while more:
        batch = read(folder, position)
        position, more = batch.position, batch.more
        problems |= dict.fromkeys(batch.problems)
        for event in batch.events:
            kinds[event.kind] += 1
            machines[event.machine] += 1
            if event.hlc > limit:
                ahead[event.machine] += 1
    sizes = _sizes(folder)
    unread = {problem.file for problem in problems if problem.line is None}
    longer = [name for name, size in sizes.items() if size > position.files.get(name, Mark()).length]
    return JournalReport(sizes, kinds, machines, ahead, tuple(n for n in longer if n not in unread), tuple(problems))


def show(folder: Path, *, kind: str | None = None, doc: str | None = None, since: int | None = None) -> Iterator[Event]:
    """Events in stamp order, newest last, without bad lines; ``since`` is wall time in ms UTC.

    Merges the machines' files as they stand, holding one event of each: a machine's own events are in order already,
    because it stamps them under its lock. Raises ``OSError`` where a file can't be read.
    """
    files, _ = list_folder(folder)
    streams = [_events(folder, list(own)) for _, own in groupby(files, key=lambda file: file.machine)]
    for event in heapq.merge(*streams, key=lambda event: event.stamp):
        if (kind in (None, event.kind)) and (doc in (None, event.doc)) and (since is None or event.at >= since):
            yield event


def _events(folder: Path, files: list[JournalFile]) -> Iterator[Event]:
    for file in files:
        with (folder / file.name).open("rb") as stream:
            while line := stream.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    continue
                try:
                    yield decode(line)
                except BadLine:
                    continue


def _sizes(folder: Path) -> dict[str, int]:
    try:
        files, _ = list_folder(folder)
        return {file.name: (folder / file.name).stat().st_size for file in files}
    except OSError:
        return {}


_FEW = 4
_TEXT = regex(rb'"((?:[^"\\]|\\.)*)"')


def newest(folder: Path, machine: str, *, own: bool, naming: Sequence[str] = ()) -> Iterator[Event]:
    """The machine's events, newest first; unless ``own``, those of each other machine follow. Bad lines are left out,
    and with ``naming`` those in which none of these texts stands as a whole.

    Holds one file, of 16 MB at most, at a time. Raises ``OSError``."""
    files, _ = list_folder(folder)
    mine = [file for file in files if file.machine == machine]
    others = [] if own else [file for file in files if file.machine != machine]
    wanted = {json.dumps(name)[1:-1].encode() for name in naming}
    for file in (*reversed(mine), *reversed(others)):
        for line in reversed((folder / file.name).read_bytes().split(b"\n")):
            if wanted and not _holds(line, wanted):
                continue
            try:
                yield decode(line)
            except BadLine:
                continue


def _holds(line: bytes, wanted: Collection[bytes]) -> bool:
    """A few are looked for before the line is taken apart, which takes ten times as long."""
    if len(wanted) <= _FEW and not any(name in line for name in wanted):
        return False
    return any(text in wanted for text in _TEXT.findall(line))
