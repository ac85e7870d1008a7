"""Reading a transcript as its bytes come in, and turns that a client handed over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import PROMPT_LOST, PROMPT_MISSING, Fault, Kind, Link, Position, Style, TranscriptEntry
from hearth.transcripts import claude_code, codex, gemini, openclaw
from hearth.transcripts.actions import instant, text_of
from hearth.transcripts.claude_code import ClaudeCodeParser
from hearth.transcripts.codex import CodexParser
from hearth.transcripts.gemini import GeminiParser
from hearth.transcripts.openclaw import OpenClawParser
from hearth.transcripts.typed import strip_added

LONGEST_STRING = 1024 * 1024
"""Bytes kept of a text in a line over the limit; nothing of data, as which base64 of over 4 KiB counts."""
_SAMPLE = 4096
_RECORD = regex(r'\{\s*"')
_DATA = regex(rb"[A-Za-z0-9+/=_:;,-]*+")
# A line that shows one of these is no prompt, whatever is lost of it.
_NO_PROMPT = regex(
    rb'"type":\s*"(?:assistant|tool_result|tool_use|thinking|attachment|progress|system|agent_message|agentMessage'
    rb'|function_call|function_call_output|custom_tool_call|custom_tool_call_output|reasoning|token_count)"'
    rb'|"toolUseResult"|"role":\s*"assistant"'
)


@dataclass(frozen=True, slots=True)
class Salvage:
    """``records`` are the whole objects of a line, ``lost`` tells the text before each of them, and after the last:
    one more than there are objects."""

    records: tuple[dict[str, Any], ...]
    lost: tuple[str, ...]


def salvage(text: str, is_record: Callable[[dict[str, Any]], bool]) -> Salvage:
    """Every whole record of a damaged line, whatever stands before, between or after them. An object inside a record
    that is cut is none. The work is bounded by the length of the line."""
    decoder = json.JSONDecoder(strict=False)
    records: list[dict[str, Any]] = []
    lost: list[str] = []
    budget = 8 * len(text) + 65_536
    done = at = 0
    while budget > 0 and (found := _RECORD.search(text, at)):
        start = found.start()
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            budget -= 4_096 + (len(text) if error.msg.startswith("Unterminated") else error.pos) - start
            at = start + 1
            continue
        except (ValueError, RecursionError):
            budget -= 65_536
            at = start + 1
            continue
        budget -= end - start
        at = end
        if isinstance(value, dict) and is_record(value) and not _is_inside(text, start, end):
            records.append(value)
            lost.append(text[done:start])
            done = end
    return Salvage(tuple(records), (*lost, text[done:]))


def _is_inside(text: str, start: int, end: int) -> bool:
    """Whether an object stands where another one, which is cut, holds a value."""
    before, after = text[max(0, start - 64) : start].rstrip(), text[end : end + 64].lstrip()
    return before[-1:] in (":", "[", ",") and after[:1] in (",", "]", "}") and before[-1:] != ""


def may_hold_prompt(data: bytes) -> bool:
    """Whether what was lost may have been what a person typed."""
    return _NO_PROMPT.search(data) is None


class LineShortener:
    """Fed with a line in chunks of any size, keeps all of it but the rest of its longest strings, and at most ``most``
    bytes. ``is_over`` says that even that was too much."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[bytes] = []
        self._size = 0
        self._string: bytearray | None = None
        self._is_data = False
        self._escaped = False
        self.is_over = False

    def feed(self, data: bytes) -> None:
        at = 0
        while at < len(data) and not self.is_over:
            if self._string is None:
                quote = data.find(b'"', at)
                end = len(data) if quote < 0 else quote + 1
                self._keep(data[at:end])
                if quote >= 0:
                    self._string, self._is_data, self._escaped = bytearray(), False, False
                at = end
            else:
                at = self._feed_string(data, at)

    def line(self) -> bytes:
        if self._string is not None:
            self._keep(bytes(self._string))
        return b"".join(self._kept)

    def _feed_string(self, data: bytes, start: int) -> int:
        """Gives the place after what belongs to the string."""
        at = start
        if self._escaped and at < len(data):
            at += 1
            self._escaped = False
        while True:
            quote = data.find(b'"', at)
            end = len(data) if quote < 0 else quote
            slashes = 0
            while end - slashes > at and data[end - slashes - 1] == 0x5C:
                slashes += 1
            if quote < 0 or slashes % 2 == 0:
                break
            at = quote + 1
        self._hold(data[start:end])
        if quote < 0:
            self._escaped = slashes % 2 == 1
            return len(data)
        assert self._string is not None
        self._keep(_whole_escapes(bytes(self._string)) + b'"')
        self._string = None
        return end + 1

    def _hold(self, part: bytes) -> None:
        text = self._string
        assert text is not None
        if self._is_data:
            return
        checked = len(text) >= _SAMPLE
        text += part[: LONGEST_STRING - len(text)]
        if not checked and len(text) >= _SAMPLE and _DATA.fullmatch(text[:_SAMPLE]):
            self._is_data = True
            text.clear()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._most:
            self.is_over = True
            self._kept.clear()
        elif part:
            self._kept.append(part)


