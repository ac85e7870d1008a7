"""The files of an agent's workspace that stand before a conversation, each within its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta

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
_ENTRY = regex(r"(?m)^(?=[-*] |#{1,6} )")


@dataclass(frozen=True, slots=True)
class FileText:
    """``text`` is cut to the limit of its kind."""

    name: str
    text: str

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.render())

    @property
    def least(self) -> int:
        return min(self.tokens, estimate_tokens(self.text[:LEAST_FILE]) + 20)

    def render(self) -> str:
        return f"## {self.name}\n\n{self.text}\n"

    def within(self, tokens: int) -> str:
        """As text of about so many tokens; empty for none."""
        if tokens <= 0:
            return ""
        whole = self.tokens
        if tokens >= whole:
            return self.render()
        cut = FileText(self.name, cut_text(self.name, self.text, max(1, len(self.text) * tokens // whole - 120)))
        return cut.render()


def select_files(read: Callable[[str], str | None], budget: int, *, private: bool) -> list[FileText]:
    """The agent's own files, in their order, within characters and three tenths of the budget (in tokens).
    ``read`` gives the text of a file of the workspace."""
    room = MAX_FILES
    found = []
    for name in FILES:
        text = read(name) if private or name not in PRIVATE_FILES else None
        if not text or not text.strip():
            continue
        most = min(MAX_USER if name == "USER.md" else MAX_FILE, room)
        if most <= 0:
            break
        kept = cut_text(name, text.strip(), most)
        room -= len(kept)
        found.append(FileText(name, kept))
    most_tokens = round(budget * BUDGET_SHARE)
    total = sum(file.tokens for file in found)
    if total > most_tokens > 0:
        found = [
            FileText(file.name, cut_text(file.name, file.text, max(200, len(file.text) * most_tokens // total)))
            for file in found
        ]
    return found


def select_day_notes(names: Iterable[str], read: Callable[[str], str | None], today: date) -> list[FileText]:
    """Notes of today and yesterday, among the ``names`` of a folder: the day's file, then four of its sessions."""
    listed = sorted(names)
    room = MAX_DAY_NOTES
    found = []
    for day in (today, today - timedelta(days=1)):
        name = day.isoformat()
        slugged = [one for one in listed if one.startswith(f"{name}-")][-MOST_SLUGGED:]
        for one in (f"{name}.md", *reversed(slugged)):
            text = read(one) if room > 0 else None
            if text and text.strip():
                kept = cut_text(one, text.strip(), min(MAX_DAY_NOTE, room))
                room -= len(kept)
                found.append(FileText(f"memory/{one}", kept))
    return found


def cut_text(name: str, text: str, most: int) -> str:
    """Head and tail of a text that is too long, and what was left out; of ``MEMORY.md`` whole entries."""
    if len(text) <= most:
        return text
    if name == "MEMORY.md":
        return _cut_entries(text, most)
    head, tail = round(most * _HEAD), round(most * _TAIL)
    left = len(text) - head - tail
    return (
        f"{text[:head].rstrip()}\n\n[… {left:,} of {len(text):,} characters left out: read {name} …]\n\n{text[-tail:]}"
    )


def _cut_entries(text: str, most: int) -> str:
    entries = [entry for entry in _ENTRY.split(text) if entry]
    kept: list[str] = []
    size = 0
    for entry in entries:
        if size + len(entry) > most:
            break
        kept.append(entry)
        size += len(entry)
    left = len(entries) - len(kept)
    return f"{''.join(kept).rstrip()}\n\n[… {left} more entries: read MEMORY.md …]"


def render_files(files: Sequence[FileText], tokens: Sequence[int]) -> str:
    """The files, each within its tokens, as one text."""
    parts = [file.within(most) for file, most in zip(files, tokens, strict=True)]
    return "\n".join(part for part in parts if part)
