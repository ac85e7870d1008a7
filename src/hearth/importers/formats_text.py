"""Conversations in markdown and plain text: with a speaker's name before each turn, and Aider's histories."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Kind
from hearth.importers.formats import Conversation, EntryList, Format, Found, Head, Reading, SourceFile
from hearth.text.lines import FENCE
from hearth.transcripts.typed import strip_added

_LEAST_TURNS, _LEAST_SPEAKERS, _MOST_SPEAKERS = 4, 2, 12
_MAX_BYTES = 64 * 1024 * 1024
_ASKS = frozenset({"user", "human", "me", "you", "prompt", "question from user"})
_ANSWERS = frozenset(
    {"assistant", "ai", "model", "bot", "agent", "claude", "chatgpt", "gpt", "gpt-4", "gemini", "copilot"}
)
_NAME = r"[^\W\d_][\w'’.-]*(?: [\w'’.-]+){0,3}"
_BEGIN = regex(
    rf"(?:#{{1,4}} +(?P<heading>{_NAME}) *:? *$)|(?:\*\*(?P<bold>{_NAME}) *(?:\*\* *:|: *\*\*) *(?P<behind>.*)$)"
    rf"|(?:(?P<plain>{_NAME}) *: +(?P<rest>\S.*)$)|(?:(?P<alone>{_NAME}): *$)"
)
# What stands before a colon at the beginning of lines that nobody says.
_LABEL_WORDS = """
note notes warning error info debug todo fixme example usage date from to cc subject re title author name version
description summary status type url source license input output answer question q a added changed fixed removed
deprecated security step option parameter returns raises args see tip hint caution important default
"""
_LABELS = frozenset(_LABEL_WORDS.split())
_PARTICLES = frozenset({"da", "de", "del", "den", "der", "di", "dos", "el", "la", "le", "van", "von"})
# What the engine wrote is no source.
_OURS = regex(r"---\n(?=(?:.*\n){0,40}?content_type: )(?=(?:.*\n){0,40}?created_by: )(?=(?:.*\n){0,40}?trust: )")
_END = (".", "!", "?", "…", ")", "]", '"', "”", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    speaker: str
    text: str


def split_turns(text: str) -> list[SpokenTurn]:
    """The turns of a text in which names at the beginning of lines give the word; what comes before the first is
    nobody's."""
    turns: list[tuple[str, list[str]]] = []
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = FENCE.match(line)
        if fence or mark:
            fence = (
                (mark[1][:3] if mark else fence) if not fence else "" if mark and mark[1].startswith(fence) else fence
            )
            if turns:
                turns[-1][1].append(line)
            continue
        begin = _BEGIN.match(line)
        name = (
            next(filter(None, (begin["heading"], begin["bold"], begin["plain"], begin["alone"])), "") if begin else ""
        )
        if begin and _may_speak(name):
            turns.append((name, [begin["behind"] or begin["rest"] or ""]))
        elif turns:
            turns[-1][1].append(line)
    return [SpokenTurn(name, "\n".join(lines).strip()) for name, lines in turns]


def _may_speak(name: str) -> bool:
    folded = name.casefold()
    if folded in _ASKS or folded in _ANSWERS:
        return True
    is_written_small = any(word[:1].islower() and word not in _PARTICLES for word in name.split())
    return bool(name) and not is_written_small and folded not in _LABELS


def _probe(head: Head) -> float:
    is_other = b"\0" in head.data or head.records or head.value is not None or _probe_aider(head)
    if is_other or _OURS.match(head.text):
        return 0.0
    text = head.text
    turns = _keep_speakers(split_turns(text))
    names = Counter(turn.speaker for turn in turns)
    folded = {name.casefold() for name in names}
    if len(turns) < _LEAST_TURNS or not _LEAST_SPEAKERS <= len(names) <= _MOST_SPEAKERS:
        return 0.0
    spoken = sum(len(turn.text) + len(turn.speaker) for turn in turns)
    if spoken < 0.7 * len("".join(text.split(" "))):
        return 0.0
    if folded & _ASKS and folded & _ANSWERS:
        return 0.9
    return 0.7 if _is_dialogue(turns, names) else 0.0


def _keep_speakers(turns: Sequence[SpokenTurn]) -> list[SpokenTurn]:
    """What follows a name that gives the word once among others who have it often is part of what was said before."""
    names = Counter(turn.speaker for turn in turns)
    most = max(names.values(), default=0)
    kept: list[SpokenTurn] = []
    for turn in turns:
        if names[turn.speaker] == 1 and most >= _LEAST_TURNS and kept and turn.speaker.casefold() not in _ASKS:
            kept[-1] = SpokenTurn(kept[-1].speaker, f"{kept[-1].text}\n{turn.speaker}: {turn.text}")
        else:
            kept.append(turn)
    return kept