def _whole_escapes(string: bytes) -> bytes:
    """Without an escape that was cut at its end."""
    tail = string[-8:]
    slash = tail.rfind(b"\\")
    if slash < 0:
        return string
    run = len(tail[: slash + 1]) - len(tail[: slash + 1].rstrip(b"\\"))
    needed = 6 if tail[slash + 1 : slash + 2] == b"u" else 2
    if run % 2 == 1 and len(tail) - slash < needed:
        return string[: len(string) - (len(tail) - slash)]
    return string


TYPES = frozenset({"hearth-turn"})
IGNORED: frozenset[str] = frozenset()
_KINDS = {"user": Kind.USER, "assistant": Kind.ASSISTANT}


def line(role: str, text: str, at: int) -> bytes:
    """One turn as it is kept; ``at`` is ms UTC."""
    record = {"type": "hearth-turn", "role": role, "at": instants.show_exactly(at), "text": text}
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class InboxParser:
    def __init__(self, position: Position) -> None:
        self.cwd = position.cwd
        self.marks: frozenset[str] = frozenset()
        self.leaf: str | None = None

    def link(self, record: dict[str, Any]) -> Link | None:
        """Turns that were handed over are a list."""
        return None

    def knows(self, uid: str) -> bool:
        return True

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        role = record.get("role")
        kind = _KINDS.get(role) if isinstance(role, str) else None
        text = text_of(record.get("text"))
        words = strip_added(text) if kind is Kind.USER else text.strip()
        if kind is not None and words:
            yield TranscriptEntry(kind, words, instant(record.get("at")))


MAX_LINE = 10 * 1024 * 1024
"""Bytes; of a longer line the longest strings are passed over and never held."""
MAX_FAULTS = 20
_STYLES: dict[
    Style,
    type[ClaudeCodeParser] | type[CodexParser] | type[GeminiParser] | type[InboxParser] | type[OpenClawParser],
] = {
    "claude-code": ClaudeCodeParser,
    "codex": CodexParser,
    "gemini": GeminiParser,
    "inbox": InboxParser,
    "openclaw": OpenClawParser,
}
_IGNORED = {name.encode() for name in claude_code.IGNORED | codex.IGNORED}
_SCALAR = rb'(?:"[^"\\]*+"|-?\d[\d.eE+-]*+|null|true|false)'
# The outermost type, where only plain values come before it: such a line may be judged without parsing it.
_TYPE = regex(rb'\{(?:"(?!type")[^"\\]*+":' + _SCALAR + rb',){0,20}+"type":"([^"\\]*+)"')
_OBJECT = regex(rb"\s*\{")
_LOST = frozenset({PROMPT_LOST, PROMPT_MISSING})


class _Dialect(Protocol):
    cwd: str | None
    marks: frozenset[str]
    leaf: str | None

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]: ...

    def link(self, record: dict[str, Any]) -> Link | None: ...

    def knows(self, uid: str) -> bool: ...


