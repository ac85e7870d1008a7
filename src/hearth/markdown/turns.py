"""The turns of a conversation in a text: where each starts, and who speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hearth.core.lazy import regex

if TYPE_CHECKING:
    from hearth.core.document import Fragment
    from hearth.markdown.blocks import MarkdownBlock
    from hearth.ports import StoredFragment

MIN_TURNS = 4
# "Most paragraphs": at least this share of paragraphs (or lines, where one line is a turn) opens a turn.
MOST = 0.5

_ASKS = frozenset({"user", "human", "me", "you", "usuario", "usuaria", "humano", "benutzer", "utilisateur", "用户"})
_ANSWERS = frozenset(
    {"assistant", "ai", "model", "bot", "agent", "claude", "chatgpt", "gpt", "gemini", "copilot", "system", "tool"}
    | {"asistente", "assistent", "助手", "ассистент"}
)
_ROLE_TAIL = regex(r"[\s:：]*(?:[(\[].*[)\]]|· (?:\d{4}-\d{2}-\d{2} )?\d{2}:\d{2})?[\s:：]*$")
_HEADING = regex(r"#{1,6}[ \t]+([^\n]{1,60})$")
_BOLD = regex(r"\*\*([^*\n:：]{1,40}?)\s*(?:\*\*\s*[:：]|[:：]\s*\*\*)")
_STAMP = r"(?:\[[^\]\n]{4,30}\]\s*|\d{1,2}:\d{2}(?::\d{2})?\s+(?:-\s+)?)?"
_NAMED = regex(rf"{_STAMP}((?:[^\W\d_][\w'’.-]*)(?: [^\W\d_][\w'’.-]*){{0,2}})(?::(?=\s|$)|：)")


def find(rows: Sequence[str], blocks: Sequence[MarkdownBlock]) -> list[int]:
    """The 0-based lines on which turns start; empty unless the text is a conversation."""
    return _by_heading(blocks) or _by_bold(rows, blocks) or _by_name(rows, blocks)


def is_answer(part: Fragment | StoredFragment) -> bool:
    """Whether a window of a conversation holds only what an assistant said, and nothing of the person asking."""
    if part.kind != "turn":
        return False
    rows = part.text.split("\n")
    roles = {_role(heading) for heading in part.headings}
    opening = _HEADING.match if opens_by_heading(rows, part.headings) else _opening
    for row in rows:
        if match := opening(row):
            roles.add(_role(match[1]))
    if roles & _ASKS:
        return False
    if roles & _ANSWERS:
        return True
    opened = _BOLD.match(part.context) or _NAMED.match(part.context)
    return opened is not None and _role(opened[1]) in _ASKS


def opens_by_heading(rows: Sequence[str], headings: Sequence[str] = ()) -> bool:
    """Whether headings that name roles open the turns of a window with these ``headings`` above it: what else looks
    like a name ("No:", "You told me:") is part of what is said. A single one may be a title ("# Claude")."""
    titles = [*headings, *(match[1] for row in rows if (match := _HEADING.match(row)))]
    roles = {role for title in titles if _is_role(role := _role(title))}
    if not roles or (roles & _ASKS and roles & _ANSWERS):
        return bool(roles)
    named = {_role(match[1]) for row in rows if (match := _BOLD.match(row) or _NAMED.match(row))}
    return not (named & _ASKS and named & _ANSWERS)


def asks(text: str, *, by_heading: bool = False) -> bool | None:
    """Whether a turn opens with the name of the person who asks ("## User", "**Me:**") or of who answers; ``None``
    where it opens with neither."""
    row = text.lstrip("\n").partition("\n")[0]
    match = _HEADING.match(row) if by_heading else _opening(row)
    role = "" if match is None else _role(match[1])
    return role in _ASKS if _is_role(role) else None


def split_turns(text: str, *, by_heading: bool = False) -> list[tuple[int, int]]:
    """The turns in a window of a conversation, as half-open ranges of its lines (0-based); one range where none opens
    after the first line."""
    rows = text.split("\n")
    starts = [0]
    opening = _HEADING.match if by_heading else _opening
    for line, row in enumerate(rows[1:], 1):
        match = opening(row)
        if match and (not match[1][:1].islower() or _is_role(_role(match[1]))):
            starts.append(line)
    return list(pairwise([*starts, len(rows)]))


def _opening(row: str) -> re.Match[str] | None:
    """The name, as its first group, of whoever a row gives the word to."""
    return _HEADING.match(row) or _BOLD.match(row) or _NAMED.match(row)


def _role(name: str) -> str:
    return _ROLE_TAIL.sub("", name).casefold()


def _is_role(name: str) -> bool:
    return name in _ASKS or name in _ANSWERS


def _by_heading(blocks: Sequence[MarkdownBlock]) -> list[int]:
    found = [(block, _role(block.title)) for block in blocks if block.level and len(block.title) <= 60]
    roles = [(block, role) for block, role in found if _is_role(role)]
    names = {role for _, role in roles}
    if not names & _ASKS or not names & _ANSWERS:
        return []
    level = roles[0][0].level
    return [block.first for block, _ in roles if block.level == level]


def _by_bold(rows: Sequence[str], blocks: Sequence[MarkdownBlock]) -> list[int]:
    paragraphs = [block.first for block in blocks if block.kind == "text"]
    found = [(first, match[1].casefold()) for first in paragraphs if (match := _BOLD.match(rows[first].lstrip()))]
    return _if_conversation(found, len(paragraphs))


def _by_name(rows: Sequence[str], blocks: Sequence[MarkdownBlock]) -> list[int]:
    found: list[tuple[int, str]] = []
    paragraphs = 0
    for block in blocks:
        if block.kind != "text":
            continue
        before = len(found)
        for line in range(block.first, block.end):
            row = rows[line]
            match = _BOLD.match(row) or _NAMED.match(row)
            if match and (not match[1][0].islower() or _is_role(match[1])):
                found.append((line, match[1].casefold()))
        paragraphs += max(1, len(found) - before)
    return _if_conversation(found, paragraphs)


def _if_conversation(found: Sequence[tuple[int, str]], paragraphs: int) -> list[int]:
    """The lines of the turns, if at least two speakers take turns and little else is in the text."""
    names = [name for _, name in found]
    speakers = set(names)
    roles = bool(speakers & _ASKS) and bool(speakers & _ANSWERS)
    changes = sum(a != b for a, b in pairwise(names))
    if len(found) < (2 if roles else MIN_TURNS) or len(speakers) < 2:
        return []
    if not roles and (len(found) < MOST * paragraphs or 2 * len(speakers) > len(names) or 2 * changes < len(names) - 1):
        return []
    return [line for line, _ in found]
