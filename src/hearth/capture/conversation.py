"""A session as it was said, as markdown: the person's and the agent's turns, of tools one line each.

Pure. Nothing here is scrubbed: whoever writes it down does that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from hearth.capture.requests import TITLE_CHARS, find_request
from hearth.capture.requests import title_of as title_of_request
from hearth.core.action import Act
from hearth.core.lazy import dataclass, regex
from hearth.core.transcript import Kind, TranscriptEntry
from hearth.language.structure import strip_host_marks
from hearth.language.voices import Voice, hear
from hearth.text.lines import FENCE, cut_line
from hearth.transcripts.typed import entries_heard

_HEAD_CHARS, _TAIL_CHARS = 6_000, 2_000
_LEAST_LETTERS = 3
_ATX = regex(r"[ ]{0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = regex(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
# Below the heading of a turn.
_DEEPER = 2
_UNMARKED = (Voice.OWN, Voice.CODE)
_QUOTE = regex(r"^", re.MULTILINE)
BOUNDARY = "*The host compacted the session here.*"
_SPOKEN = (Kind.USER, Kind.ASSISTANT, Kind.TOOL_CALL, Kind.BOUNDARY)

_WORDS = regex(r"\w+")
_STEM = 4
"""Characters that inflections of a word share."""


@dataclass(frozen=True, slots=True)
class Section:
    """One turn of one side. ``offset`` is the byte of the transcript at which its first line starts, ``by_person``
    whether the person opens it; a boundary has no ``role``."""

    role: str
    at: int | None
    body: str
    offset: int

    @property
    def by_person(self) -> bool:
        return self.role == "User"

    def render(self, time: Callable[[int], str]) -> str:
        if not self.role:
            return self.body
        stamp = "" if self.at is None else f" · {time(self.at)}"
        return f"## {self.role}{stamp}\n\n{self.body}"


def sections(entries: Iterable[TranscriptEntry]) -> list[Section]:
    """What was said and done, in order; what the person asked not to keep is left out."""
    spoken = [entry for entry in entries_heard(entries) if entry.kind in _SPOKEN or entry.kind is Kind.TOOL_RESULT]
    failed = {entry.call for entry in spoken if entry.kind is Kind.TOOL_RESULT and entry.failed and entry.call}
    found: list[Section] = []
    for role, part in groupby((entry for entry in spoken if entry.kind in _SPOKEN), key=_role):
        found += _sections(role, list(part), failed)
    return found


def title_of(entries: Iterable[TranscriptEntry]) -> str:
    """What the person asked for first, as one line; empty where no prompt says anything."""
    requests = [entry.text for entry in entries_heard(entries) if entry.kind is Kind.USER]
    if request := find_request(requests):
        return title_of_request(request)
    lines = (" ".join(strip_host_marks(text).split()) for text in requests)
    told = (line for line in lines if not line.startswith("/") and sum(map(str.isalpha, line)) >= _LEAST_LETTERS)
    return cut_line(next(told, ""), TITLE_CHARS)


def name_of(entries: Sequence[TranscriptEntry], said: str) -> str:
    """What the person called the session last, else what a model did in words that stand in ``said``, so that it tells
    nothing that was left out; empty where neither is so."""
    for kind in (Kind.NAME, Kind.TITLE):
        names = (" ".join(entry.text.split()) for entry in reversed(entries) if entry.kind is kind)
        name = next(filter(None, names), "")
        if name and (kind is Kind.NAME or _stems(name) <= _stems(said)):
            return cut_line(name, TITLE_CHARS)
    return ""


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORDS.findall(text.casefold()) if len(word) >= _STEM}


def _role(entry: TranscriptEntry) -> str:
    if entry.kind is Kind.BOUNDARY:
        return ""
    return "User" if entry.kind is Kind.USER else "Assistant"


def _sections(role: str, entries: Sequence[TranscriptEntry], failed: set[str]) -> Iterator[Section]:
    first = entries[0]
    if not role:
        yield Section("", first.at, BOUNDARY, first.offset)
    elif role == "User":
        for entry in entries:
            if body := fit_words(_mark_foreign(entry.text)):
                yield Section(role, entry.at, body, entry.offset)
    else:
        parts = [part for entry in entries if (part := _tool(entry, failed) or fit_words(entry.text))]
        if parts:
            yield Section(role, first.at, _join(parts), first.offset)


def _tool(entry: TranscriptEntry, failed: set[str]) -> str:
    if entry.kind is not Kind.TOOL_CALL:
        return ""
    what = ", ".join(entry.files) or _command(entry)
    aim = f" `{cut_line(' '.join(what.replace('`', chr(39)).split()), 160)}`" if what else ""
    return f"- {entry.tool or 'tool'}{aim}: {'failed' if entry.call in failed else 'ok'}"


def _command(entry: TranscriptEntry) -> str:
    action = entry.action
    return action.text if action is not None and action.act in (Act.COMMAND, Act.READ) else ""


def _join(parts: Sequence[str]) -> str:
    """Lines of tools stand together, all else apart."""
    text = parts[0]
    for before, part in pairwise(parts):
        text += ("\n" if before.startswith("- ") and part.startswith("- ") and "\n" not in before else "\n\n") + part
    return text


def _mark_foreign(text: str) -> str:
    """A prompt in which other people's words and programs' output are quoted with ``>``, unless they are marked."""
    spans = hear(text)
    if all(span.voice in _UNMARKED for span in spans):
        return text
    parts, at = [], 0
    for span in spans:
        whole = text[at : span.start].endswith("\n") or not span.start
        words = text[span.start : span.end]
        marked = span.voice not in _UNMARKED and whole and not words.lstrip().startswith(">")
        parts += [text[at : span.start], _QUOTE.sub("> ", words) if marked else words]
        at = span.end
    return "".join((*parts, text[at:]))


def fit_words(text: str) -> str:
    """What was said, shortened in the middle where it is long, its headings below those of turns."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        left = len(text) - _HEAD_CHARS - _TAIL_CHARS
        head, tail = text[:_HEAD_CHARS].rstrip(), text[-_TAIL_CHARS:].lstrip()
        opened = sum(1 for row in head.split("\n") if FENCE.match(row)) % 2
        close = "\n```" if opened else ""
        text = f"{head}{close}\n\n[… {left:,} characters left out …]\n\n{tail}"
    return "\n".join(_rows(text.split("\n")))


def _rows(rows: Sequence[str]) -> Iterator[str]:
    fence = ""
    for row in rows:
        mark = FENCE.match(row)
        if fence:
            yield row
            if mark and mark[1].startswith(fence) and row.strip() == mark[1]:
                fence = ""
            continue
        if mark:
            fence = mark[1]
            yield row
        elif heading := _ATX.match(row):
            level = min(6, len(heading[1]) + _DEEPER)
            yield "#" * level + row[heading.end() :]
        elif _UNDERLINE.match(row) and row.strip()[0] == "=":
            yield "\\" + row.lstrip()
        else:
            yield row
    if fence:
        yield fence
