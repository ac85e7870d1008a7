"""What formats of conversations share: what a reader gives, the head of a file that identifies its format, and
times as they come from outside.

A format has a ``probe``, which says from a file's first 64 KiB how certain it is, and a ``read``. Names of files never
decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, BinaryIO, Protocol

from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Kind, TranscriptEntry
from hearth.importers.runs import ImportReport
from hearth.transcripts.actions import text_of

HEAD_BYTES = 64 * 1024
MAX_CONVERSATION_CHARS = 128 * 2**20
"""Of one conversation, which is held in memory; a file may hold any number of them."""
_SQLITE = b"SQLite format 3\0"
_FIRST_MS = 631_152_000_000  # 1990: nobody talked to an agent, or exported a chat, before
_AHEAD_MS = instants.DAY_MS
_TOKEN = regex(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\],]', re.DOTALL)
_TABLE = regex(rb"CREATE TABLE (?:IF NOT EXISTS )?[\"`\[]?(\w+)", re.IGNORECASE)
_CLOSING = {"{": "}", "[": "]"}
_MOST_RECORDS = 40


class SourceFile(Protocol):
    """A file of a source, which is only read. ``name`` says where it is, for people; ``place`` is its path on the disk,
    ``None`` inside an archive; ``folder`` is the name of the folder it is in."""

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str | None: ...
    @property
    def folder(self) -> str: ...
    def open(self) -> BinaryIO: ...
    def beside(self, path: str) -> SourceFile | None:
        """Another file, by its path from this one's folder."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """``id`` is the source's own. ``host`` is set where hooks of that host may have captured the session; then
    ``transcript`` and ``read_to`` say how far its file was read. ``speakers`` names who speaks by the ``offset`` of
    entries, where third persons do. ``left_out`` says why nothing is taken of one, where that is so."""

    source: str
    id: str
    entries: Sequence[TranscriptEntry]
    title: str = ""
    host: str | None = None
    cwd: str | None = None
    transcript: str = ""
    read_to: int = 0
    speakers: Mapping[int, str] = field(default_factory=dict)
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Something that the source remembers or keeps beside conversations: a memory, a project's document."""

    source: str
    id: str
    title: str
    text: str
    at: int | None = None


Found = Conversation | Page


@dataclass(frozen=True, slots=True)
class Reading:
    """What readers need: who ``me`` is in the source (names, ids), the present moment, and the report to count in."""

    me: frozenset[str]
    now: int
    report: ImportReport
    listings: dict[str, dict[str, str]] = field(default_factory=dict)
    """Names by id, by the name of the file that lists them: read once a run."""

    def instant(self, value: object) -> int | None:
        """A time as ms UTC: ISO 8601 with an offset, or a number of seconds or milliseconds since 1970. What has no
        offset, is in the future or can't be is dropped and counted."""
        if value is None or value == "":
            return None
        found = _number(value) if not isinstance(value, str) else _written(value)
        if found is None or not _FIRST_MS <= found <= self.now + _AHEAD_MS:
            self.report.dropped_times += 1
            return None
        return found

    def is_me(self, *names: str) -> bool:
        return any(name.casefold() in self.me for name in names if name)


