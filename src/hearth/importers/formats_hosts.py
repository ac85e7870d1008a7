"""Transcripts that programs write as they run, an object a line: those that capture reads, too, and their relatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from hearth.core.transcript import UNATTENDED, Kind, TranscriptEntry
from hearth.importers.formats import (
    Conversation,
    EntryList,
    Format,
    Found,
    Head,
    Reading,
    SourceFile,
    check_size,
    find_chain,
    parse_object,
    share,
)
from hearth.transcripts import claude_code, codex, openclaw
from hearth.transcripts.actions import dict_of, name_of, text_of
from hearth.transcripts.transcripts import MAX_LINE, LineShortener, TranscriptParser
from hearth.transcripts.turns import find_taken_back
from hearth.transcripts.typed import strip_added

_CHUNK = 1024 * 1024
_MOST_WHOLE = 256 * 1024 * 1024
_SCRIPTED = "run by a script"


def read_transcript(
    name: str, identify: Callable[[dict[str, Any]], str | None], files: Sequence[SourceFile], reading: Reading
) -> Iterator[Found]:
    """A transcript that capture reads, too. ``identify`` finds the session's id in a line."""
    for file in files:
        parser = TranscriptParser()
        entries: list[TranscriptEntry] = []
        chars = 0
        identity: str | None = None
        with file.open() as stream:
            while data := stream.read(_CHUNK):
                if identity is None:
                    identity = next(filter(None, map(identify, Head(data).records)), None)
                entries.extend(parsed := parser.feed(data))
                chars += sum(len(entry.text) for entry in parsed)
                check_size(chars)
            # A torn last line is what somebody is writing: it comes with the next run.
        gone = {one.turn for one in find_taken_back(parser.links)}
        if parser.faulty:
            reading.report.skip("lines that could not be read in full", file.name, f"{parser.faulty} damaged lines")
        position = parser.position
        yield Conversation(
            name,
            identity or file.name,
            [entry for entry in entries if entry.turn not in gone],
            host=name,
            cwd=position.cwd,
            transcript=file.place or file.name,
            read_to=position.offset,
            left_out=_SCRIPTED if UNATTENDED in position.marks else "",
        )


def _probe_claude_code(head: Head) -> float:
    records = head.records
    named = [one for one in records if text_of(one.get("type")) in claude_code.TYPES]
    contents = [dict_of(one.get("message")) for one in named if "sessionId" in one]
    is_google = any("parts" in one for one in contents)
    is_spoken = any("content" in one for one in contents) or any(one.get("type") == "attachment" for one in named)
    return share(one in named for one in records) if is_spoken and not is_google else 0.0


def _probe_codex(head: Head) -> float:
    return share(
        text_of(one.get("type")) in codex.TYPES and isinstance(one.get("payload"), dict) for one in head.records
    )


def _probe_openclaw(head: Head) -> float:
    records = head.records
    begins = any(one.get("type") == "session" and "version" in one for one in records)
    return (
        share(openclaw.is_transcript(one) or text_of(one.get("type")) in openclaw.TYPES for one in records)
        if begins
        else 0.0
    )


def _identify_claude_code(record: dict[str, Any]) -> str | None:
    return name_of(record.get("sessionId"))


def _identify_codex(record: dict[str, Any]) -> str | None:
    payload = dict_of(record.get("payload"))
    return name_of(payload.get("id")) if record.get("type") == "session_meta" else None


def _identify_openclaw(record: dict[str, Any]) -> str | None:
    return name_of(record.get("id")) if record.get("type") == "session" else None


# -- Qwen Code and Gemini CLI -----------------------------------------------------------------------------------------