class TranscriptParser:
    """Fed with bytes in chunks of any size, tells the entries of the lines that they complete.

    The host is known by its lines: the first that is typical of one settles it. ``faulty`` counts the lines of which
    something was passed over, ``faults`` holds the first 20. ``links`` are the lines of the tree that the host writes.
    Chunks cut differently give the same entries.
    """

    def __init__(self, position: Position | None = None) -> None:
        start = position or Position()
        self._offset = start.offset
        self._turn = start.turn
        self._prompt = start.prompt
        # A mark of ours while the next answer may be one to a prompt that was lost.
        self._lost = next((mark for mark in _LOST if mark in start.marks), None)
        self._start = start = replace(start, marks=start.marks - _LOST)
        self._style = start.style
        self._dialect: _Dialect | None = _STYLES[start.style](start) if start.style else None
        self._held: list[bytes] = []
        self._size = 0
        self._long: LineShortener | None = None
        self._message: str | None = None
        self._opened_after: str | None = None
        self.links: list[Link] = []
        self.faulty = 0
        self.faults: list[Fault] = []

    @property
    def position(self) -> Position:
        """After the last complete line."""
        lost = {self._lost} if self._lost else set()
        if self._dialect is None:
            return replace(self._start, offset=self._offset, marks=self._start.marks | lost)
        dialect = self._dialect
        marks = frozenset(dialect.marks | lost)
        return Position(self._offset, self._turn, self._prompt, self._style, dialect.cwd, marks, dialect.leaf)

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
        if self._long is None and self._size > MAX_LINE:
            self._long = LineShortener(MAX_LINE)
            for entry in self._held:
                self._long.feed(entry)
            self._held.clear()
        if self._long is not None:
            self._long.feed(part)
        elif part:
            self._held.append(part)

    def _complete(self) -> list[TranscriptEntry]:
        size, long, line = self._size, self._long, b"".join(self._held)
        offset = self._offset
        self._offset += size + 1
        self._size = 0
        self._long = None
        self._held.clear()
        if long is None:
            return self._line(line, offset)
        reason = f"longer than {MAX_LINE // 2**20} MB"
        if long.is_over:
            self._lose(b"")
            self._fault(offset, reason)
            return []
        self._fault(offset, reason)
        return self._line(long.line(), offset, is_counted=True)

    def _line(self, line: bytes, offset: int, *, is_counted: bool = False) -> list[TranscriptEntry]:
        kind = _TYPE.match(line)
        if (kind and kind[1] in _IGNORED) or line.isspace():
            return []
        if not offset:
            line = line.removeprefix(b"\xef\xbb\xbf")
        text = line.decode("utf-8", "replace")
        try:
            # Anything but an object need not be parsed to be refused.
            record = json.loads(text) if _OBJECT.match(line) else None
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            return self._entries(record, offset)
        return self._salvaged(text, offset, is_counted=is_counted)

    def _salvaged(self, text: str, offset: int, *, is_counted: bool) -> list[TranscriptEntry]:
        """Of a damaged line."""
        found = salvage(text, _is_record)
        entries: list[TranscriptEntry] = []
        if not is_counted and any(lost.strip() for lost in found.lost):
            self._fault(offset, "not a JSON object")
        for place, lost in enumerate(found.lost):
            if lost.strip():
                self._lose(lost.encode("utf-8", "replace"))
            if place < len(found.records):
                entries += self._entries(found.records[place], offset)
        return entries

    def _entries(self, record: dict[str, Any], offset: int) -> list[TranscriptEntry]:
        dialect = self._dialect or self._detect(record)
        if dialect is None:
            return []
        link = dialect.link(record)
        if link is not None and self._lost == PROMPT_LOST and link.parent is not None:
            # What follows a line that was read follows no lost one.
            self._lost = None if dialect.knows(link.parent) else PROMPT_MISSING
        before = self._turn
        placed = [self._place(entry, offset, link) for entry in dialect.entries(record)]
        if link is not None:
            dialect.leaf = dialect.leaf if link.is_aside else link.uid
            opens = self._turn > before and any(e.kind is Kind.USER and not e.queued for e in placed)
            if opens:
                self._opened_after = link.parent
            place = (link.uid, link.parent, offset, self._turn, opens)
            self.links.append(Link(*place, link.spoken, link.is_start, link.index, link.is_aside))
        return placed

    def _detect(self, record: dict[str, Any]) -> _Dialect | None:
        style = _style_of(record)
        if style is None:
            return None
        self._style = style
        self._dialect = _STYLES[style](self._start)
        return self._dialect

    def _place(self, entry: TranscriptEntry, offset: int, link: Link | None) -> TranscriptEntry:
        if entry.kind is Kind.USER:
            again = entry.prompt is not None and entry.prompt == self._prompt and not self._is_edited(link)
            if not self._turn or not (again or entry.queued):
                self._turn += 1
            self._prompt = entry.prompt
            self._lost = None
        elif entry.kind in (Kind.ASSISTANT, Kind.TOOL_CALL):
            if self._lost and (entry.message is None or entry.message != self._message):
                self._turn += 1
                self._prompt = None
                self._lost = None
            self._message = entry.message
        cwd = self._dialect.cwd if self._dialect is not None else None
        return replace(entry, offset=offset, turn=self._turn, prompt=self._prompt, cwd=cwd)

    def _is_edited(self, link: Link | None) -> bool:
        """Whether a prompt stands where the one that opened the turn stands."""
        return link is not None and link.parent is not None and link.parent == self._opened_after

    def _lose(self, data: bytes) -> None:
        if self._lost is None and may_hold_prompt(data):
            self._lost = PROMPT_LOST

    def _fault(self, offset: int, reason: str) -> None:
        self.faulty += 1
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(offset, reason))


def _style_of(record: dict[str, Any]) -> Style | None:
    """The host that writes such a record."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return None
    if kind in codex.TYPES and isinstance(record.get("payload"), dict):
        return "codex"
    if gemini.is_transcript(record):
        return "gemini"
    if kind in claude_code.TYPES:
        return "claude-code"
    if openclaw.is_transcript(record):
        return "openclaw"
    return "inbox" if kind in TYPES else None


def _is_record(record: dict[str, Any]) -> bool:
    return _style_of(record) is not None
