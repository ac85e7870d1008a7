"""Conversations of coding agents that write a JSON document or a table of their own: Cline, Copilot CLI, OpenCode's
exports, and Cursor's transcripts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hearth.core.lazy import regex
from hearth.core.transcript import Kind
from hearth.importers.formats import Conversation, EntryList, Format, Found, Head, Reading, SourceFile, share
from hearth.importers.formats_chats import stream_items
from hearth.importers.formats_hosts import read_lines
from hearth.transcripts.actions import blocks_of, dict_of, joined, name_of, text_of
from hearth.transcripts.typed import strip_added

_TASK = regex(r"<(?:task|feedback|user_message|user_query)>\s*(.*?)\s*</(?:task|feedback|user_message|user_query)>", 16)
_MACHINE = ("<environment_details>", "[", "<explicit_instructions", "# ", "<system")
_CALLS = ("tool_use", "tool-call", "toolCall")


def _roles(one: object) -> bool:
    return dict_of(one).get("role") in ("user", "assistant") and "content" in dict_of(one)


# -- Cline and Roo ----------------------------------------------------------------------------------------------------


def _cline_messages(value: object) -> list[dict[str, Any]]:
    listed = dict_of(value).get("messages") if isinstance(value, dict) else value
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _probe_cline(head: Head) -> float:
    messages = _cline_messages(head.value) if not head.records[1:] else []
    first = next(iter(messages), {})
    is_task = "<task>" in joined(first.get("content")) or "<environment_details>" in joined(first.get("content"))
    is_session = {"messages", "sessionId"} <= head.document.keys() or {"messages", "session_id"} <= head.document.keys()
    return share(map(_roles, messages)) if is_task or is_session else 0.0


def _read_cline(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    """The file is named by its folder, a task's id; where that is lost, by how the task begins."""
    for file in files:
        documents = list(stream_items(file, reading))
        about = documents[0] if len(documents) == 1 and "messages" in documents[0] else {}
        messages = _cline_messages(about) if about else documents
        talk = EntryList()
        for message in messages:
            at = reading.instant(message.get("ts") or message.get("timestamp"))
            _add_blocks(talk, message, at, task=True)
        first = next((entry.text for entry in talk.entries), "")
        own = name_of(about.get("sessionId")) or name_of(about.get("session_id"))
        begin = f"{messages[0].get('ts') if messages else ''}\0{first}"
        identity = own or hashlib.sha256(begin.encode("utf-8", "replace")).hexdigest()[:32]
        yield Conversation("cline", identity, talk.entries)


def _add_blocks(talk: EntryList, message: Mapping[str, Any], at: int | None, *, task: bool = False) -> None:
    """A message as Anthropic's API has it."""
    blocks = list(blocks_of(message.get("content")))
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") in ("text", "output_text")]
    if message.get("role") == "user":
        own = [_typed(text) if task else strip_added(text) for text in texts]
        talk.add(Kind.USER, "\n\n".join(filter(None, own)), at)
        return
    talk.add(Kind.ASSISTANT, "\n\n".join(filter(None, texts)), at)
    for block in blocks:
        if block.get("type") in _CALLS:
            talk.call(text_of(block.get("name") or block.get("toolName")) or "tool", at)


def _typed(text: str) -> str:
    """What a person typed of a text that the program put together: what its marks hold, else all of a plain one."""
    if marked := _TASK.findall(text):
        return "\n\n".join(marked)
    return "" if text.lstrip().startswith(_MACHINE) else strip_added(text)


# -- Copilot CLI ------------------------------------------------------------------------------------------------------


def _probe_copilot(head: Head) -> float:
    def fits(one: Mapping[str, Any]) -> bool:
        return isinstance(one.get("data"), dict) and "." in text_of(one.get("type"))

    begins = any(one.get("type") in ("session.start", "user.message") for one in head.records)
    return share(map(fits, head.records)) if begins else 0.0


