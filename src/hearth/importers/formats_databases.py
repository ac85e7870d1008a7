"""Conversations in databases of programs, which are opened to be read and never changed: OpenCode, Hermes, OpenClaw,
Cursor, Zed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hearth.core.errors import Unavailable
from hearth.core.transcript import Kind, Position
from hearth.importers.formats import Conversation, EntryList, Format, Found, Head, Reading, SourceFile, parse_object
from hearth.importers.formats_agents import add_opencode
from hearth.importers.sources import open_database
from hearth.transcripts.actions import dict_of, joined, name_of, text_of
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import find_taken_back
from hearth.transcripts.typed import strip_added

if TYPE_CHECKING:
    import apsw

MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes of one packed row."""

Rows = Callable[..., Iterator[dict[str, Any]]]


@contextmanager
def open_rows(file: SourceFile) -> Iterator[Rows]:
    """A function that runs a query and gives its rows by name. Raises ``Unavailable``, also for a database inside an
    archive."""
    if file.place is None:
        raise Unavailable(f"{file.name} is a database inside an archive; unpack it first")
    with open_database(Path(file.place)) as database:
        yield lambda query, *given: _run(database, query, given)


def _run(database: apsw.Connection, query: str, given: Sequence[Any]) -> Iterator[dict[str, Any]]:
    cursor = database.execute(query, given)
    names: list[str] = []
    for row in cursor:
        names = names or [name for name, _ in cursor.get_description()]
        yield dict(zip(names, row, strict=True))


def _columns(rows: Rows, table: str) -> frozenset[str]:
    return frozenset(str(row["name"]) for row in rows(f"pragma table_info({table})"))


def _has_tables(*names: str) -> Callable[[Head], float]:
    return lambda head: 1.0 if head.tables.issuperset(names) else 0.0


def _each(files: Sequence[SourceFile], read: Callable[[SourceFile, Rows], Iterator[Found]]) -> Iterator[Found]:
    for file in files:
        with open_rows(file) as rows:
            yield from read(file, rows)


# -- OpenCode and Hermes ----------------------------------------------------------------------------------------------


