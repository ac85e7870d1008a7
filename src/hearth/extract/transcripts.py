"""Reading a transcript as its bytes come in: whole lines only, whatever they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Protocol

from hearth.extract import claude_code, codex, inbox
from hearth.extract.claude_code import ClaudeCodeParser
from hearth.extract.codex import CodexParser
from hearth.extract.inbox import InboxParser
from hearth.lazy import regex
from hearth.model.host.transcript import Fault, Kind, Position, Style, TranscriptEntry

MAX_LINE = 10 * 1024 * 1024
"""Bytes; a longer line is passed over and never held."""
MAX_FAULTS = 20
_STYLES: dict[Style, type[ClaudeCodeParser] | type[CodexParser] | type[InboxParser]] = {
    "claude-code": ClaudeCodeParser,
    "codex": CodexParser,
    "inbox": InboxParser,
}
_IGNORED = {name.encode() for name in claude_code.IGNORED | codex.IGNORED}
_SCALAR = rb'(?:"[^"\\]*+"|-?\d[\d.eE+-]*+|null|true|false)'
# The outermost type, where only plain values come before it: such a line may be judged without parsing it.
_TYPE = regex(rb'\{(?:"(?!type")[^"\\]*+":' + _SCALAR + rb',){0,20}+"type":"([^"\\]*+)"')
_OBJECT = regex(rb"\s*\{")


class _Dialect(Protocol):
    cwd: str | None
    marks: frozenset[str]

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]: ...


class TranscriptParser:
    """Fed with bytes in chunks of any size, tells the entries of the lines that they complete.

    The host is known by its lines: the first that is typical of one settles it. ``faulty`` counts the lines passed
    over, ``faults`` holds the first 20. Chunks cut differently give the same entries.
    """

    def __init__(self, position: Position | None = None) -> None:
        start = position or Position()
        self._offset = start.offset
        self._turn = start.turn
        self._prompt = start.prompt
        self._start = start
        self._style = start.style
        self._dialect: _Dialect | None = _STYLES[start.style](start) if start.style else None
        self._held: list[bytes] = []
        self._size = 0
        self.faulty = 0
        self.faults: list[Fault] = []

    @property
    def position(self) -> Position:
        """After the last complete line."""
        if self._dialect is None:
            return replace(self._start, offset=self._offset)
        dialect = self._dialect
        return Position(self._offset, self._turn, self._prompt, self._style, dialect.cwd, dialect.marks)

    def feed(self, data: bytes) -> list[TranscriptEntry]:
        """The entries of all lines that end in ``data``. Never raises for what a line holds."""
        found: list[TranscriptEntry] = []
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            if end > start or self._size:
                self._hold(data[start:end])
                found.extend(self._complete())
            else:
                self._offset += 1
            start = end + 1
        self._hold(data[start:])
        return found

    def _hold(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > MAX_LINE:
            self._held.clear()
        elif part:
            self._held.append(part)

    def _complete(self) -> list[TranscriptEntry]:
        size, line = self._size, b"".join(self._held)
        offset = self._offset
        self._offset += size + 1
        self._size = 0
        self._held.clear()
        if size > MAX_LINE:
            self._fault(offset, f"longer than {MAX_LINE // 2**20} MB")
            return []
        return self._line(line, offset)

    def _line(self, line: bytes, offset: int) -> list[TranscriptEntry]:
        kind = _TYPE.match(line)
        if (kind and kind[1] in _IGNORED) or line.isspace():
            return []
        record = self._record(line, offset)
        dialect = self._dialect or (self._detect(record) if record else None)
        if record is None or dialect is None:
            return []
        return [self._place(entry, offset) for entry in dialect.entries(record)]

    def _record(self, line: bytes, offset: int) -> dict[str, Any] | None:
        if not offset:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            # Anything but an object need not be parsed to be refused.
            record = json.loads(line.decode("utf-8", "replace")) if _OBJECT.match(line) else None
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            return record
        self._fault(offset, "not a JSON object")
        return None

    def _detect(self, record: dict[str, Any]) -> _Dialect | None:
        kind = record.get("type")
        if not isinstance(kind, str):
            return None
        if kind in codex.TYPES and isinstance(record.get("payload"), dict):
            self._style = "codex"
        elif kind in claude_code.TYPES:
            self._style = "claude-code"
        elif kind in inbox.TYPES:
            self._style = "inbox"
        else:
            return None
        self._dialect = _STYLES[self._style](self._start)
        return self._dialect

    def _place(self, entry: TranscriptEntry, offset: int) -> TranscriptEntry:
        if entry.kind is Kind.USER:
            again = entry.prompt is not None and entry.prompt == self._prompt
            if not self._turn or not (again or entry.queued):
                self._turn += 1
            self._prompt = entry.prompt
        return replace(entry, offset=offset, turn=self._turn, prompt=self._prompt)

    def _fault(self, offset: int, reason: str) -> None:
        self.faulty += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(offset, reason))
