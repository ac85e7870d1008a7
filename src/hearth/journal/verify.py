"""Looking at journals: what a folder holds, what is wrong with it, and its newest events."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from hearth.core.journal import Event
from hearth.core.lazy import dataclass, regex
from hearth.journal.line import COUNTER_BITS, SKEW_MS, BadLine, decode
from hearth.journal.machine import JournalFile, list_folder
from hearth.journal.read import LONGEST_LINE, JournalPosition, JournalProblem, Mark, read


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