def _read_copilot(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        talk, identity, cwd = EntryList(), "", None
        names: dict[str, tuple[str, tuple[str, ...]]] = {}
        for _, record in read_lines(file, reading):
            data, at = dict_of(record.get("data")), reading.instant(record.get("timestamp"))
            kind, call = record.get("type"), text_of(data.get("toolCallId"))
            if kind == "session.start":
                identity = name_of(data.get("sessionId")) or identity
                cwd = name_of(dict_of(data.get("context")).get("cwd")) or cwd
            elif kind == "user.message":
                talk.add(Kind.USER, strip_added(text_of(data.get("content"))), at)
            elif kind == "assistant.message":
                talk.add(Kind.ASSISTANT, data.get("content"), at)
            elif kind == "tool.execution_start":
                path = text_of(dict_of(data.get("arguments")).get("path"))
                names[call] = (text_of(data.get("toolName")) or "tool", (path[:500],) if path else ())
            elif kind == "tool.execution_complete":
                tool, paths = names.pop(call, (text_of(data.get("toolName")) or "tool", ()))
                talk.call(tool, at, paths, failed=data.get("success") is False)
        yield Conversation("copilot", identity or file.name, talk.entries, cwd=cwd)


# -- Cursor's transcripts, OpenCode's exports -------------------------------------------------------------------------


def _probe_cursor(head: Head) -> float:
    def fits(one: Mapping[str, Any]) -> bool:
        return one.get("role") in ("user", "assistant") and isinstance(dict_of(one.get("message")).get("content"), list)

    return share("type" not in one and fits(one) for one in head.records)


def _read_cursor(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    """Lines have neither times nor an id of the session: its file's name is that."""
    for file in files:
        talk = EntryList()
        for _, record in read_lines(file, reading):
            message = {**dict_of(record.get("message")), "role": record.get("role")}
            _add_blocks(talk, message, None, task=True)
        identity = file.name.replace("\\", "/").rpartition("/")[2].rpartition("!")[2].removesuffix(".jsonl")
        yield Conversation("cursor", identity, talk.entries)


def _probe_opencode(head: Head) -> float:
    listed = head.document.get("messages")
    if not isinstance(listed, list) or "info" not in head.document:
        return 0.0
    return share({"info", "parts"} <= dict_of(one).keys() for one in listed)


def _read_opencode(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for document in stream_items(file, reading):
            about = dict_of(document.get("info"))
            identity = name_of(about.get("id"))
            if identity is None:
                reading.report.skip("no conversation", file.name)
                continue
            talk, listed = EntryList(), document.get("messages")
            for one in map(dict_of, listed if isinstance(listed, list) else ()):
                info, parts = dict_of(one.get("info")), one.get("parts")
                add_opencode(talk, info, parts if isinstance(parts, list) else [], reading)
            left_out = "of a subagent" if about.get("parentID") else ""
            title, cwd = text_of(about.get("title")), name_of(about.get("directory"))
            yield Conversation("opencode", identity, talk.entries, title, "opencode", cwd, left_out=left_out)


def add_opencode(talk: EntryList, info: Mapping[str, Any], parts: Sequence[object], reading: Reading) -> None:
    """A message with its parts, as the export and the database have them."""
    at = reading.instant(dict_of(info.get("time")).get("created"))
    role = info.get("role")
    if role not in ("user", "assistant") or info.get("summary") is True:
        return
    texts = []
    for part in map(dict_of, parts):
        is_own = part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")
        texts += [text_of(part.get("text"))] if is_own else []
    text = "\n\n".join(filter(None, texts))
    talk.add(Kind.USER if role == "user" else Kind.ASSISTANT, strip_added(text) if role == "user" else text, at)
    for part in map(dict_of, parts):
        if part.get("type") == "tool":
            state = dict_of(part.get("state"))
            path = text_of(dict_of(state.get("input")).get("filePath"))
            failed = state.get("status") == "error"
            talk.call(text_of(part.get("tool")) or "tool", at, (path[:500],) if path else (), failed=failed)
        elif part.get("type") == "compaction":
            talk.add(Kind.BOUNDARY, "", at)


FORMATS = (
    Format("cline", "Cline and Roo", _probe_cline, _read_cline),
    Format("copilot", "Copilot CLI", _probe_copilot, _read_copilot),
    Format("cursor", "Cursor's transcripts", _probe_cursor, _read_cursor),
    Format("opencode", "OpenCode's exports", _probe_opencode, _read_opencode),
)
