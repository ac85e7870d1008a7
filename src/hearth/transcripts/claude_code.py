"""Claude Code's transcript: one JSON object a line, of a dozen types, most of which nobody said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hearth.core.hook import HEADLESS, Outcome
from hearth.core.transcript import UNATTENDED, Kind, Link, Position, TranscriptEntry
from hearth.transcripts.actions import (
    MAX_ASIDE,
    action_of,
    as_sidechain,
    blocks_of,
    claude_outcome,
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
        "user", "assistant", "system", "attachment", "summary", "ai-title", "custom-title", "tag", "mode",
        "last-prompt", "tools-used", "cost-state", "queue-operation", "atis-latch", "file-history-snapshot",
        "progress", "api-request", "api-request-shape", "api-request-blob", "permission-mode",
    }
)  # fmt: skip
# Types that the tree of a session is made of, and those of which nothing is read.
_CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})
IGNORED = TYPES - _CHAINED - {"summary", "ai-title", "custom-title"}
_TITLES = {
    "summary": ("summary", Kind.META),
    "ai-title": ("aiTitle", Kind.TITLE),
    "custom-title": ("customTitle", Kind.NAME),
}
_PROGRAMS = frozenset(
    {
        "system", "loop_wakeup", "schedule_wakeup", "poll_event",
        "task-notification", "coordinator", "auto-continuation",
    }
)  # fmt: skip
_MAX_SEEN = 200_000
_INTERRUPTED = "[Request interrupted by user"


class ClaudeCodeParser:
    """Turns lines into entries; remembers the ids of the last 200,000, since a host may write a line again."""

    def __init__(self, position: Position) -> None:
        self._prompt = position.prompt
        self._seen: dict[int, None] = {}
        self.cwd = position.cwd
        self.marks = position.marks
        self.leaf = position.leaf

    def link(self, record: dict[str, Any]) -> Link | None:
        """The line's place in the tree of the session; ``None`` for one outside of it, and one written again."""
        uid, kind = name_of(record.get("uuid")), record.get("type")
        if uid is None or kind not in _CHAINED or hash(uid) in self._seen:
            return None
        follows = name_of(record.get("parentUuid")) or name_of(record.get("logicalParentUuid"))
        is_start = follows is None and "parentUuid" in record and record["parentUuid"] is None
        index = dict_of(record.get("turnPosition")).get("promptIndex")
        index = index if type(index) is int else None
        aside = _of_subagent(record)
        spoken = not aside and _is_spoken(record)
        return Link(uid, follows, spoken=spoken, is_start=is_start, index=index, is_aside=aside)

    def knows(self, uid: str) -> bool:
        """Whether a line was read."""
        return uid == self.leaf or hash(uid) in self._seen

    def entries(self, record: dict[str, Any]) -> Iterator[TranscriptEntry]:
        uid = name_of(record.get("uuid"))
        if uid is not None and self._repeated(uid):
            return
        if name_of(record.get("entrypoint")) in HEADLESS:
            self.marks |= {UNATTENDED}
        at = instant(record.get("timestamp"))
        aside = _of_subagent(record)
        if not aside:
            self.cwd = name_of(record.get("cwd")) or self.cwd
        for entry in self._read(record, uid, at):
            yield as_sidechain(entry) if aside else entry

    def _repeated(self, uid: str) -> bool:
        key = hash(uid)
        if key in self._seen:
            return True
        if len(self._seen) >= _MAX_SEEN:
            del self._seen[next(iter(self._seen))]
        self._seen[key] = None
        return False

    def _read(self, record: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        kind = record.get("type")
        if kind == "user":
            yield from self._user(record, uid, at)
        elif kind == "assistant":
            yield from _assistant(record, uid, at)
        elif kind == "attachment":
            yield from self._attachment(dict_of(record.get("attachment")), uid, at)
        elif kind == "system":
            if record.get("subtype") == "compact_boundary":
                yield TranscriptEntry(Kind.BOUNDARY, text_of(record.get("content"))[:MAX_ASIDE], at, uid)
        elif isinstance(kind, str) and kind in _TITLES:
            key, called = _TITLES[kind]
            yield TranscriptEntry(called, text_of(record.get(key) or record.get("title"))[:MAX_ASIDE], at, uid)

    def _user(self, record: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        content = dict_of(record.get("message")).get("content")
        blocks = list(blocks_of(content))
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for block in results:
            yield _result(record, block, uid, at)
        text = joined([block for block in blocks if block.get("type") == "text"])
        words = strip_added(text)
        attached = any(block.get("type") in ("image", "document") for block in blocks)
        if results or _by_program(record) or not (words or (attached and not text.strip())):
            if text.strip():
                stopped = Outcome(interrupted=True) if text.startswith(_INTERRUPTED) else None
                yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid, outcome=stopped)
            return
        prompt = name_of(record.get("promptId"))
        if not _of_subagent(record):
            self._prompt = prompt
        yield TranscriptEntry(Kind.USER, words, at, uid, prompt=prompt)

    def _attachment(self, attachment: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
        kind = attachment.get("type")
        if kind == "hook_additional_context":
            yield TranscriptEntry(Kind.META, joined(attachment.get("content"))[:MAX_ASIDE], at, uid)
        if kind != "queued_command":
            return
        text = joined(attachment.get("prompt") or attachment.get("content"))
        words = strip_added(text)
        if not words or attachment.get("isMeta") or attachment.get("commandMode") not in (None, "prompt"):
            yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid)
        elif (source := name_of(attachment.get("source_uuid"))) is None or source == uid or not self._repeated(source):
            yield TranscriptEntry(Kind.USER, words, at, uid, prompt=self._prompt, queued=True)


def _result(record: dict[str, Any], block: dict[str, Any], uid: str | None, at: int | None) -> TranscriptEntry:
    text = joined(block.get("content"))
    failed = block.get("is_error") is True
    outcome = claude_outcome(record, text, failed)
    call = name_of(block.get("tool_use_id"))
    return TranscriptEntry(Kind.TOOL_RESULT, shortened(text), at, uid, call=call, failed=failed, outcome=outcome)


def _assistant(record: dict[str, Any], uid: str | None, at: int | None) -> Iterator[TranscriptEntry]:
    message = dict_of(record.get("message"))
    by_model = not record.get("isApiErrorMessage") and message.get("model") != "<synthetic>"
    key = name_of(message.get("id"))
    for block in blocks_of(message.get("content")):
        kind = block.get("type")
        if kind == "text" and (text := text_of(block.get("text"))).strip():
            if by_model:
                yield TranscriptEntry(Kind.ASSISTANT, text, at, uid, message=key)
            else:
                yield TranscriptEntry(Kind.META, text[:MAX_ASIDE], at, uid)
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            tool = name_of(block.get("name")) or ""
            given = dict_of(block.get("input"))
            files = edited(tool, given, name_of(record.get("cwd")))
            call = name_of(block.get("id"))
            # Other kinds of calls are a server's, which names its tools as it likes.
            action = action_of(tool, given) if kind == "tool_use" else None
            yield TranscriptEntry(
                Kind.TOOL_CALL, "", at, uid, message=key, tool=tool, files=files, call=call, action=action
            )


def _of_subagent(record: dict[str, Any]) -> bool:
    return bool(record.get("isSidechain") or record.get("agentId"))


def _is_spoken(record: dict[str, Any]) -> bool:
    """Whether a line may end the session's chain: what was typed, answered or done, and where it was compacted."""
    kind = record.get("type")
    if kind == "system":
        return record.get("subtype") == "compact_boundary"
    if kind == "assistant":
        return not record.get("isApiErrorMessage")
    content = dict_of(record.get("message")).get("content")
    first = next(blocks_of(content), {}) if kind == "user" else {}
    if first.get("type") == "tool_result":
        return True
    if kind != "user" or _by_program(record):
        return False
    return not text_of(first.get("text")).lstrip().startswith(_INTERRUPTED)


def _by_program(record: dict[str, Any]) -> bool:
    """Whether the line itself says that no person typed it."""
    if record.get("isMeta") or record.get("isCompactSummary") or record.get("isVisibleInTranscriptOnly"):
        return True
    origins = (record.get("promptSource"), record.get("turnOrigin"), record.get("origin"))
    names = (origin.get("kind") if isinstance(origin, dict) else origin for origin in origins)
    return any(isinstance(name, str) and name in _PROGRAMS for name in names)
