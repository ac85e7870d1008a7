"""The transcript of a session held here: JSON lines in OpenClaw's form, which its readers open and which we read back.

Each line names the line that it follows. A turn is committed by a last line of its own, so that lines which a crash
left without it belong to no turn: the next turn follows what was committed before.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from hearth.context.engine.messages import Message, Outline, Role, measure
from hearth.core import instants
from hearth.core.lazy import dataclass
from hearth.transcripts.actions import dict_of, name_of, text_of

VERSION = 3
TURN, FLUSH = "hearth.turn", "hearth.flush"
_OURS = "hearth"
_ENTRY_BYTES = 4
_ARGUMENTS = frozenset({"arguments", "input"})
_MOST_NAMED = 1_000
"""Characters of an argument that may be a password."""
_MOST_FRESH = 64 * 1024 * 1024
"""Bytes of lines."""
_SPOKEN = frozenset({"message", "custom_message", "branch_summary"})
_BREAKS = frozenset({"compaction", "reset"})
_ENDS = _BREAKS | {"custom"}


class SessionLogs(Protocol):
    """Where transcripts lie. All raise ``Unavailable`` where the disk does not let them."""

    def read(self, agent: str, session: str, since: int = 0) -> bytes:
        """The bytes from ``since`` on; none where there is no such file."""
        ...

    def read_parts(self, agent: str, session: str, places: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes at each place: where it begins, and how many."""
        ...

    def append(self, agent: str, session: str, write: Callable[[bytes], bytes], since: int) -> None:
        """Adds what ``write`` makes of the bytes from ``since`` on, whole and durable, while no other process
        appends."""
        ...


@dataclass(frozen=True, slots=True)
class Record:
    """A line: where it stands, and the measure of the message that it holds."""

    id: str
    parent: str | None
    kind: str
    offset: int
    size: int
    at: int | None = None
    message: Message | None = None
    summary: str = ""
    first_kept: str | None = None
    by_person: bool = True
    """Whether it belongs to a turn that a person began."""


@dataclass(frozen=True, slots=True)
class FlushState:
    """``done`` says that nothing is left to ask in this cycle; ``failed`` counts tries that failed."""

    asked: int = 0
    failed: int = 0
    done: bool = False