def _is_dialogue(turns: Sequence[SpokenTurn], names: Counter[str]) -> bool:
    """Whether people take turns in sentences: labels of logs, lists and letters neither ask nor call."""
    alternate = sum(one.speaker != other.speaker for one, other in pairwise(turns)) / (len(turns) - 1)
    ended = sum(turn.text.rstrip("*_ \n").endswith(_END) for turn in turns) / len(turns)
    addressed = sum(any(mark in turn.text for mark in "?？!！") for turn in turns)
    words = sum(len(turn.text.split()) for turn in turns) / len(turns)
    return (
        min(names.values()) >= 2
        and alternate >= 0.5
        and ended >= 0.6
        and addressed >= max(1, len(turns) // 6)
        and words >= 3
        and not any(name.isupper() and len(name) > 1 for name in names)
    )


def _read(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    for file in files:
        text = _read_text(file, reading)
        turns = _keep_speakers(split_turns(text))
        if not turns:
            reading.report.skip("no turns", file.name)
            continue
        names = {turn.speaker.casefold() for turn in turns}
        # "Agent" may be a clerk and "Claude" a neighbour: only "User" or --me says that the other one is the person.
        others = names - _ANSWERS
        is_with_agent = bool(names & _ANSWERS) and all(one in _ASKS or reading.is_me(one) for one in others)
        talk = EntryList()
        for turn in turns:
            folded = turn.speaker.casefold()
            if is_with_agent:
                is_answer = folded in _ANSWERS
                talk.add(Kind.ASSISTANT if is_answer else Kind.USER, turn.text if is_answer else strip_added(turn.text))
            else:
                is_me = reading.is_me(turn.speaker) or folded == "me"
                talk.add(Kind.USER if is_me else Kind.ASSISTANT, turn.text, by=turn.speaker)
        yield Conversation("text", _identify(turns), talk.entries, speakers=talk.speakers)


def _identify(turns: Sequence[SpokenTurn]) -> str:
    """A text has no id: its first turns stay what they are when it grows."""
    begin = "\0".join(f"{turn.speaker}\0{turn.text}" for turn in turns[:2])
    return hashlib.sha256(begin.encode("utf-8", "replace")).hexdigest()[:32]


def _read_text(file: SourceFile, reading: Reading) -> str:
    with file.open() as stream:
        data = stream.read(_MAX_BYTES + 1) or b""
    if len(data) > _MAX_BYTES:
        reading.report.skip("longer than is read", file.name, f"only the first {_MAX_BYTES // 2**20} MB were read")
    return data[:_MAX_BYTES].decode("utf-8-sig", "replace").replace("\0", "")


# -- Aider ------------------------------------------------------------------------------------------------------------

_AIDER = regex(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*$")


def _probe_aider(head: Head) -> float:
    return 1.0 if any(_AIDER.match(line) for line in head.text.split("\n")[:20]) else 0.0


def _read_aider(files: Sequence[SourceFile], reading: Reading) -> Iterator[Found]:
    """What opens with four marks is the person's, with ``>`` the program's, all else the model's."""
    for file in files:
        begun, rows = "", list[str]()
        for line in [*_read_text(file, reading).split("\n"), "# aider chat started at 0000-00-00 00:00:00"]:
            if found := _AIDER.match(line):
                if begun:
                    yield from _aider_chat(begun, rows, reading)
                begun, rows = found[1], []
            else:
                rows.append(line)


def _aider_chat(begun: str, rows: Sequence[str], reading: Reading) -> Iterator[Found]:
    talk, role, held, fence = EntryList(), "", list[str](), False
    parts: list[tuple[str, str]] = []
    for row in [*rows, "#### "]:
        fence ^= bool(FENCE.match(row)) and role == "assistant"
        kind = (
            "user"
            if row.startswith("####") and not fence
            else "tool"
            if row.startswith(">") and not fence
            else "assistant"
        )
        if kind == "assistant" and not row.strip() and role != "assistant":
            continue
        if kind != role or row == "#### ":
            parts.append((role, "\n".join(held).strip()))
            role, held = kind, []
        held.append(row.removeprefix("####").strip() if kind == "user" else row)
    for kind, text in parts:
        if kind != "tool":
            talk.add(Kind.USER if kind == "user" else Kind.ASSISTANT, strip_added(text) if kind == "user" else text)
    reading.report.dropped_times += 1  # local, without an offset
    first = next((entry.text for entry in talk.entries), "")
    identity = hashlib.sha256(f"{begun}\0{first}".encode("utf-8", "replace")).hexdigest()[:32]
    yield Conversation("aider", identity, talk.entries)


FORMATS = (
    Format("text", "text with speakers' names", _probe, _read),
    Format("aider", "Aider", _probe_aider, _read_aider),
)
