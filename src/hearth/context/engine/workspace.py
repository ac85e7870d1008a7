"""The files of an agent's workspace that stand before a conversation, each within its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property

from hearth.core.lazy import dataclass, regex
from hearth.text.lines import estimate_tokens

FILES = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "MEMORY.md")
PRIVATE_FILES = frozenset({"USER.md", "MEMORY.md"})
"""Shown in a direct chat with the owner alone."""
MAX_FILE, MAX_USER, MAX_FILES = 20_000, 4_000, 60_000
LEAST_FILE = 2_000
MAX_DAY_NOTE, MAX_DAY_NOTES = 1_200, 2_800
MOST_SLUGGED = 4
"""Characters; and how many session notes of a day come with its file."""
BUDGET_SHARE = 0.3
_HEAD, _TAIL = 0.7, 0.2
_NOTE_CHARS = 120
"""What heading and note of a file that is cut take."""
_ENTRY = regex(r"(?m)^(?=[-*] |#{1,6} )")
_MARK = regex(r" ?<!-- hearth:.*?-->")
_TIME = regex(r"#[^\n]*\d{4}-\d\d-\d\d (\d\d):(\d\d)")
_NAME_TIME = regex(r"\d{4}-\d\d-\d\d-(\d\d)(\d\d)(?:-\d+)?\.md\Z")


@dataclass(frozen=True)
class FileText:
    """A file of which at most so many characters are shown."""

    name: str
    whole: str
    most: int = MAX_FILE

    @cached_property
    def text(self) -> str:
        return cut_text(self.name, self.whole, self.most)

    @cached_property
    def tokens(self) -> int:
        return estimate_tokens(self.render())

    @property
    def least(self) -> int:
        return min(self.tokens, estimate_tokens(self.whole[:LEAST_FILE]) + 20)

    def render(self) -> str:
        return f"## {self.name}\n\n{self.text}\n"

    def within(self, tokens: int) -> str:
        """As text of about so many tokens; empty for none."""
        if tokens <= 0:
            return ""
        if tokens >= self.tokens:
            return self.render()
        most = min(self.most, len(self.whole)) * tokens // self.tokens - _NOTE_CHARS
        return replace(self, most=most).render() if most > 0 else ""


def select_files(read: Callable[[str], str | None], budget: int, *, private: bool) -> list[FileText]:
    """The agent's own files, in their order, within characters and three tenths of the budget (in tokens).
    ``read`` gives the text of a file of the workspace."""
    room = MAX_FILES
    found = []
    for name in FILES:
        text = read(name) if private or name not in PRIVATE_FILES else None
        if text is None:
            continue
        if name == "MEMORY.md":
            text = _MARK.sub("", text)
        file = FileText(name, text.strip(), min(MAX_USER if name == "USER.md" else MAX_FILE, room))
        room -= len(file.text)
        if file.text:
            found.append(file)
    most_tokens = round(budget * BUDGET_SHARE)
    total = sum(file.tokens for file in found)
    if total > most_tokens > 0:
        sizes = [max(200, min(file.most, len(file.whole)) * most_tokens // total) for file in found]
        found = [replace(file, most=min(file.most, size)) for file, size in zip(found, sizes, strict=True)]
    return found


def select_day_notes(names: Iterable[str], read: Callable[[str], str | None], today: date) -> list[FileText]:
    """Notes of today and yesterday, among the ``names`` of a folder: the day's file, then the last four of its
    sessions."""
    listed = sorted(names)
    room = MAX_DAY_NOTES
    found = []
    for day in (today, today - timedelta(days=1)):
        name = day.isoformat()
        texts = {one: read(one) or "" for one in (f"{name}.md", *(one for one in listed if one.startswith(f"{name}-")))}
        slugged = sorted(list(texts)[1:], key=lambda one: _written_at(one, texts[one]), reverse=True)[:MOST_SLUGGED]
        for one in (f"{name}.md", *slugged):
            text = texts[one].strip()
            file = FileText(f"memory/{one}", text, min(MAX_DAY_NOTE, room))
            room -= len(file.text)
            if file.text:
                found.append(file)
    return found


def _written_at(name: str, text: str) -> tuple[str, str]:
    """As the heading of a session's note says, or its name; the whole name decides between equals."""
    time = _TIME.match(text) or _NAME_TIME.match(name)
    return ("" if time is None else f"{time[1]}:{time[2]}"), name


def cut_text(name: str, text: str, most: int) -> str:
    """Head and tail of a text that is too long, and what was left out; of ``MEMORY.md`` whole entries. Empty where
    there is no room for any of it."""
    if len(text) <= most:
        return text
    if name == "MEMORY.md" and (kept := _cut_entries(text, most)):
        return kept
    room = min(most, (most - _NOTE_CHARS) / (_HEAD + _TAIL))
    if room <= 0:
        return ""
    head, tail = int(room * _HEAD), len(text) - int(room * _TAIL)
    note = f"[… {tail - head:,} of {len(text):,} characters left out: read {name} …]"
    return f"{text[:head].rstrip()}\n\n{note}\n\n{text[tail:]}"


def _cut_entries(text: str, most: int) -> str:
    """Empty where not even the first entry fits."""
    entries = [entry for entry in _ENTRY.split(text) if entry]
    kept: list[str] = []
    size = 0
    for entry in entries:
        if size + len(entry) > most:
            break
        kept.append(entry)
        size += len(entry)
    if all(entry.startswith("#") for entry in kept):
        return ""
    left = len(entries) - len(kept)
    return f"{''.join(kept).rstrip()}\n\n[… {left} more entries: read MEMORY.md …]"


def render_files(files: Sequence[FileText], tokens: Sequence[int]) -> str:
    """The files, each within its tokens, as one text."""
    parts = [file.within(most) for file, most in zip(files, tokens, strict=True)]
    return "\n".join(part for part in parts if part)