def _number(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e17:
        return None
    return round(value if abs(value) > 1e11 else value * 1000)


def _written(text: str) -> int | None:
    text = text.strip()
    if text.replace(".", "", 1).isdigit():
        return _number(float(text)) if len(text) < 20 else None
    has_offset = text.endswith(("Z", "z")) or "+" in text[10:] or "-" in text[10:]
    return instants.parse(text) if has_offset and len(text) > 10 else None


@dataclass(frozen=True)
class Head:
    """The first bytes of a file; of a database the names of its tables, which need not stand there."""

    data: bytes
    listed: frozenset[str] = frozenset()

    @property
    def is_database(self) -> bool:
        return self.data.startswith(_SQLITE)

    @cached_property
    def tables(self) -> frozenset[str]:
        """In lower case; empty for any other file."""
        if self.listed or not self.is_database:
            return self.listed
        return frozenset(name.decode("ascii").lower() for name in _TABLE.findall(self.data))

    @cached_property
    def text(self) -> str:
        return self.data.decode("utf-8-sig", "replace")

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The objects of the first lines of a file that has one a line; empty for any other file."""
        found: list[dict[str, Any]] = []
        if not self.text.lstrip().startswith("{"):
            return found
        failed = 0
        for line in self.text.split("\n")[:_MOST_RECORDS]:
            record = parse_object(line)
            if record is not None:
                found.append(record)
            elif line.strip():
                failed += 1
        return found if len(found) > failed or (found and len(self.data) >= HEAD_BYTES) else []

    @cached_property
    def value(self) -> Any:
        """The JSON value that the file begins, as far as it goes; ``None`` for any other file."""
        text = self.text.lstrip()
        return _parse_beginning(text) if text[:1] in ("{", "[") else None

    @cached_property
    def items(self) -> list[dict[str, Any]]:
        """The first objects of a JSON list."""
        value = self.value
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @cached_property
    def document(self) -> dict[str, Any]:
        """A JSON object, as far as it goes."""
        return self.value if isinstance(self.value, dict) and len(self.records) < 2 else {}


def parse_object(line: str | bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parse_beginning(text: str) -> Any:
    """Of a value that was cut off: closed behind its last complete member."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    open_ends: list[str] = []
    closed, last = "", 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark[0] == '"' and (len(mark) == 1 or token.end() == len(text)):
            break  # the text in which it breaks off
        if mark in _CLOSING:
            open_ends.append(_CLOSING[mark])
            closed, last = "".join(reversed(open_ends)), token.end()
        elif mark in ("}", "]"):
            if not open_ends or open_ends.pop() != mark:
                return None
            if open_ends:
                closed, last = "".join(reversed(open_ends)), token.end()
        elif mark == ",":
            closed, last = "".join(reversed(open_ends)), token.start()
    try:
        return json.loads(text[:last] + closed)
    except (ValueError, RecursionError):
        return None


def check_size(chars: int) -> None:
    """Raises ``UsageError`` for a conversation with more text than may be held in memory."""
    if chars > MAX_CONVERSATION_CHARS:
        raise UsageError(f"one conversation of it has over {MAX_CONVERSATION_CHARS // 2**20} MB of text; split it")


TOO_LARGE: list[TranscriptEntry] = []
"""The entries of a conversation with more text than may be held in memory: others of its file can still be read."""


class EntryList:
    """Builds the entries of a conversation that comes message by message; they are ``TOO_LARGE`` once it has too much
    text. ``offset`` is where the present message stands in its file, for transcripts of which capture may read the
    rest; else entries are numbered."""

    def __init__(self) -> None:
        self.offset: int | None = None
        self.entries: list[TranscriptEntry] = []
        self.speakers: dict[int, str] = {}
        self._turn = self._chars = 0

    def add(self, kind: Kind, text: object, at: int | None = None, *, uid: str | None = None, by: str = "") -> None:
        """Something said; ``by`` names who speaks where third persons do. Nothing is added for an empty text."""
        said = text_of(text).replace("\0", "").strip()
        self._chars += len(said)
        if self._chars > MAX_CONVERSATION_CHARS:
            self.entries = TOO_LARGE
        if self.entries is TOO_LARGE or (not said and kind is not Kind.BOUNDARY):
            return
        self._turn += kind is Kind.USER or not self._turn
        place = len(self.entries) if self.offset is None else self.offset
        if by:
            self.speakers[place] = " ".join(text_of(by).split())[:80]
        # Each a message of its own, unless a source says that two belong together.
        message = f"{len(self.entries)}"
        self.entries.append(TranscriptEntry(kind, said, at, uid, place, self._turn, message=message))

    def call(self, tool: str, at: int | None = None, files: Iterable[str] = (), *, failed: bool = False) -> None:
        """A tool that was called."""
        if self.entries is TOO_LARGE:
            return
        place = len(self.entries) if self.offset is None else self.offset
        call = f"call-{len(self.entries)}"
        given: dict[str, Any] = {"tool": text_of(tool)[:80], "files": tuple(files), "call": call}
        self.entries.append(TranscriptEntry(Kind.TOOL_CALL, "", at, None, place, self._turn, **given))
        if failed:
            result = TranscriptEntry(Kind.TOOL_RESULT, "", at, None, place, self._turn, call=call, failed=True)
            self.entries.append(result)


@dataclass(frozen=True)
class Format:
    """``probe`` gives a certainty from 0 to 1. ``gathers`` says that conversations go across the files of a folder:
    then they are read together."""

    name: str
    title: str
    probe: Callable[[Head], float]
    read: Callable[[Sequence[SourceFile], Reading], Iterator[Found]]
    gathers: bool = False


def recognize(head: Head, formats: Sequence[Format]) -> Format | None:
    """The format of a file, ``None`` where none is likely. Raises ``UsageError`` for a tie."""
    found = sorted(((one.probe(head), one) for one in formats), key=lambda pair: -pair[0])
    best = [one for certainty, one in found if certainty == found[0][0]]
    if found[0][0] < LIKELY:
        return None
    if len(best) > 1:
        names = " or ".join(one.name for one in best)
        raise UsageError(f"may be {names}; say which with --format")
    return best[0]


LIKELY = 0.5


def find_chain(
    records: Sequence[dict[str, Any]], uid: str, parent: str, *, has_root: bool = True
) -> list[dict[str, Any]]:
    """The records on the way from the last one to the first, in order; those without an id stay. A circle ends the way.
    Where a parent is missing, what stands before it counts too if the first record ``has_root``, which names none."""
    by_id = {record[uid]: place for place, record in enumerate(records) if isinstance(record.get(uid), str)}
    kept: set[int] = set()
    at = max(by_id.values(), default=None)
    while at is not None and at not in kept:
        kept.add(at)
        follows = records[at].get(parent)
        if parent not in records[at] or (isinstance(follows, str) and follows not in by_id and has_root):
            # What was before is lost, or in another file.
            kept.update(range(at))
            break
        at = by_id.get(follows) if isinstance(follows, str) else None
    return [one for place, one in enumerate(records) if place in kept or not isinstance(one.get(uid), str)]


def share(found: Iterable[object], most: int = _MOST_RECORDS) -> float:
    """The share of checks that hold; 0 of none."""
    checks = [bool(one) for _, one in zip(range(most), found, strict=False)]
    return sum(checks) / len(checks) if checks else 0.0
