"""Transcripts of Gemini CLI 0.61 and of Qwen Code 0.24, whose messages are lists of parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hearth.core.transcript import Kind, Link, Position, TranscriptEntry
from hearth.transcripts.actions import (
    MAX_ASIDE,
    absolute,
    action_of,
    dict_of,
    exit_failed,
    instant,
    name_of,
    shortened,
    text_of,
)
from hearth.transcripts.typed import strip_added

_SPEAKERS = frozenset({"user", "gemini", "assistant", "tool_result"})
_WRITERS = frozenset({"write_file", "replace", "edit"})
_SHELL = "run_shell_command"
_LIST = "todo_write"


class GeminiParser:
    """Turns lines into entries. Gemini writes a message again once its tools have run, under the same id."""

    def __init__(self, position: Position) -> None:
        self.cwd = position.cwd
        self.marks: frozenset[str] = position.marks
        self.leaf: str | None = None
        self._said: set[str] = set()

    def link(self, record: dict[str, Any]) -> Link | None:
        """Neither host takes back turns in place: Qwen writes each of its lines once, Gemini rewrites nothing."""
        return None

    def knows(self, uid: str) -> bool:
        return True

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        kind, at = record.get("type"), instant(record.get("timestamp"))
        uid = name_of(record.get("uuid")) or name_of(record.get("id"))
        self.cwd = name_of(record.get("cwd")) or self.cwd
        parts = list(_parts(dict_of(record.get("message")).get("parts", record.get("content"))))
        if kind in ("user", "tool_result"):
            results = [dict_of(part.get("functionResponse")) for part in parts if "functionResponse" in part]
            for result in results:
                yield _result(result, uid, at)
            if kind == "user" and not results:
                yield from _ask(record, _texts(parts), uid, at)
        elif kind in ("gemini", "assistant"):
            text = _texts(parts)
            if text.strip() and uid not in self._said:
                if uid is not None:
                    self._said.add(uid)
                yield TranscriptEntry(Kind.ASSISTANT, text, at, uid, message=uid)
            calls = [dict_of(part.get("functionCall")) for part in parts if "functionCall" in part]
            listed = record.get("toolCalls")
            for call in [*calls, *(dict_of(one) for one in (listed if isinstance(listed, list) else ()))]:
                yield self._call(call, uid, at)

    def _call(self, call: Mapping[str, Any], uid: str | None, at: int | None) -> TranscriptEntry:
        tool, given = name_of(call.get("name")) or "", dict_of(call.get("args"))
        files = absolute([text_of(given.get("file_path"))], self.cwd) if tool in _WRITERS else ()
        action = action_of({_SHELL: "Bash", _LIST: "TodoWrite"}.get(tool, tool), given)
        name = name_of(call.get("id"))
        return TranscriptEntry(
            Kind.TOOL_CALL, "", at, uid, message=uid, tool=tool, files=files, call=name, action=action
        )


def is_transcript(record: Mapping[str, Any]) -> bool:
    """Whether a line is of this form; Claude Code's lines have the same types, but no parts."""
    if record.get("type") not in _SPEAKERS:
        return "provenance" in record and "systemPayload" in record
    if "parts" in dict_of(record.get("message")):
        return True
    return "content" in record and "message" not in record and "id" in record and "timestamp" in record


def _parts(content: object) -> Iterator[dict[str, Any]]:
    """A message's parts without what the model thought."""
    if isinstance(content, str):
        yield {"text": content}
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("thought") is not True:
            yield part


def _texts(parts: list[dict[str, Any]]) -> str:
    return "\n".join(filter(None, (text_of(part.get("text")) for part in parts)))


def _ask(record: Mapping[str, Any], text: str, uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
    typed = strip_added(text) if record.get("provenance", "real_user") == "real_user" else ""
    if typed:
        yield TranscriptEntry(Kind.USER, typed, at, uid, prompt=uid)
    elif text.strip():
        yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid)


def _result(result: Mapping[str, Any], uid: str | None, at: int | None) -> TranscriptEntry:
    response = dict_of(result.get("response"))
    text = text_of(response.get("output")) or text_of(response.get("error"))
    failed = "error" in response or exit_failed(text)
    return TranscriptEntry(Kind.TOOL_RESULT, shortened(text), at, uid, call=name_of(result.get("id")), failed=failed)
