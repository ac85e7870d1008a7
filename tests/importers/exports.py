"""Conversations written down in the form of each format, as its documents describe it; files of programs that run here
are recorded in ``data``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zstandard

BEGUN = 1_750_000_000  # seconds; 2025-06-15


@dataclass(frozen=True)
class Said:
    """``who`` is ``user``, ``assistant`` or a name; ``at`` in seconds."""

    who: str
    text: str
    at: int

    @property
    def iso(self) -> str:
        return datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @property
    def role(self) -> str:
        return self.who if self.who in ("user", "assistant") else "user"


def talk(*texts: str, begun: int = BEGUN, names: Sequence[str] = ("user", "assistant")) -> list[Said]:
    """Turns in alternation, ten seconds apart."""
    return [Said(names[at % len(names)], text, begun + 10 * at) for at, text in enumerate(texts)]


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_code(folder: Path, name: str, said: Sequence[Said]) -> None:
    records = []
    for at, one in enumerate(said):
        content: Any = one.text if one.role == "user" else [{"type": "text", "text": one.text}]
        message = {"role": one.role, "content": content, "id": f"msg-{at}", "model": "claude"}
        parent = f"{name}-{at - 1}" if at else None
        about = {"uuid": f"{name}-{at}", "parentUuid": parent, "timestamp": one.iso, "sessionId": name, "cwd": "/work"}
        records.append({"type": one.role, "message": message, "isSidechain": False, "userType": "external", **about})
    (folder / f"{name}.jsonl").write_bytes(lines(*records))


def codex(folder: Path, name: str, said: Sequence[Said]) -> None:
    meta = {"id": name, "cwd": "/work", "originator": "codex_cli_rs", "source": "cli"}
    records = [{"timestamp": said[0].iso, "type": "session_meta", "payload": meta}]
    for one in said:
        kind = "input_text" if one.role == "user" else "output_text"
        message = {"type": "message", "role": one.role, "content": [{"type": kind, "text": one.text}]}
        event = {"type": "user_message" if one.role == "user" else "agent_message", "message": one.text}
        records += [
            {"timestamp": one.iso, "type": "response_item", "payload": message},
            {"timestamp": one.iso, "type": "event_msg", "payload": event},
        ]
    (folder / f"rollout-{name}.jsonl").write_bytes(lines(*records))


def openclaw(folder: Path, name: str, said: Sequence[Said]) -> None:
    records: list[Any] = [{"type": "session", "version": 3, "id": name, "timestamp": said[0].iso, "cwd": "/work"}]
    for at, one in enumerate(said):
        message = {"role": one.role, "content": [{"type": "text", "text": one.text}]}
        parent = f"m{at - 1}" if at else None
        records.append(
            {"type": "message", "id": f"m{at}", "parentId": parent, "timestamp": one.iso, "message": message}
        )
    (folder / f"{name}.jsonl").write_bytes(lines(*records))


def openclaw_database(folder: Path, name: str, said: Sequence[Said]) -> None:
    """Every second row is packed."""
    openclaw(folder, name, said)
    events = (folder / f"{name}.jsonl").read_text().splitlines()
    (folder / f"{name}.jsonl").unlink()
    with closing(sqlite3.connect(folder / f"{name}.sqlite")) as database, database:
        database.execute(
            "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, "
            "event_zstd BLOB, created_at INTEGER, PRIMARY KEY (session_id, seq)) STRICT"
        )
        pack = zstandard.ZstdCompressor().compress
        rows = [
            (name, at, *((event, None) if at % 2 else (None, pack(event.encode()))), 0)
            for at, event in enumerate(events)
        ]
        database.executemany("INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?)", rows)


def qwen(folder: Path, name: str, said: Sequence[Said]) -> None:
    records = []
    for at, one in enumerate(said):
        role = "user" if one.role == "user" else "model"
        about = {"uuid": f"{name}-{at}", "parentUuid": f"{name}-{at - 1}" if at else None, "sessionId": name}
        message = {"role": role, "parts": [{"text": "Let me think.", "thought": True}, {"text": one.text}]}
        records.append({**about, "timestamp": one.iso, "type": one.role, "cwd": "/work", "message": message})
    (folder / f"{name}.jsonl").write_bytes(lines(*records))


def gemini(folder: Path, name: str, said: Sequence[Said]) -> None:
    head = {
        "sessionId": name,
        "projectHash": "f00",
        "startTime": said[0].iso,
        "lastUpdated": said[0].iso,
        "kind": "main",
    }
    records: list[Any] = [head]
    for at, one in enumerate(said):
        kind = "user" if one.role == "user" else "gemini"
        content: Any = [{"text": one.text}] if kind == "user" else one.text
        records += [
            {"id": f"m{at}", "timestamp": one.iso, "type": kind, "content": content},
            {"$set": {"lastUpdated": one.iso}},
        ]
    (folder / f"session-{name}.jsonl").write_bytes(lines(*records))


def gemini_whole(folder: Path, name: str, said: Sequence[Said]) -> None:
    kinds = {"user": "user", "assistant": "gemini"}
    messages = [
        {"id": f"m{at}", "timestamp": one.iso, "type": kinds[one.role], "content": one.text}
        for at, one in enumerate(said)
    ]
    whole = {"sessionId": name, "projectHash": "f00", "startTime": said[0].iso, "lastUpdated": said[0].iso}
    (folder / f"session-{name}.json").write_text(json.dumps({**whole, "messages": messages}, indent=2))


def opencode(folder: Path, name: str, said: Sequence[Said]) -> None:
    messages = [
        {
            "info": {"id": f"msg_{at}", "sessionID": name, "role": one.role, "time": {"created": one.at * 1000}},
            "parts": [{"id": f"prt_{at}", "type": "text", "text": one.text}],
        }
        for at, one in enumerate(said)
    ]
    about = {"id": name, "title": "A talk", "directory": "/work", "time": {"created": said[0].at * 1000}}
    (folder / f"{name}.json").write_text(json.dumps({"info": about, "messages": messages}))


def opencode_database(folder: Path, name: str, said: Sequence[Said]) -> None:
    with closing(sqlite3.connect(folder / f"{name}.db")) as database, database:
        database.execute(
            "CREATE TABLE `session` (`id` text PRIMARY KEY, `title` text, `directory` text, `parent_id` text)"
        )
        database.execute(
            "CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer, "
            "`data` text NOT NULL)"
        )
        database.execute(
            "CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text, `session_id` text, `data` text)"
        )
        database.execute("INSERT INTO session VALUES (?, 'A talk', '/work', NULL)", (name,))
        for at, one in enumerate(said):
            data = {"role": one.role, "time": {"created": one.at * 1000}}
            database.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)", (f"m{at:06}", name, one.at * 1000, json.dumps(data))
            )
            part = json.dumps({"type": "text", "text": one.text})
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (f"p{at:06}", f"m{at:06}", name, part))


def hermes(folder: Path, name: str, said: Sequence[Said]) -> None:
    with closing(sqlite3.connect(folder / f"{name}.db")) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, title TEXT, cwd TEXT, "
            "parent_session_id TEXT, started_at REAL NOT NULL)"
        )
        database.execute(
            "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, "
            "role TEXT NOT NULL, content TEXT, tool_calls TEXT, timestamp REAL NOT NULL, observed INTEGER DEFAULT 0, "
            "active INTEGER NOT NULL DEFAULT 1)"
        )
        database.execute("INSERT INTO sessions VALUES (?, 'cli', 'A talk', '/work', NULL, ?)", (name, said[0].at))
        rows = [(name, one.role, one.text, one.at + 0.25) for one in said]
        database.executemany("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", rows)


def cursor(folder: Path, name: str, said: Sequence[Said]) -> None:
    records = [{"role": one.role, "message": {"content": [{"type": "text", "text": _query(one)}]}} for one in said]
    (folder / f"{name}.jsonl").write_bytes(lines(*records))


def _query(one: Said) -> str:
    return f"<user_query>\n{one.text}\n</user_query>" if one.role == "user" else one.text


def cursor_database(folder: Path, name: str, said: Sequence[Said]) -> None:
    with closing(sqlite3.connect(folder / f"{name}.vscdb")) as database, database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        order = [{"bubbleId": f"b{at}"} for at in range(len(said))]
        about = {"composerId": name, "name": "A talk", "fullConversationHeadersOnly": order}
        rows = [(f"composerData:{name}", json.dumps(about))]
        for at, one in enumerate(said):
            bubble = {"type": 1 if one.role == "user" else 2, "text": one.text, "timestamp": one.at * 1000}
            rows.append((f"bubbleId:{name}:b{at}", json.dumps(bubble)))
        database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)


def copilot(folder: Path, name: str, said: Sequence[Said]) -> None:
    begin = {"sessionId": name, "context": {"cwd": "/work"}}
    records = [{"type": "session.start", "data": begin, "timestamp": said[0].iso}]
    records += [{"type": f"{one.role}.message", "data": {"content": one.text}, "timestamp": one.iso} for one in said]
    (folder / f"{name}.jsonl").write_bytes(lines(*records))


def cline(folder: Path, name: str, said: Sequence[Said]) -> None:
    messages = []
    for at, one in enumerate(said):
        words = f"<task>\n{one.text}\n</task>" if not at else f"<feedback>\n{one.text}\n</feedback>"
        content = [{"type": "text", "text": words if one.role == "user" else one.text}]
        if one.role == "user":
            content.append({"type": "text", "text": "<environment_details>\nOpen tabs\n</environment_details>"})
        messages.append({"role": one.role, "content": content, "ts": one.at * 1000})
    (folder / name).mkdir()
    (folder / name / "api_conversation_history.json").write_text(json.dumps(messages))


def zed(folder: Path, name: str, said: Sequence[Said]) -> None:
    messages = [{"User" if one.role == "user" else "Agent": {"content": [{"Text": one.text}]}} for one in said]
    with closing(sqlite3.connect(folder / f"{name}.db")) as database, database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, "
            "data_type TEXT NOT NULL, data BLOB NOT NULL)"
        )
        data = json.dumps({"version": "0.3.0", "title": "A talk", "messages": messages}).encode()
        database.execute("INSERT INTO threads VALUES (?, 'A talk', ?, 'json', ?)", (name, said[-1].iso, data))


def chatgpt_conversation(name: str, said: Sequence[Said]) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["n0"], "message": None}}
    for at, one in enumerate(said):
        message = {
            "id": f"n{at}",
            "author": {"role": one.role},
            "create_time": one.at + 0.5,
            "content": {"content_type": "text", "parts": [one.text]},
            "recipient": "all",
        }
        if one.role != "user":
            message["metadata"] = {"model_slug": "gpt"}
        parent = f"n{at - 1}" if at else "root"
        children = [f"n{at + 1}"] if at + 1 < len(said) else []
        mapping[f"n{at}"] = {"id": f"n{at}", "parent": parent, "children": children, "message": message}
    about = {"conversation_id": name, "title": "A talk", "create_time": said[0].at, "update_time": said[-1].at}
    return {**about, "mapping": mapping, "current_node": f"n{len(said) - 1}"}


def chatgpt(folder: Path, name: str, said: Sequence[Said]) -> None:
    (folder / f"conversations-{name}.json").write_text(json.dumps([chatgpt_conversation(name, said)]))


def claude_ai_conversation(name: str, said: Sequence[Said]) -> dict[str, Any]:
    senders = {"user": "human", "assistant": "assistant"}
    messages = [
        {
            "uuid": f"{name}-{at}",
            "sender": senders[one.role],
            "text": one.text,
            "content": [{"type": "text", "text": one.text}],
            "created_at": one.iso,
            "attachments": [],
            "files": [],
        }
        for at, one in enumerate(said)
    ]
    return {"uuid": name, "name": "A talk", "created_at": said[0].iso, "chat_messages": messages}


def claude_ai(folder: Path, name: str, said: Sequence[Said]) -> None:
    (folder / f"{name}.json").write_text(json.dumps([claude_ai_conversation(name, said)]))


def slack(folder: Path, name: str, said: Sequence[Said]) -> None:
    """A channel, whose people are listed beside it."""
    people = {who: f"U{at:03}" for at, who in enumerate(dict.fromkeys(one.who for one in said))}
    users = [{"id": identity, "profile": {"display_name": who}} for who, identity in people.items()]
    known = folder / "users.json"
    before = json.loads(known.read_text()) if known.exists() else []
    known.write_text(json.dumps([*before, *(one for one in users if one not in before)]))
    days: dict[str, list[Any]] = {}
    for one in said:
        message = {"type": "message", "user": people[one.who], "text": one.text, "ts": f"{one.at}.000100"}
        days.setdefault(one.iso[:10], []).append(message)
    (folder / name).mkdir()
    for day, messages in days.items():
        (folder / name / f"{day}.json").write_text(json.dumps(messages))


def text(folder: Path, name: str, said: Sequence[Said]) -> None:
    shown = {"user": "User", "assistant": "Assistant"}
    body = "\n\n".join(f"{shown.get(one.who, one.who)}: {one.text}" for one in said)
    (folder / f"{name}.txt").write_text(f"{body}\n")


def markdown(folder: Path, name: str, said: Sequence[Said]) -> None:
    shown = {"user": "User", "assistant": "Assistant"}
    body = "\n\n".join(f"**{shown.get(one.who, one.who)}:** {one.text}" for one in said)
    (folder / f"{name}.md").write_text(f"# A talk\n\n{body}\n")


def aider(folder: Path, name: str, said: Sequence[Said]) -> None:
    rows = [f"# aider chat started at {said[0].iso[:10]} {said[0].iso[11:19]}", "", "> Aider v0.86.0", ""]
    for one in said:
        rows += [f"#### {one.text}" if one.role == "user" else one.text, ""]
        rows += ["> Tokens: 1.2k sent, 50 received.", ""] if one.role == "assistant" else []
    (folder / f"{name}.md").write_text("\n".join(rows))


Writer = Callable[[Path, str, Sequence[Said]], None]
WRITERS: dict[str, Writer] = {
    "claude-code": claude_code,
    "codex": codex,
    "openclaw": openclaw,
    "openclaw-database": openclaw_database,
    "qwen": qwen,
    "gemini": gemini,
    "gemini (one object)": gemini_whole,
    "opencode": opencode,
    "opencode-database": opencode_database,
    "hermes": hermes,
    "cursor": cursor,
    "cursor-database": cursor_database,
    "copilot": copilot,
    "cline": cline,
    "zed": zed,
    "chatgpt": chatgpt,
    "claude-ai": claude_ai,
    "slack": slack,
    "text": text,
    "text (markdown)": markdown,
    "aider": aider,
}
"""By format; what stands in brackets is another form of it."""
