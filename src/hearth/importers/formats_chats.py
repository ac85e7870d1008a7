"""Exports of chat services: ChatGPT and Claude.ai, with what these remember and keep beside conversations, and
Slack: a folder a channel, a file a day. A thread is a conversation, else a channel's day."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from hearth.core import instants
from hearth.core.errors import Unavailable, UsageError
from hearth.core.lazy import dataclass, regex
from hearth.core.paths import install_command
from hearth.core.transcript import Kind
from hearth.importers.formats import (
    Conversation,
    EntryList,
    Format,
    Found,
    Head,
    Page,
    Reading,
    SourceFile,
    find_chain,
    share,
)
from hearth.transcripts.actions import dict_of, name_of, text_of

WHOLE_BYTES = 32 * 1024 * 1024
"""Up to this size a JSON file is read at once."""
_DECODER = json.JSONDecoder()


def stream_items(file: SourceFile, reading: Reading) -> Iterator[dict[str, Any]]:
    """The objects of a JSON list, or the one object that a file is. Raises ``Unavailable`` for a large file where
    ``ijson`` is missing, ``UsageError`` for a large one that is no list; where a file breaks off, what came
    before is read, and that is reported."""
    with file.open() as stream:
        data = stream.read(WHOLE_BYTES + 1) or b""
        try:
            if len(data) <= WHOLE_BYTES:
                yield from _split_list(data.decode("utf-8-sig", "replace"))
            else:
                yield from _stream(data, stream, file.name)
        except ValueError as error:
            reading.report.skip("file that breaks off", file.name, f"{error}; what came before was read")


def _split_list(text: str) -> Iterator[dict[str, Any]]:
    at = _pass_space(text, 0)
    if text[at : at + 1] != "[":
        value = json.loads(text)
        if isinstance(value, dict):
            yield value
        return
    at = _pass_space(text, at + 1)
    while text[at : at + 1] != "]":
        try:
            value, at = _DECODER.raw_decode(text, at)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        if isinstance(value, dict):
            yield value
        at = _pass_space(text, at)
        if text[at : at + 1] == ",":
            at = _pass_space(text, at + 1)


def _pass_space(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\n", "\r", "\t") and at < len(text):
        at += 1
    return at


def _stream(beginning: bytes, rest: BinaryIO, name: str) -> Iterator[dict[str, Any]]:
    try:
        import ijson
    except ImportError:
        size = WHOLE_BYTES // 2**20
        raise Unavailable(
            f"{name} is larger than {size} MB, which needs a streaming reader: {install_command('import')}"
        ) from None
    if not beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        raise UsageError(f"larger than {WHOLE_BYTES // 2**20} MB, and not a list of conversations")
    both = _Chain(beginning.removeprefix(b"\xef\xbb\xbf"), rest)
    try:
        for value in ijson.items(both, "item", use_float=True):
            if isinstance(value, dict):
                yield value
    except ijson.JSONError as error:
        raise ValueError(str(error).partition("\n")[0][:200]) from error


class _Chain:
    """Bytes that were read already, then the rest of a stream."""

    def __init__(self, beginning: bytes, rest: BinaryIO) -> None:
        self._beginning, self._at, self._rest = beginning, 0, rest

    def read(self, size: int = -1) -> bytes:
        if self._at < len(self._beginning):
            end = len(self._beginning) if size < 0 else self._at + size
            data = self._beginning[self._at : end]
            self._at += len(data)
            if self._at >= len(self._beginning):
                self._beginning, self._at = b"", 0
            return data
        return self._rest.read(size) or b""


# -- ChatGPT ----------------------------------------------------------------------------------------------------------

_HIDDEN_TYPES = frozenset({"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context", "system"})
_WITHOUT_PLACE = ("gizmo_id", "plugin_ids", "voice", "conversation_template_id")


def _probe_chatgpt(head: Head) -> float:
    items = head.items or ([head.document] if head.document else [])
    return share(
        isinstance(one.get("mapping"), dict) and ("current_node" in one or "create_time" in one or "title" in one)
        for one in items
    )


def _read_chatgpt(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for item in stream_items(file, reading):
            identity = name_of(item.get("conversation_id")) or name_of(item.get("id"))
            mapping = item.get("mapping")
            if identity is None or not isinstance(mapping, dict):
                reading.report.skip("no conversation", file.name)
                continue
            for field in _WITHOUT_PLACE:
                reading.report.lack_place(field, item.get(field))
            talk = EntryList()
            for message in _branch(mapping, item.get("current_node")):
                _add_chatgpt(talk, message, reading)
            yield Conversation("chatgpt", identity, talk.entries, text_of(item.get("title")))


def _branch(mapping: Mapping[str, Any], current: object) -> list[dict[str, Any]]:
    """The messages from the root to the node that the person sees; without one, to the latest. A circle ends it."""
    if not isinstance(current, str) or current not in mapping:
        leaves = [(_created(dict_of(one)), name) for name, one in mapping.items() if not dict_of(one).get("children")]
        current = max(leaves, default=(0, ""))[1]
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        node = dict_of(mapping[current])
        if isinstance(message := node.get("message"), dict):
            found.append(message)
        current = node.get("parent")
    return found[::-1]


def _created(node: Mapping[str, Any]) -> float:
    at = dict_of(node.get("message")).get("create_time")
    return float(at) if isinstance(at, int | float) else 0.0


def _add_chatgpt(talk: EntryList, message: Mapping[str, Any], reading: Reading) -> None:
    role = dict_of(message.get("author")).get("role")
    content, about = dict_of(message.get("content")), dict_of(message.get("metadata"))
    kind = content.get("content_type")
    is_hidden = about.get("is_visually_hidden_from_conversation") or kind in _HIDDEN_TYPES
    if role not in ("user", "assistant") or is_hidden or message.get("channel") in ("analysis", "commentary"):
        return
    at, uid = reading.instant(message.get("create_time")), name_of(message.get("id"))
    recipient = message.get("recipient")
    if role == "assistant" and isinstance(recipient, str) and recipient != "all":
        talk.call(recipient, at)
        return
    parts = content.get("parts")
    texts = [_part(one) for one in parts] if isinstance(parts, list) else [text_of(content.get("text"))]
    text = "\n".join(filter(None, texts))
    reading.report.lack_place("attachments", about.get("attachments"))
    talk.add(Kind.USER if role == "user" else Kind.ASSISTANT, text, at, uid=uid)


def _part(part: object) -> str:
    """A text, or what was said aloud; images have no words."""
    return text_of(part) if isinstance(part, str) else text_of(dict_of(part).get("text"))


def _probe_chatgpt_memories(head: Head) -> float:
    listed = head.document.get("memory") or head.document.get("memories")
    return share({"id", "content"} <= dict_of(one).keys() for one in listed) if isinstance(listed, list) else 0.0


def _read_chatgpt_memories(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for document in stream_items(file, reading):
            listed = document.get("memory") or document.get("memories")
            for one in map(dict_of, listed if isinstance(listed, list) else ()):
                text, identity = text_of(one.get("content")).strip(), name_of(one.get("id"))
                if one.get("deleted") or not text or identity is None:
                    reading.report.skip("deleted in the source" if one.get("deleted") else "empty")
                    continue
                at = reading.instant(one.get("updated_at") or one.get("created_at"))
                yield Page("chatgpt", f"memory/{identity}", text, text, at)


# -- Claude.ai --------------------------------------------------------------------------------------------------------

_ROLES = {"human": Kind.USER, "user": Kind.USER, "assistant": Kind.ASSISTANT}


def _messages(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = item.get("chat_messages") or item.get("messages")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _probe_claude_ai(head: Head) -> float:
    items = head.items or ([head.document] if head.document else [])

    def fits(one: Mapping[str, Any]) -> bool:
        if "uuid" not in one or not ("chat_messages" in one or "messages" in one):
            return False
        return all(text_of(m.get("sender") or m.get("role")) in _ROLES for m in _messages(one)[:5])

    is_chat = any("chat_messages" in one or _messages(one) for one in items)
    return share(map(fits, items)) if is_chat else 0.0


def _read_claude_ai(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for item in stream_items(file, reading):
            identity = name_of(item.get("uuid"))
            if identity is None:
                reading.report.skip("no conversation", file.name)
                continue
            talk = EntryList()
            for message in find_chain(_messages(item), "uuid", "parent_message_uuid", has_root=False):
                _add_claude_ai(talk, message, reading)
            title = text_of(item.get("name")) or text_of(item.get("title"))
            yield Conversation("claude-ai", identity, talk.entries, title)


def _add_claude_ai(talk: EntryList, message: Mapping[str, Any], reading: Reading) -> None:
    kind = _ROLES.get(text_of(message.get("sender") or message.get("role")))
    if kind is None:
        return
    at, uid = reading.instant(message.get("created_at")), name_of(message.get("uuid"))
    content = message.get("content")
    # Chats about designs have an object here.
    told = dict_of(content).get("content")
    listed = dict_of(content).get("contentBlocks", content)
    blocks = [dict_of(one) for one in listed] if isinstance(listed, list) else []
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    text = "\n\n".join(filter(None, texts)) or text_of(message.get("text") or told or content)
    talk.add(kind, text, at, uid=uid)
    for block in blocks:
        if block.get("type") in ("tool_use", "tool_call"):
            talk.call(text_of(block.get("name") or dict_of(block.get("toolCall")).get("name")) or "tool", at)
    reading.report.lack_place("attachments", message.get("attachments") or message.get("files"))


def _probe_claude_projects(head: Head) -> float:
    items = head.items or ([head.document] if head.document else [])
    return share("uuid" in one and "name" in one and ("docs" in one or "prompt_template" in one) for one in items)


def _read_claude_projects(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for project in stream_items(file, reading):
            identity, name = name_of(project.get("uuid")), text_of(project.get("name")) or "project"
            if identity is None:
                reading.report.skip("no project", file.name)
                continue
            at = reading.instant(project.get("created_at"))
            told = [text_of(project.get(key)).strip() for key in ("description", "prompt_template")]
            if text := "\n\n".join(filter(None, told)):
                yield Page("claude-ai", f"project/{identity}", name, text, at)
            documents = project.get("docs")
            for one in map(dict_of, documents if isinstance(documents, list) else ()):
                text, own = text_of(one.get("content")), name_of(one.get("uuid"))
                title = f"{name}: {text_of(one.get('filename')) or 'document'}"
                if text.strip() and own is not None:
                    yield Page(
                        "claude-ai", f"document/{own}", title, text, reading.instant(one.get("created_at")) or at
                    )


def _probe_claude_memories(head: Head) -> float:
    items = head.items or ([head.document] if head.document else [])
    return share("conversations_memory" in one or "project_memories" in one for one in items)


def _read_claude_memories(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        for item in stream_items(file, reading):
            account = name_of(item.get("account_uuid")) or "account"
            if text := text_of(item.get("conversations_memory")).strip():
                yield Page("claude-ai", f"memory/{account}", "What Claude.ai remembers", text)
            for project, told in dict_of(item.get("project_memories")).items():
                if text := text_of(told).strip():
                    yield Page("claude-ai", f"memory/{project}", "What Claude.ai remembers of a project", text)
            kept = item.get("memory_files")
            for one in map(dict_of, kept if isinstance(kept, list) else ()):
                path = text_of(one.get("path"))
                if path and (text := text_of(one.get("content")).strip()):
                    yield Page("claude-ai", f"memory/{account}/{path}", f"What Claude.ai remembers: {path}", text)


FORMATS = (
    Format("chatgpt", "ChatGPT", _probe_chatgpt, _read_chatgpt),
    Format("chatgpt-memories", "ChatGPT's saved memories", _probe_chatgpt_memories, _read_chatgpt_memories),
    Format("claude-ai", "Claude.ai", _probe_claude_ai, _read_claude_ai),
    Format("claude-ai-projects", "Claude.ai's projects", _probe_claude_projects, _read_claude_projects),
    Format("claude-ai-memories", "Claude.ai's memory", _probe_claude_memories, _read_claude_memories),
)


# What programs put into a channel.
_SPOKEN = frozenset({None, "", "thread_broadcast", "me_message", "file_share", "file_comment"})
_LINK = regex(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
_NAMES = ("display_name", "real_name", "name")


def _probe(head: Head) -> float:
    return share(one.get("type") == "message" and "ts" in one for one in head.items)


@dataclass(frozen=True, slots=True)
class People:
    """Who is who in an export, by id."""

    names: Mapping[str, str]

    def find(self, message: Mapping[str, Any]) -> str:
        identity = text_of(message.get("user"))
        profile = dict_of(message.get("user_profile"))
        return self.names.get(identity) or _name(profile) or text_of(message.get("username")) or identity

    def resolve(self, text: str) -> str:
        """A text with names in place of ids, and links as people read them."""

        def show(mark: str, target: str, label: str) -> str:
            if mark == "@":
                return f"@{self.names.get(target) or label or target}"
            if mark == "#":
                return f"#{label or target}"
            return f"@{target}" if mark == "!" else f"{label} ({target})" if label and label != target else target

        return html.unescape(_LINK.sub(lambda one: show(one[1], one[2], one[3] or ""), text))


def _name(profile: Mapping[str, Any]) -> str:
    return next((name for key in _NAMES if (name := text_of(profile.get(key)).strip())), "")


def _read(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    """The files of one channel."""
    channel = files[0].folder
    people = _find_people(files[0], reading)
    threads: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        for message in stream_items(file, reading):
            if message.get("type") != "message" or "ts" not in message:
                continue
            if message.get("subtype") not in _SPOKEN or message.get("bot_id") or message.get("hidden"):
                reading.report.skip("written by a program")
                continue
            threads.setdefault(_find_thread(message, reading), []).append(message)
    for name, messages in threads.items():
        talk = EntryList()
        for message in sorted(messages, key=lambda one: _moment(one) or 0):
            speaker = people.find(message)
            is_me = reading.is_me(speaker, text_of(message.get("user")))
            kind = Kind.USER if is_me else Kind.ASSISTANT
            text = people.resolve(text_of(message.get("text")))
            reading.report.lack_place("files", message.get("files"))
            reading.report.lack_place("reactions", message.get("reactions"))
            talk.add(
                kind, text, reading.instant(_moment(message)), uid=text_of(message.get("client_msg_id")), by=speaker
            )
        yield Conversation("slack", f"{channel}/{name}", talk.entries, f"#{channel}", speakers=talk.speakers)


def _moment(message: Mapping[str, Any]) -> float | None:
    text = text_of(message.get("ts"))
    return float(text) if text.replace(".", "", 1).isdigit() and len(text) < 25 else None


def _find_thread(message: Mapping[str, Any], reading: Reading) -> str:
    """The thread's first message, else the UTC day."""
    thread = text_of(message.get("thread_ts"))
    if thread and (message.get("reply_count") or thread != message.get("ts") or message.get("replies")):
        return thread
    at = _moment(message)
    return "undated" if at is None or not 0 <= at < 1e11 else instants.show_date(round(at * 1000))


def _find_people(file: SourceFile, reading: Reading) -> People:
    found: dict[str, str] = {}
    for path in ("../users.json", "users.json"):
        listing = file.beside(path)
        if listing is None:
            continue
        if listing.name in reading.listings:  # every channel of an export has the same
            return People(reading.listings[listing.name])
        for user in stream_items(listing, reading):
            name = _name(dict_of(user.get("profile"))) or _name(user)
            if name and (identity := text_of(user.get("id"))):
                found[identity] = name
        reading.listings[listing.name] = found
        break
    return People(found)


SLACK = (Format("slack", "Slack", _probe, _read, gathers=True),)