def read_lines(file: SourceFile, reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file that has one a line, each with the byte at which it starts; of a line over 10 MB what is
    short in it. A last line that is torn is left for later."""
    offset = damaged = 0
    with file.open() as stream:
        while line := stream.readline(MAX_LINE + 1):
            start = offset
            offset += len(line)
            if len(line) > MAX_LINE:
                line, size = _shorten(line, stream.readline)
                offset += size
            record = parse_object(line)
            if record is not None:
                yield start, record
            elif line.endswith(b"\n") and line.strip():
                damaged += 1
    if damaged:
        reading.report.skip("lines that could not be read in full", file.name, f"{damaged} damaged lines")


def _shorten(line: bytes, more: Callable[[int], bytes]) -> tuple[bytes, int]:
    """A line without its longest strings, and how many bytes were read for that."""
    long, size = LineShortener(MAX_LINE), 0
    long.feed(line)
    while not line.endswith(b"\n") and (line := more(_CHUNK)):
        long.feed(line)
        size += len(line)
    return b"" if long.is_over else long.line(), size


_TYPED_OR_ANSWERED = frozenset({None, "real_user", "assistant_output"})


def _probe_qwen(head: Head) -> float:
    def fits(one: dict[str, Any]) -> bool:
        return "sessionId" in one and "uuid" in one and "type" in one

    parts = any(isinstance(dict_of(one.get("message")).get("parts"), list) for one in head.records)
    return share(map(fits, head.records)) if parts else 0.0


def _read_qwen(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        lines = list(read_lines(file, reading))
        offsets = {id(record): offset for offset, record in lines}
        records = [record for _, record in lines]
        kept = find_chain(records, "uuid", "parentUuid")
        talk, title, cwd, identity = EntryList(), "", None, ""
        for record in kept:
            talk.offset = offsets[id(record)]
            identity = identity or name_of(record.get("sessionId")) or ""
            cwd = name_of(record.get("cwd")) or cwd
            kind, at = record.get("type"), reading.instant(record.get("timestamp"))
            payload = dict_of(record.get("systemPayload"))
            if kind == "system":
                title = text_of(payload.get("customTitle")) or title
                if record.get("subtype") == "chat_compression":
                    talk.add(Kind.BOUNDARY, "", at)
            elif record.get("provenance") not in _TYPED_OR_ANSWERED:
                continue
            elif kind in ("user", "assistant") and record.get("subtype") in (None, "mid_turn_user_message"):
                shown = text_of(payload.get("displayText"))
                _add_parts(talk, kind, dict_of(record.get("message")).get("parts"), at, shown)
        end = lines[-1][0] + 1 if lines else 0
        place = file.place or file.name
        yield Conversation("qwen", identity or file.name, talk.entries, title, "qwen", cwd, place, end)


def _add_parts(talk: EntryList, role: str, parts: object, at: int | None, shown: str = "") -> None:
    """Parts of a message as Google's API has them: thoughts and results are nobody's words."""
    listed = parts if isinstance(parts, list) else [{"text": parts}] if isinstance(parts, str) else []
    texts = [text_of(dict_of(one).get("text")) for one in listed if not dict_of(one).get("thought")]
    text = "\n".join(filter(None, texts))
    if role == "user":
        talk.add(Kind.USER, strip_added(shown or text), at)
        return
    talk.add(Kind.ASSISTANT, text, at)
    for part in listed:
        if call := dict_of(dict_of(part).get("functionCall")):
            talk.call(text_of(call.get("name")) or "tool", at, _files_of(call.get("args")))


def _files_of(arguments: object) -> tuple[str, ...]:
    given = dict_of(arguments)
    found = (text_of(given.get(key)) for key in ("file_path", "absolute_path", "filePath", "path"))
    return tuple(name[:500] for name in found if name)[:1]


def _probe_gemini(head: Head) -> float:
    begin = head.records[0] if head.records else head.document
    if not {"sessionId", "projectHash"} <= begin.keys():
        return 0.0
    messages = begin.get("messages")
    rest = head.records[1:]
    if isinstance(messages, list) and messages:
        return share(_is_gemini(one) for one in messages)
    return share(_is_gemini(one) or any(key.startswith("$") for key in one) for one in rest)


def _is_gemini(one: object) -> bool:
    record = dict_of(one)
    return record.get("type") in ("user", "gemini", "info", "error", "warning") and "content" in record


def _read_gemini(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        about, messages, end = _collect_gemini(_gemini_records(file, reading))
        talk = EntryList()
        for offset, one in messages:
            talk.offset = offset if end else None
            _add_gemini(talk, one, reading.instant(one.get("timestamp")))
        folders = about.get("directories")
        cwd = text_of(folders[0]) if isinstance(folders, list) and folders else None
        left_out = "of a subagent" if about.get("kind") == "subagent" else ""
        identity, title = name_of(about.get("sessionId")) or file.name, text_of(about.get("summary"))
        place = (file.place or file.name) if end else ""
        yield Conversation("gemini", identity, talk.entries, title, "gemini", cwd, place, end, left_out=left_out)


def _collect_gemini(
    records: Iterator[tuple[int, dict[str, Any]]],
) -> tuple[dict[str, Any], list[tuple[int, dict[str, Any]]], int]:
    """What a session says of itself, its messages as they are in the end, and the byte behind the start of its last
    line: 0 for a file that is one object."""
    about: dict[str, Any] = {}
    messages: dict[object, tuple[int, dict[str, Any]]] = {}
    end = 0
    for offset, record in records:
        end = offset + 1 if offset else end
        if (to := record.get("$rewindTo")) is not None:
            ids = list(messages)
            for name in ids[ids.index(to) :] if to in messages else ():
                del messages[name]
        elif isinstance(record.get("$set"), dict):
            about |= record["$set"]
            listed = about.pop("messages", None)
            if isinstance(listed, list):  # the whole session as it is from now on
                before = messages
                messages = {one.get("id") or at: (offset, one) for at, one in enumerate(map(dict_of, listed))}
                messages = {name: before.get(name, found) for name, found in messages.items()}
        elif "sessionId" in record:
            about |= record
        else:
            # A message is written again when its tools are done.
            name = record.get("id") or offset
            messages[name] = (messages[name][0] if name in messages else offset, record)
    listed = about.get("messages")
    whole = [(0, one) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return about, [*whole, *messages.values()], end


def _gemini_records(file: SourceFile, reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    """Of the form with a line for each message, and of the older one, which is one object over many lines."""
    with file.open() as stream:
        first = stream.readline(MAX_LINE + 1)
        if first.strip() in (b"{", b"{\r"):
            yield 0, parse_object(first + stream.read(_MOST_WHOLE)) or {}
            return
    yield from read_lines(file, reading)


def _add_gemini(talk: EntryList, one: dict[str, Any], at: int | None) -> None:
    kind = one.get("type")
    if kind == "user":
        _add_parts(talk, "user", one.get("content"), at, text_of(one.get("displayContent")))
    elif kind == "gemini":
        _add_parts(talk, "assistant", one.get("content"), at)
        calls = one.get("toolCalls")
        for call in calls if isinstance(calls, list) else ():
            told = dict_of(call)
            failed = told.get("status") == "error"
            talk.call(text_of(told.get("name")) or "tool", at, _files_of(told.get("args")), failed=failed)


FORMATS = (
    Format(
        "claude-code",
        "Claude Code",
        _probe_claude_code,
        partial(read_transcript, "claude-code", _identify_claude_code),
    ),
    Format("codex", "Codex", _probe_codex, partial(read_transcript, "codex", _identify_codex)),
    Format("openclaw", "OpenClaw and pi", _probe_openclaw, partial(read_transcript, "openclaw", _identify_openclaw)),
    Format("qwen", "Qwen Code", _probe_qwen, _read_qwen),
    Format("gemini", "Gemini CLI", _probe_gemini, _read_gemini),
)