class Transcript:
    """Lines folded as they come in."""

    def __init__(self) -> None:
        self.offset = 0
        self.header: dict[str, Any] = {}
        self.leaf: str | None = None
        self.keys: dict[str, str] = {}
        self.usages: list[tuple[int, int]] = []
        self.cycle = 0
        """Compactions and resets so far."""
        self.compacted_at = 0
        """The byte after the last compaction or reset."""
        self.compacted: tuple[int, int] | None = None
        """Tokens before and after the last compaction, unless a reset followed."""
        self.started: int | None = None
        self.active: int | None = None
        """When a person spoke last, ms UTC."""
        self.is_shared = False
        """Whether others take part."""
        self.host = ""
        """The program that ran the agent last, where it said so."""
        self.model_failures = 0
        """Compactions in a row whose language model failed."""
        self.faults = 0
        self.fresh: dict[str, dict[str, Any]] = {}
        """Messages that were just read, until their reader lets them go; of very many the last."""
        self._records: dict[str, Record] = {}
        self._flushes: dict[int, FlushState] = {}
        self._last: str | None = None
        self._order: list[str] = []
        self._path: list[Record] = []
        self._summary, self._shown, self._outline = "", list[Record](), Outline()
        self._fresh_from = 0

    @property
    def is_ours(self) -> bool:
        return _OURS in self.header

    @property
    def flush(self) -> FlushState:
        return self._flushes.get(self.cycle, FlushState())

    def feed(self, data: bytes) -> None:
        """``data`` follows what was read before; a last line without an end waits for it."""
        start = 0
        self._fresh_from = self.offset + len(data) - _MOST_FRESH
        while (end := data.find(b"\n", start)) >= 0:
            self._line(data[start:end], self.offset + start)
            start = end + 1
        self.offset += start

    def view(self) -> tuple[str, Sequence[Record], Outline]:
        """What a model has to know of the session: the summary of what was compacted, the lines of the messages after
        it, and their outline. All three grow with the transcript."""
        self._follow()
        return self._summary, self._shown, self._outline

    def lines(self) -> list[Record]:
        """The committed messages, compacted ones included."""
        self._follow()
        return [one for one in self._path if one.message is not None]

    def size_of(self, name: str) -> int:
        """The bytes of a line."""
        return self._records[name].size

    def new_id(self) -> str:
        while (found := secrets.token_hex(_ENTRY_BYTES)) in self._records:
            pass
        return found

    def _follow(self) -> None:
        """Takes up the lines from the end of the path that is known to what was committed last."""
        end = self._path[-1].id if self._path else None
        found = []
        at = self._records.get(self.leaf) if self.leaf is not None else None
        while at is not None and at.id != end:
            found.append(at)
            # A line follows an earlier one, so this ends.
            at = self._records.get(at.parent) if at.parent is not None else None
        if at is None:
            self._path.clear()
        self._path.extend(reversed(found))
        if at is None or any(one.kind in _BREAKS for one in found):
            self._begin_view()
        elif found:
            self._show(self._path[-len(found) :])

    def _begin_view(self) -> None:
        path, self._shown, self._outline, self._summary = self._path, [], Outline(), ""
        last = next((at for at in range(len(path) - 1, -1, -1) if path[at].kind in _BREAKS), -1)
        if last >= 0:
            self._summary = path[last].summary
            first = next((at for at in range(last) if path[at].id == path[last].first_kept), last)
            self._show(path[first:last])
        self._show(path[last + 1 :])

    def _show(self, added: Sequence[Record]) -> None:
        spoken = [one for one in added if one.message is not None]
        self._shown.extend(spoken)
        self._outline.add(one.message for one in spoken if one.message is not None)

    def _line(self, line: bytes, offset: int) -> None:
        if not line.strip():
            return
        entry = read_entry(line)
        if not isinstance(entry.get("type"), str):
            self.faults += 1
        elif entry["type"] == "session":
            self.header = self.header or entry
            self.started = self.started or instants.parse(text_of(entry.get("timestamp")))
        else:
            self._entry(entry, offset, len(line))

    def _entry(self, entry: dict[str, Any], offset: int, size: int) -> None:
        name = name_of(entry.get("id")) or f"line-{len(self._order)}"
        if name in self._records:
            self.faults += 1
            return
        parent = name_of(entry.get("parentId"))
        if parent not in self._records:
            # The first line of a version without names, or one whose predecessor can't be read.
            parent = self._last
        kind = entry["type"]
        at = instants.parse(text_of(entry.get("timestamp")))
        message = _measure(entry, name, at) if kind in _SPOKEN else None
        if message is not None and offset >= self._fresh_from:
            self.fresh[name] = _message_in(entry)
        first = name_of(entry.get("firstKeptEntryId")) or self._at_index(entry.get("firstKeptEntryIndex"))
        summary = text_of(entry.get("summary")) if kind == "compaction" else ""
        by_person = not self.is_ours or entry.get("trigger", "user") == "user"
        self._records[name] = Record(name, parent, kind, offset, size, at, message, summary, first, by_person)
        self._order.append(name)
        self._last = name
        custom = text_of(entry.get("customType"))
        if not self.is_ours or (kind in _ENDS and (kind != "custom" or custom == TURN)):
            self.leaf = name
        if kind in _BREAKS:
            self.cycle += 1
            self.compacted_at = offset + size + 1
            model = dict_of(entry.get("details")).get("model")
            if kind == "reset" or model == "used":
                self.model_failures = 0
            self.model_failures += model == "failed"
            tokens = entry.get("tokensBefore"), entry.get("tokensAfter")
            is_counted = kind == "compaction" and all(isinstance(one, int) for one in tokens)
            self.compacted = cast(tuple[int, int], tokens) if is_counted else None
            if kind == "reset":
                self.started = at
        elif kind == "custom":
            self._note(custom, dict_of(entry.get("data")), name, at)
        elif message is not None and message.role is Role.USER and not self.is_ours:
            self.active = at

    def _at_index(self, index: object) -> str | None:
        # Version 1 counts the lines after the header.
        return self._order[index] if isinstance(index, int) and 0 <= index < len(self._order) else None

    def _note(self, custom: str, data: Mapping[str, Any], name: str, at: int | None) -> None:
        if custom == TURN:
            if key := name_of(data.get("key")):
                self.keys[key] = name
            if data.get("trigger", "user") == "user":
                self.active = at
            self.is_shared |= data.get("shared") is True
            self.host = text_of(data.get("host")) or self.host
            reported, estimated = data.get("reported"), data.get("estimated")
            if isinstance(reported, int) and isinstance(estimated, int):
                self.usages.append((reported, estimated))
        elif custom == FLUSH:
            cycle = data.get("cycle")
            if isinstance(cycle, int):
                known = self._flushes.get(cycle, FlushState())
                state = data.get("state")
                self._flushes[cycle] = FlushState(
                    known.asked + (state == "asked"), known.failed + (state == "failed"), known.done or state == "done"
                )