def _read_opencode(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    def read(file: SourceFile, rows: Rows) -> Iterator[Found]:
        known = _columns(rows, "session")
        wanted = [name for name in ("id", "title", "directory", "parent_id") if name in known]
        for session in list(rows(f"select {', '.join(wanted)} from session order by id")):
            talk, parts = EntryList(), dict[str, list[object]]()
            for row in rows("select message_id, data from part where session_id = ? order by id", session["id"]):
                parts.setdefault(row["message_id"], []).append(parse_object(text_of(row["data"])))
            query = "select id, data from message where session_id = ? order by time_created, id"
            for row in rows(query, session["id"]):
                add_opencode(talk, parse_object(text_of(row["data"])) or {}, parts.get(row["id"], []), reading)
            title, cwd = text_of(session.get("title")), name_of(session.get("directory"))
            left_out = "of a subagent" if session.get("parent_id") else ""
            identity = text_of(session["id"])
            # Compaction may delete rows, so the documents decide what is new.
            yield Conversation("opencode", identity, talk.entries, title, "opencode", cwd, left_out=left_out)

    return _each(files, read)


_HERMES_SCRIPTS = frozenset({"cron", "batch", "api_batch"})


def _read_hermes(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    def read(file: SourceFile, rows: Rows) -> Iterator[Found]:
        known, about = _columns(rows, "messages"), _columns(rows, "sessions")
        live = " and active = 1" if "active" in known else ""
        wanted = [name for name in ("id", "source", "title", "cwd", "parent_session_id") if name in about]
        columns = [name for name in ("role", "content", "tool_calls", "timestamp", "observed") if name in known]
        for session in list(rows(f"select {', '.join(wanted)} from sessions order by id")):
            talk = EntryList()
            query = f"select {', '.join(columns)} from messages where session_id = ?{live} order by id"
            for row in rows(query, session["id"]):
                _add_hermes(talk, row, reading)
            left_out = "run by a script" if session.get("source") in _HERMES_SCRIPTS else ""
            title, cwd = text_of(session.get("title")), name_of(session.get("cwd"))
            identity = text_of(session["id"])
            yield Conversation("hermes", identity, talk.entries, title, "hermes", cwd, left_out=left_out)

    return _each(files, read)


def _add_hermes(talk: EntryList, row: Mapping[str, Any], reading: Reading) -> None:
    at, role = reading.instant(row.get("timestamp")), row.get("role")
    text = text_of(row.get("content"))
    if text.startswith("[{"):  # several parts
        with_parts = parse_object(f'{{"content": {text}}}') or {}
        text = joined(with_parts.get("content"))
    if role == "user" and not row.get("observed"):
        talk.add(Kind.USER, strip_added(text), at)
    elif role == "assistant":
        talk.add(Kind.ASSISTANT, text, at)
        calls = parse_object(f'{{"calls": {text_of(row.get("tool_calls")) or "[]"}}}') or {}
        for call in map(dict_of, calls.get("calls") or ()):
            talk.call(text_of(dict_of(call.get("function")).get("name")) or "tool", at)


# -- OpenClaw, Cursor, Zed --------------------------------------------------------------------------------------------


def _read_openclaw(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    def read(file: SourceFile, rows: Rows) -> Iterator[Found]:
        packed = "event_zstd" if "event_zstd" in _columns(rows, "transcript_events") else "null"
        query = f"select event_json, {packed} as packed from transcript_events where session_id = ? order by seq"
        for row in list(rows("select distinct session_id from transcript_events order by session_id")):
            identity = text_of(row["session_id"])
            parser, entries = TranscriptParser(Position(style="openclaw")), []
            for event in rows(query, identity):
                data = event["event_json"] or unpack(event["packed"])
                line = data if isinstance(data, bytes) else text_of(data).encode("utf-8", "replace")
                entries += parser.feed(line.replace(b"\n", b" ") + b"\n")
            gone = {one.turn for one in find_taken_back(parser.links)}
            kept, cwd = [entry for entry in entries if entry.turn not in gone], parser.position.cwd
            yield Conversation("openclaw", identity, kept, "", "openclaw", cwd)

    return _each(files, read)


def unpack(data: object) -> bytes:
    """Raises ``Unavailable`` where no reader of zstd is installed, or for what is damaged or too large."""
    if not isinstance(data, bytes):
        return b""
    try:
        import zstandard
    except ImportError:
        missing = "rows are packed with zstd, which nothing here reads; run: pip install 'hearth-memory[import]'"
        raise Unavailable(missing) from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as stream:
            found = bytes(stream.read(MAX_UNPACKED + 1))
    except zstandard.ZstdError as error:
        raise Unavailable(f"a packed row is damaged: {error}") from error
    if len(found) > MAX_UNPACKED:
        raise Unavailable(f"a packed row is larger than {MAX_UNPACKED // 2**20} MB")
    return found


_BUBBLES = "select key, value from cursorDiskKV where key >= ? and key < ?"


def _read_cursor(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    def read(file: SourceFile, rows: Rows) -> Iterator[Found]:
        for row in list(rows(_BUBBLES, "composerData:", "composerData;")):
            about = _object(row["value"])
            identity = name_of(about.get("composerId")) or text_of(row["key"]).partition(":")[2]
            prefix = f"bubbleId:{identity}:"
            bubbles = {
                text_of(one["key"]).removeprefix(prefix): _object(one["value"])
                for one in rows(_BUBBLES, prefix, f"bubbleId:{identity};")
            }
            order = [text_of(dict_of(one).get("bubbleId")) for one in _list(about.get("fullConversationHeadersOnly"))]
            listed = [bubbles[name] for name in order if name in bubbles]
            talk = EntryList()
            for bubble in listed or [*_list(about.get("conversation")), *bubbles.values()]:
                _add_bubble(talk, dict_of(bubble), reading)
            yield Conversation("cursor", identity, talk.entries, text_of(about.get("name")))

    return _each(files, read)


def _add_bubble(talk: EntryList, bubble: Mapping[str, Any], reading: Reading) -> None:
    at = reading.instant(bubble.get("timestamp") or bubble.get("createdAt"))
    text = text_of(bubble.get("text")) or text_of(bubble.get("rawText"))
    kind = Kind.USER if bubble.get("type") == 1 else Kind.ASSISTANT
    talk.add(kind, strip_added(text) if kind is Kind.USER else text, at)
    if tool := text_of(dict_of(bubble.get("toolFormerData")).get("name")):
        talk.call(tool, at)


def _read_zed(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    def read(file: SourceFile, rows: Rows) -> Iterator[Found]:
        for row in rows("select id, summary, data_type, data from threads order by id"):
            try:
                data = unpack(row["data"]) if row["data_type"] == "zstd" else row["data"]
            except Unavailable as error:
                reading.report.skip("packed rows that could not be read", file.name, error.said)
                continue
            thread, talk = _object(data), EntryList()
            for message in map(dict_of, _list(thread.get("messages"))):
                for role, kind in (("User", Kind.USER), ("Agent", Kind.ASSISTANT)):
                    if role in message:
                        _add_zed(talk, kind, dict_of(message[role]).get("content"))
            yield Conversation("zed", text_of(row["id"]), talk.entries, text_of(row["summary"] or thread.get("title")))

    return _each(files, read)


def _add_zed(talk: EntryList, kind: Kind, content: object) -> None:
    """Messages have no time: that of the thread changes with each."""
    parts = [dict_of(one) for one in _list(content)]
    texts = [text_of(part.get("Text")) for part in parts]
    talk.add(kind, "\n\n".join(filter(None, texts)))
    for part in parts:
        if use := dict_of(part.get("ToolUse")):
            talk.call(text_of(use.get("name")) or "tool")


def _object(data: object) -> dict[str, Any]:
    try:
        return dict_of(json.loads(data)) if isinstance(data, str | bytes) else {}
    except (ValueError, RecursionError):
        return {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


FORMATS = (
    Format("opencode-database", "OpenCode", _has_tables("session", "message", "part"), _read_opencode),
    Format("hermes", "Hermes", _has_tables("sessions", "messages"), _read_hermes),
    Format("openclaw-database", "OpenClaw's database", _has_tables("transcript_events"), _read_openclaw),
    Format("cursor-database", "Cursor", _has_tables("cursordiskkv"), _read_cursor),
    Format("zed", "Zed", _has_tables("threads"), _read_zed),
)
