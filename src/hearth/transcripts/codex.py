"""Codex's rollouts: one JSON object a line, what was said often told twice, as items and as events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hearth.core.hook import Outcome
from hearth.core.transcript import UNATTENDED, Kind, Link, Position, TranscriptEntry
from hearth.transcripts.actions import (
    MAX_ASIDE,
    action_of,
    as_sidechain,
    blocks_of,
    codex_outcome,
    dict_of,
    exit_failed,
    instant,
    joined,
    name_of,
    patched,
    shortened,
    text_of,
)
from hearth.transcripts.typed import strip_added

TYPES = frozenset(
    {
        "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
        "token_usage_record", "retained_context",
    }
)  # fmt: skip
IGNORED = frozenset({"world_state", "token_usage_record", "retained_context"})
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
# What of a user's message a person typed, where the host says so; the rest came from hooks and settings.
_TYPED = "user."
_TURN = "turn:"
_HEADLESS = "exec"


class CodexParser:
    """Turns lines into entries. Messages come from whichever stream tells one first, and from that alone; calls of
    tools come from the items. ``marks`` keeps the stream, whether the file is a subagent's, and the turn under way."""

    def __init__(self, position: Position) -> None:
        self.cwd = position.cwd
        self.marks = position.marks
        self.leaf: str | None = None

    def link(self, record: dict[str, Any]) -> Link | None:
        """Rollouts are lists: no line names another."""
        return None

    def knows(self, uid: str) -> bool:
        return True

    @property
    def _turn(self) -> str | None:
        return next((mark.removeprefix(_TURN) for mark in self.marks if mark.startswith(_TURN)), None)

    def _begin_turn(self, name: object) -> None:
        turn = name_of(name)
        if turn is not None and turn != self._turn:
            kept = {mark for mark in self.marks if not mark.startswith(_TURN)}
            self.marks = frozenset(kept | {_TURN + turn})

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        payload = dict_of(record.get("payload"))
        kind = record.get("type")
        at = instant(record.get("timestamp"))
        ordinal = record.get("ordinal")
        uid = name_of(payload.get("id")) or (f"ordinal:{ordinal}" if isinstance(ordinal, int) else None)
        if kind == "session_meta":
            self._begin(payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind == "compacted":
            yield TranscriptEntry(Kind.BOUNDARY, "", at, uid)
            yield TranscriptEntry(Kind.META, text_of(payload.get("message"))[:MAX_ASIDE], at, uid)
        elif kind in ("response_item", "event_msg"):
            read = self._item if kind == "response_item" else self._event
            for entry in read(payload, uid, at):
                yield as_sidechain(entry) if "subagent" in self.marks else entry

    def _begin(self, payload: dict[str, Any]) -> None:
        self.cwd = name_of(payload.get("cwd")) or self.cwd
        source = payload.get("source")
        if payload.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source):
            self.marks |= {"subagent"}
        if source == _HEADLESS or payload.get("originator") == f"codex_{_HEADLESS}":
            self.marks |= {UNATTENDED}

    def _context(self, payload: dict[str, Any]) -> None:
        self.cwd = name_of(payload.get("cwd")) or self.cwd
        self._begin_turn(payload.get("turn_id"))

    def _choose(self, stream: str) -> bool:
        if not self.marks & {"items", "events"}:
            self.marks |= {stream}
        return stream in self.marks

    def _item(self, payload: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        kind = text_of(payload.get("type"))
        if kind == "message":
            if self._choose("items"):
                yield from self._message(payload, uid, at)
        elif kind in _CALLS:
            given = payload.get("input", payload.get("arguments", payload.get("action")))
            tool = name_of(payload.get("name")) or kind.removesuffix("_call")
            if (space := name_of(payload.get("namespace"))) is not None:
                tool = f"{space}__{tool}"
            call = name_of(payload.get("call_id")) or name_of(payload.get("id"))
            files, action = patched(given, self.cwd), action_of(tool, given)
            yield TranscriptEntry(Kind.TOOL_CALL, "", at, uid, tool=tool, files=files, call=call, action=action)
        elif kind in _OUTPUTS:
            output = payload.get("output")
            text = joined(dict_of(output).get("content")) if isinstance(output, dict) else joined(output)
            failed = exit_failed(text) or dict_of(output).get("success") is False
            call = name_of(payload.get("call_id"))
            outcome = codex_outcome(text)
            failed = failed or (outcome is not None and (outcome.denied or outcome.interrupted))
            yield TranscriptEntry(Kind.TOOL_RESULT, shortened(text), at, uid, call=call, failed=failed, outcome=outcome)

    def _message(self, payload: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        role = payload.get("role")
        blocks = list(blocks_of(payload.get("content")))
        if role == "assistant":
            yield from _reply(joined(blocks), uid, at)
        elif role == "user":
            more = dict_of(payload.get("internal_chat_message_metadata_passthrough"))
            self._begin_turn(more.get("turn_id"))
            yield from self._ask(_join_typed(blocks, more.get("content_item_kinds")), joined(blocks), uid, at)
        else:
            yield TranscriptEntry(Kind.META, joined(blocks)[:MAX_ASIDE], at, uid)

    def _ask(self, typed: str, whole: str, uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        if typed:
            yield TranscriptEntry(Kind.USER, typed, at, uid, prompt=self._turn)
        elif whole.strip():
            stopped = Outcome(interrupted=True) if whole.startswith("<turn_aborted>") else None
            yield TranscriptEntry(Kind.META, whole[:MAX_ASIDE], at, uid, outcome=stopped)

    def _event(self, payload: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        kind = payload.get("type")
        if kind == "task_started":
            self._begin_turn(payload.get("turn_id"))
        by_user, text = _tell(payload)
        if by_user is None or not self._choose("events"):
            return
        if by_user:
            self._begin_turn(payload.get("turn_id"))
            yield from self._ask(strip_added(text), text, uid, at)
        else:
            yield from _reply(text, uid, at)


def _reply(text: str, uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
    if text.strip():
        yield TranscriptEntry(Kind.ASSISTANT, text, at, uid)


def _tell(payload: dict[str, Any]) -> tuple[bool | None, str]:
    """Whether an event is a person's message (``None``: nobody's) and what it says."""
    kind = payload.get("type")
    if kind in ("user_message", "agent_message"):
        return kind == "user_message", text_of(payload.get("message"))
    item = dict_of(payload.get("item"))
    if kind == "item_completed" and item.get("type") in ("UserMessage", "AgentMessage"):
        return item.get("type") == "UserMessage", joined(item.get("content"))
    return None, ""


def _join_typed(blocks: list[dict[str, Any]], kinds: object) -> str:
    if isinstance(kinds, list) and len(kinds) == len(blocks):
        pairs = zip(blocks, kinds, strict=True)
        blocks = [block for block, kind in pairs if isinstance(kind, str) and kind.startswith(_TYPED)]
    parts = (strip_added(text_of(block.get("text"))) for block in blocks)
    return "\n".join(part for part in parts if part)