def encode_turn(
    transcript: Transcript, messages: Sequence[Mapping[str, Any]], data: Mapping[str, Any], at: int
) -> tuple[bytes, list[str]]:
    """The lines of a turn, and the names of its messages."""
    lines, names, parent = [], [], transcript.leaf
    more = {} if data.get("trigger", "user") == "user" else {"trigger": data["trigger"]}
    for message in messages:
        name = transcript.new_id()
        lines.append(_encode("message", name, parent, at, message=message, **more))
        names.append(name)
        parent = name
    lines.append(_encode("custom", transcript.new_id(), parent, at, customType=TURN, data=data))
    return b"".join(lines), names


def encode_entry(transcript: Transcript, kind: str, at: int, **fields: Any) -> bytes:
    """A line that follows what was committed last."""
    return _encode(kind, transcript.new_id(), transcript.leaf, at, **fields)


def encode_header(session: str, cwd: str | None, at: int) -> bytes:
    record = {"type": "session", "version": VERSION, "id": session, "timestamp": instants.show_exactly(at), "cwd": cwd}
    return json.dumps({**record, _OURS: 1}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def read_entry(line: bytes) -> dict[str, Any]:
    """What a line holds; empty for a damaged one."""
    try:
        return dict_of(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def read_message(line: bytes) -> dict[str, Any]:
    """The message in a line; empty for a line that was damaged since."""
    return _message_in(read_entry(line))


def scrub_message(message: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    """A copy in which secrets are taken out of every text; the data of attachments stays."""
    return {key: _scrub(value, redact) for key, value in message.items()}


def _scrub(value: Any, redact: Callable[[str], str], name: str = "") -> Any:
    """``name`` is that of an argument: of a password nothing else may say that it is one."""
    if isinstance(value, str):
        clean = redact(value)
        return _scrub_named(value, redact, name) if clean == value and name else clean
    if isinstance(value, int) and name:
        clean = _scrub_named(str(value), redact, name)
        return value if clean == str(value) else clean
    if isinstance(value, Mapping):
        return {
            key: inner if key == "data" else _scrub(inner, redact, str(key) if name or key in _ARGUMENTS else "")
            for key, inner in value.items()
        }
    if isinstance(value, Iterable):
        return [_scrub(inner, redact, name) for inner in value]
    return value


def _scrub_named(value: str, redact: Callable[[str], str], name: str) -> str:
    """What shows instead of all of a value whose name and first word, or words in quotes, are taken for a secret."""
    words, head = value.replace('"', " ").split(), f"{name}="
    if not words or len(value) > _MOST_NAMED:
        return value
    for given in (f'{head}"{" ".join(words)}"', f"{head}{words[0]}"):
        shown = redact(given)
        if shown != given and shown.startswith(head):
            return shown.removeprefix(head).strip('"')
    return value


def _encode(kind: str, name: str, parent: str | None, at: int, **fields: Any) -> bytes:
    record = {"type": kind, "id": name, "parentId": parent, "timestamp": instants.show_exactly(at), **fields}
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _message_in(entry: Mapping[str, Any]) -> dict[str, Any]:
    if entry.get("type") == "message":
        return dict_of(entry.get("message"))
    if entry.get("type") == "branch_summary":
        return {"role": "user", "content": text_of(entry.get("summary"))}
    return {"role": "user", "content": entry.get("content")}


def _measure(entry: Mapping[str, Any], name: str, at: int | None) -> Message | None:
    message = _message_in(entry)
    if message.get("role") in ("custom", "hookMessage", "bashExecution"):
        message = {**message, "role": "user"}
    if not message:
        return None
    return measure({**message, "timestamp": at}, name)
