"""The transcripts that hosts write: regular files, read from where the last reading stopped."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.transcript import Kind, Link, Position, Reading, TakenBack, TranscriptEntry, Watermark
from hearth.transcripts import turns
from hearth.transcripts.transcripts import TranscriptParser

MOST = 128 * 1024 * 1024
TAIL = 64 * 1024
_MOST_RESTART = 16 * 1024 * 1024
_LONGEST_NAME = 2 * 1024
MOST_TAIL = 1024 * 1024
_CHUNK = 1024 * 1024
_DIGESTED = 4096


class DiskTranscripts:
    """Reads transcripts of the local file system; never waits for one, never writes."""

    def read(self, path: str, since: Watermark | None = None, most: int = MOST, *, until: int | None = None) -> Reading:
        """What complete lines hold beyond ``since``, at most about ``most`` bytes of them at a time, none beyond
        the byte ``until``; without turns that were taken back by then, for which up to ``MOST`` bytes before ``since``
        are looked at where a line follows one of them.

        Where the file is shorter than the watermark says, or begins or goes on otherwise, it is read from the start.
        Raises ``NotFound`` if there is no file, ``Unavailable`` if it can't be read or is none, ``UsageError`` for a
        path that is not absolute.
        """
        with _open(path) as handle:
            since = since or Watermark()
            size = os.fstat(handle).st_size
            reset = _reset(handle, size, since)
            begin = _line_start(handle, since) if reset is None else Position()
            parser = TranscriptParser(begin)
            start = begin.offset
            entries: list[TranscriptEntry] = []
            at, end = start, size if until is None else min(size, until)
            while at < end and (at - start < most or parser.position.offset == start):
                data = os.pread(handle, min(_CHUNK, end - at), at)
                if not data:
                    break
                entries.extend(parser.feed(data))
                at += len(data)
            position = parser.position
            watermark = Watermark(position, _digest(handle, position.offset))
            taken_back = _find_taken_back(handle, begin, parser.links)
        turns = {one.turn for one in taken_back}
        return Reading(
            tuple(entry for entry in entries if entry.turn not in turns),
            watermark,
            reset,
            at < end,
            parser.faulty,
            tuple(parser.faults),
            dropped=tuple(entry for entry in entries if entry.turn in turns),
            taken_back=tuple(one for one in taken_back if one.offset < start),
        )

    def size(self, path: str) -> int:
        """Bytes up to the end of the last complete line. Raises as :meth:`read` does."""
        with _open(path) as handle:
            return _line_end(handle, os.fstat(handle).st_size)

    def tail(self, path: str, size: int = TAIL, wanted: int = 3) -> list[TranscriptEntry]:
        """The prompts in the last ``size`` bytes, oldest first; four times as far back each time that there are fewer
        than ``wanted``, at most 1 MiB: hosts write what no one said in between, 60 KB at once. Turns count from the
        first prompt found. Raises as :meth:`read` does."""
        with _open(path) as handle:
            end = os.fstat(handle).st_size
            while True:
                prompts = _prompts(handle, max(0, end - size), end)
                if len(prompts) >= wanted or size >= min(end, MOST_TAIL):
                    return prompts
                size = min(4 * size, MOST_TAIL)


def _prompts(handle: int, start: int, end: int) -> list[TranscriptEntry]:
    # One byte before tells whether a line starts right there.
    data = _bytes(handle, max(0, start - 1), end - max(0, start - 1))
    if start:
        cut = data.find(b"\n") + 1
        start, data = start - 1 + cut, data[cut:] if cut else b""
    parser = TranscriptParser(Position(offset=start))
    entries = parser.feed(data)
    gone = {one.turn for one in turns.find_taken_back(parser.links, _assume_leaf(start, parser.links))}
    return [entry for entry in entries if entry.kind is Kind.USER and entry.turn not in gone]


def _find_taken_back(handle: int, begin: Position, links: Sequence[Link]) -> list[TakenBack]:
    """The turns that these lines, read from a position on, show to be taken back, those before it included."""
    if not begin.offset:
        return turns.find_taken_back(links)
    leaf = begin.leaf or _assume_leaf(begin.offset, links)
    start = _find_branch(handle, begin.offset, {name for name in turns.find_missing(links) if name != leaf})
    if turns.may_restart(links) and begin.offset <= _MOST_RESTART:
        start = 0
    if start is None:
        return turns.find_taken_back(links, leaf)
    earlier = _look_back(handle, begin, start)
    if start and not turns.are_joined(earlier, leaf):
        # It goes on from a branch that was left before.
        earlier = _look_back(handle, begin, _line_end(handle, max(0, begin.offset - MOST)))
    first = earlier[0].offset if earlier else begin.offset
    return turns.find_taken_back([*earlier, *links], _assume_leaf(first, earlier))


def _assume_leaf(offset: int, links: Sequence[Link]) -> str | None:
    """Where reading begins in the middle of a file, the first line that is followed without having been read."""
    return next(iter(turns.find_missing(links)), None) if offset else None


def _find_branch(handle: int, before: int, names: Collection[str]) -> int | None:
    """The byte at which the first of these lines starts, as far as they are found; ``None`` where none is."""
    wanted = {name: tuple(f'"uuid":{gap}{json.dumps(name)}'.encode() for gap in ("", " ")) for name in names}
    found: int | None = None
    end, lowest = before, max(0, before - MOST)
    while wanted and end > lowest:
        start = max(lowest, end - _CHUNK)
        # A name may lie across two chunks.
        data = _bytes(handle, start, min(end + _LONGEST_NAME, before) - start)
        for name, forms in list(wanted.items()):
            at = max(data.rfind(form) for form in forms)
            if at >= 0:
                found = min(start + at, before if found is None else found)
                del wanted[name]
        end = start
    return None if found is None else _line_end(handle, found)


def _look_back(handle: int, begin: Position, start: int) -> list[Link]:
    """The lines of the tree between a line and a position."""
    parser = TranscriptParser(Position(offset=start, style=begin.style))
    at = start
    while at < begin.offset and (data := os.pread(handle, min(_CHUNK, begin.offset - at), at)):
        parser.feed(data)
        at += len(data)
    shift = begin.turn - parser.position.turn
    return [replace(link, turn=link.turn + shift) for link in parser.links]


@contextmanager
def _open(path: str) -> Iterator[int]:
    if not path or "\0" in path or not Path(path).is_absolute():
        raise UsageError(f"transcript {path[:200]!r} is not an absolute path; give the host's file in full")
    handle = -1
    try:
        # Asked before it is opened: opening alone wakes some devices.
        _refuse_special(path, os.stat(path))  # noqa: PTH116
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        _refuse_special(path, os.fstat(handle))
        yield handle
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"transcript {path} does not exist; the host may not have written it yet") from error
    except UnicodeEncodeError as error:
        raise UsageError(f"transcript {path[:200]!r} is not a file name; give the host's file in full") from error
    except OSError as error:
        reason = error.strerror or error
        raise Unavailable(f"transcript {path} can't be read: {reason}; check its permissions") from error
    finally:
        if handle >= 0:
            os.close(handle)


def _refuse_special(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Unavailable(f"transcript {path} is not a regular file; name the host's .jsonl file")


def _reset(handle: int, size: int, since: Watermark) -> str | None:
    """Why the file is not the one that the watermark was made of, if it is not."""
    offset = since.position.offset
    if not offset:
        return None
    if size < offset:
        return f"the file shrank to {size} bytes; {offset} were read before"
    if since.digest and _digest(handle, offset) != since.digest:
        return f"the first {offset} bytes changed since they were read"
    return None


def _line_start(handle: int, since: Watermark) -> Position:
    """The position itself; one that is a mere number of bytes may lie inside a line, which was not read then."""
    return since.position if since.digest else replace(since.position, offset=_line_end(handle, since.position.offset))


def _line_end(handle: int, before: int) -> int:
    """The end of the last line that ends at or before a byte; 0 if none does."""
    while before:
        start = max(0, before - TAIL)
        if cut := _bytes(handle, start, before - start).rfind(b"\n") + 1:
            return start + cut
        before = start
    return 0


def _digest(handle: int, offset: int) -> str:
    """Of the first and the last 4 KiB before ``offset``."""
    if not offset:
        return ""
    found = hashlib.sha256(_bytes(handle, 0, min(_DIGESTED, offset)))
    start = max(0, offset - _DIGESTED)
    found.update(_bytes(handle, start, offset - start))
    return found.hexdigest()[:32]


def _bytes(handle: int, start: int, most: int) -> bytes:
    """``most`` bytes from ``start``, fewer at the end of the file."""
    data = os.pread(handle, most, start)
    while len(data) < most and (more := os.pread(handle, most - len(data), start + len(data))):
        data += more
    return data
