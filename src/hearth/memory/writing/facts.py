"""Facts about one subject: a file each, to which facts are added as dated lines; nothing in it is replaced."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from hearth.core.lazy import regex
from hearth.core.memory import MAX_TEXT_BYTES, Memory, Origin, turn_of
from hearth.memory.writing.names import TITLE_CHARS, id_of, subject_of
from hearth.text.lines import cut_line
from hearth.text.similarity import normalised

_FACT = regex(r"^- \d{4}-\d{2}-\d{2} (.*?) \([^()\n]*\) \^([0-9a-z]{16})$\n?", re.MULTILINE | re.DOTALL)
# Half of a mark: in one file no two turns share it.
_TURN_CHARS = 8
_SOURCE = regex(r"\(([^()\n]*)\) \^([0-9a-z]{16})$", re.MULTILINE)


def begun(memory: Memory, moment: datetime) -> Memory:
    """The file of a subject with its first fact: the day, what was said, from where (the document that holds it, where
    it is known), and a mark that is the fact's own. ``moment`` is in the zone of its reader."""
    origin = memory.origin or Origin(memory.created_by)
    place = f"#{origin.cited}" if origin.cited is not None else origin.source
    source = " · ".join(filter(None, (origin.tier, place)))
    said = memory.text.replace("\n", "\n  ")
    text = f"- {moment:%Y-%m-%d} {said} ({re.sub('[()]', '', source)}) ^{mark_of(memory.id, origin.source)}"
    subject = memory.subject or subject_of(memory.text)
    title = memory.title if memory.subject is None else memory.subject
    return replace(memory, text=text, subject=subject[:200], title=cut_line(title, TITLE_CHARS), origin=None)


def mark_of(identity: str, source: str = "") -> str:
    """The mark of the fact that would begin a memory of this id: not the id itself, which is the whole file's. That of
    a captured one begins as those of all facts of its turn do, which so are found whatever their lines cite."""
    turn, own = turn_of(source), id_of(f"fact\0{identity}")
    return own if turn is None else _begin(turn) + own[_TURN_CHARS:]


def _begin(turn: str) -> str:
    return id_of(f"turn\0{turn}")[:_TURN_CHARS]


def says(text: str, fact: str) -> bool:
    """Whether each fact of the second text stands in the first, whenever and by whomever it was said."""
    known = {normalised(found[1]) for found in _FACT.finditer(text)}
    said = {normalised(found[1]) for found in _FACT.finditer(fact)}
    return bool(said) and said <= known


def added(old: Memory, new: Memory) -> Memory | None:
    """The file with another fact; ``None`` where it would be too long."""
    text = f"{old.text}\n{new.text}"
    tags = tuple(dict.fromkeys((*old.tags, *new.tags)))
    return None if len(text.encode("utf-8")) > MAX_TEXT_BYTES else replace(old, text=text, tags=tags)


def marks_from(text: str, turn: str) -> set[str]:
    """The marks of the facts from a turn, as ``turn_of`` names it; also of those whose line names it itself."""
    begin = _begin(turn)
    return {found[2] for found in _SOURCE.finditer(text) if turn in found[1] or found[2].startswith(begin)}


def without(text: str, marks: Collection[str]) -> str:
    """The text without the facts of these marks; what people wrote into it stays."""
    return _FACT.sub(lambda found: "" if found[2] in marks else found[0], text).strip("\n")
