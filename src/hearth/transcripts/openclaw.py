"""OpenClaw's transcripts, versions 1 to 4, and those that Hearth itself keeps in that form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hearth.core.transcript import Kind, Link, Position, TranscriptEntry
from hearth.transcripts.actions import (
    MAX_ASIDE,
    absolute,
    action_of,
    blocks_of,
    dict_of,
    edited,
    instant,
    joined,
    name_of,
    shortened,
    text_of,
)
from hearth.transcripts.typed import strip_added

TYPES = frozenset(
    {
        "session", "message", "custom", "custom_message", "compaction", "branch_summary", "reset", "model_change",
        "thinking_level_change", "label", "session_info", "leaf",
    }
)  # fmt: skip
_MIRRORS = frozenset({"delivery-mirror", "gateway-injected"})
_WRITERS = frozenset({"edit", "write", "multiedit", "multi_edit", "create", "str_replace"})
_SHELLS = frozenset({"exec", "bash", "shell", "process"})
_PATHS = ("path", "file_path", "filePath", "file")


class OpenClawParser:
    """Turns lines into entries. A person's message bears what they typed; what a schedule, a heartbeat or a hook wrote
    in their role is meta."""

    def __init__(self, position: Position) -> None:
        self.cwd = position.cwd
        self.marks = position.marks
        self.leaf: str | None = position.leaf
        self._known: set[str] = set()

    def link(self, record: dict[str, Any]) -> Link | None:
        """The line's place in the tree of the session; the first versions know none."""
        uid = name_of(record.get("id"))
        if uid is None or record.get("type") == "session" or "parentId" not in record:
            return None
        self._known.add(uid)
        role = dict_of(record.get("message")).get("role")
        return Link(uid, name_of(record.get("parentId")), spoken=role in ("user", "assistant"))

    def knows(self, uid: str) -> bool:
        return uid == self.leaf or uid in self._known

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        kind, uid, at = record.get("type"), name_of(record.get("id")), instant(record.get("timestamp"))
        if kind == "session":
            self.cwd = name_of(record.get("cwd")) or self.cwd
        elif kind == "message":
            yield from self._message(record, dict_of(record.get("message")), uid, at)
        elif kind in ("compaction", "reset"):
            yield TranscriptEntry(Kind.BOUNDARY, "", at, uid)
            yield TranscriptEntry(Kind.META, text_of(record.get("summary"))[:MAX_ASIDE], at, uid)
        elif kind in ("custom_message", "branch_summary"):
            text = joined(record.get("content")) or text_of(record.get("summary"))
            yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid)

    def _message(
        self, record: Mapping[str, Any], message: Mapping[str, Any], uid: str | None, at: int | None
    ) -> Iterator[TranscriptEntry]:
        role = message.get("role")
        results = [block for block in blocks_of(message.get("content")) if block.get("type") == "tool_result"]
        if role in ("toolResult", "tool"):
            call = name_of(message.get("toolCallId")) or name_of(message.get("tool_call_id"))
            yield _result(message, call, uid, at, failed=message.get("isError") is True)
        elif results:
            for block in results:
                failed = block.get("is_error") is True
                yield _result(block, name_of(block.get("tool_use_id")), uid, at, failed=failed)
        elif role == "user":
            yield from _ask(record, joined(message.get("content")), uid, at)
        elif role == "assistant" and message.get("model") not in _MIRRORS:
            yield from self._reply(message, uid, at)

    def _reply(self, message: Mapping[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        blocks = list(blocks_of(message.get("content")))
        text = joined([block for block in blocks if block.get("type") in ("text", "output_text")])
        if text.strip():
            yield TranscriptEntry(Kind.ASSISTANT, text, at, uid, message=uid)
        for block in blocks:
            if block.get("type") in ("toolCall", "tool_use"):
                given = block.get("arguments", block.get("input"))
                yield self._call(name_of(block.get("name")) or "", given, name_of(block.get("id")), uid, at)
        listed = message.get("tool_calls")
        for one in listed if isinstance(listed, list) else ():
            function = dict_of(dict_of(one).get("function"))
            given, call = function.get("arguments"), name_of(dict_of(one).get("id"))
            yield self._call(name_of(function.get("name")) or "", given, call, uid, at)

    def _call(self, tool: str, given: object, call: str | None, uid: str | None, at: int | None) -> TranscriptEntry:
        values = dict_of(given)
        files = edited(tool, values, self.cwd)
        if not files and tool.lower() in _WRITERS:
            files = absolute([next((text for key in _PATHS if (text := text_of(values.get(key)))), "")], self.cwd)
        action = action_of("Bash" if tool.lower() in _SHELLS else tool, given)
        return TranscriptEntry(
            Kind.TOOL_CALL, "", at, uid, message=uid, tool=tool, files=files, call=call, action=action
        )


def is_transcript(record: Mapping[str, Any]) -> bool:
    """Whether a line is of this form."""
    kind = text_of(record.get("type"))
    if kind == "session":
        return isinstance(record.get("id"), str) and "timestamp" in record
    if kind == "message":
        return isinstance(dict_of(record.get("message")).get("role"), str)
    return kind in TYPES and "parentId" in record


def _ask(record: Mapping[str, Any], text: str, uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
    typed = strip_added(text) if record.get("trigger", "user") == "user" else ""
    if typed:
        yield TranscriptEntry(Kind.USER, typed, at, uid, prompt=uid)
    elif text.strip():
        yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid)


def _result(
    message: Mapping[str, Any], call: str | None, uid: str | None, at: int | None, *, failed: bool
) -> TranscriptEntry:
    text = joined(message.get("content"))
    return TranscriptEntry(Kind.TOOL_RESULT, shortened(text), at, uid, call=call, failed=failed)
