"""What a file says of itself: frontmatter made typed, with its first heading, name and folders as fall-backs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from types import MappingProxyType

from hearth.lazy import dataclass, regex
from hearth.markdown.blocks import scan
from hearth.markdown.head import dates, dating
from hearth.markdown.head.clips import is_clip
from hearth.markdown.head.daily import day_of
from hearth.markdown.head.frontmatter import Value
from hearth.markdown.head.inline_tags import find_tags
from hearth.markdown.head.replaces import replaced
from hearth.markdown.lines import Lines
from hearth.model import instants
from hearth.model.trust import TRUST
from hearth.model.types import CONTENT_TYPES, DEFAULT_TYPE
from hearth.ports import DailyNotes
from hearth.text.stem import fold

VERSION = 6
"""Raise where another description comes of the same file."""
MAX_ID = 128
_FIRST_CHARS = 4_096

_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
# What may stand above a title: nothing that is shown.
_UNSHOWN = frozenset({"html", "blank"})
_DATE_NAME = regex(r"\d{4}([-_])\d{2}\1\d{2}(?:\.[\w-]+)?$")
# What a template leaves for a program to fill in says nothing itself.
_PLACEHOLDER = regex(r"\{\{[^{}\n]*\}\}|<%[^\n]*?%>")
# ``key:: value``, as Logseq has it in the first block of a page and Dataview anywhere.
_PROPERTY = regex(r"(?:[-*+][ \t]+|[ \t]+)?([^\W\d_][\w /-]{0,63}?)::(?:[ \t]+(.*?))?[ \t]*$")
_LISTS = ("tags", "tag", "aliases", "alias")
# How Logseq writes a slash in a file's name.
_SLASH = regex(r"___|%2F", re.IGNORECASE)
# And the day of a journal.
_DAY = regex(r"(?<!\d)(\d{4})_(\d\d)_(\d\d)(?!\d)")
_NAMES = {"hub": "hub", "moc": "hub", "index": "hub", "memory": "hub"}
# Without accents ("décisions"), and in order: a file below several of these folders takes the first.
_FOLDERS = {
    "decisions": "decision",
    "adr": "decision",
    "adrs": "decision",
    "decisiones": "decision",
    "entscheidungen": "decision",
    "decisoes": "decision",
    "decisioni": "decision",
    "hub": "hub",
    "moc": "hub",
    "resources": "hub",
    "research": "research",
    "projects": "project",
    "proyectos": "project",
    "projekte": "project",
    "projets": "project",
    "projetos": "project",
    "progetti": "project",
    "handoffs": "handoff",
    "preferences": "preference",
    "corrections": "correction",
    "principles": "principle",
    "antipatterns": "antipattern",
    "conversations": "conversation",
    "progress": "progress",
    "daily": "daily",
}


@dataclass(frozen=True, slots=True)
class Description:
    """``review_by`` and ``authored_at`` are milliseconds UTC; ``confidence`` lies in [0, 1].

    ``facts`` holds every key without a field here, and values that a field refused, lists joined by ", ".
    ``trust`` is what the file claims, or what a clipped page is; the caller takes the lower of it and the collection's.
    """

    title: str
    content_type: str = DEFAULT_TYPE
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    domain: str | None = None
    workstream: str | None = None
    review_by: int | None = None
    authored_at: int | None = None
    id: str | None = None
    confidence: float | None = None
    trust: str | None = None
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def describe(fields: Mapping[str, Value], path: str, body: str, daily: Collection[DailyNotes] = ()) -> Description:
    """The description of a file; ``path`` is relative to its collection, ``body`` starts after the frontmatter.
    ``daily`` is how notes of days are called there."""
    rest = {**_properties(body), **fields}
    clipped = is_clip(rest, path, body)
    title = _fill(_text(rest, "title")) or _fill(_heading(body)) or _name(PurePosixPath(path).stem)
    content_type = _text(rest, "content_type")
    if content_type is not None and content_type.lower() not in CONTENT_TYPES:
        rest["content_type"], content_type = content_type, None
    day = day_of(path, daily) if daily else None
    authored_at = _first(
        lambda: dating.of_fields(rest),
        lambda: day.at if day else None,
        lambda: dates.of_name(PurePosixPath(path).stem),
        lambda: dating.of_lines(body[:_FIRST_CHARS].split("\n")),
    )
    _moment(rest, "authored_at", instants.parse_written)
    content_type = content_type.lower() if content_type else "daily" if day else type_of_path(path)
    if content_type == "decision" and "supersedes" not in rest and (names := replaced(body)):
        rest["supersedes"] = names
    claimed = _trust(rest)
    return Description(
        title=title,
        content_type=content_type,
        tags=tuple(dict.fromkeys((*_tags(rest, "tags"), *_tags(rest, "tag"), *find_tags(body)))),
        aliases=tuple(dict.fromkeys((*_names(rest, "aliases"), *_names(rest, "alias")))),
        domain=_text(rest, "domain"),
        workstream=_text(rest, "workstream"),
        review_by=_moment(rest, "review_by", instants.parse_day),
        authored_at=authored_at,
        id=_identity(rest),
        confidence=_share(rest, "confidence"),
        trust="external" if clipped else claimed,
        facts=MappingProxyType({key: v if isinstance(v, str) else ", ".join(v) for key, v in rest.items()}),
    )


def type_of_path(path: str) -> str:
    """The content type that the file's name or whole segments of its path tell, else ``note``."""
    file = PurePosixPath(path)
    stem = file.stem
    if stem.lower().startswith("adr-"):
        return "decision"
    if stem.lower() in _NAMES and (stem.lower() != "memory" or stem == "MEMORY"):
        return _NAMES[stem.lower()]
    folders = {fold(part.lower()) for part in file.parts[:-1]}
    for folder, content_type in _FOLDERS.items():
        if folder in folders:
            return content_type
    return "daily" if _DATE_NAME.match(stem) and dates.of_name(stem) is not None else DEFAULT_TYPE


def _properties(body: str) -> dict[str, Value]:
    """The ``key:: value`` lines that a text begins with."""
    found: dict[str, Value] = {}
    if "::" not in body[:_FIRST_CHARS]:
        return found
    for row in body[:_FIRST_CHARS].lstrip("\n").split("\n"):
        line = _PROPERTY.match(row.rstrip("\r"))
        if line is None:
            break
        value = (line[2] or "").strip()
        listed = line[1].lower() in _LISTS
        found.setdefault(
            line[1],
            tuple(part.strip().removeprefix("#[[").strip(" []") for part in value.split(",")) if listed else value,
        )
    return found


def _first(*sources: Callable[[], int | None]) -> int | None:
    return next((found for source in sources if (found := source()) is not None), None)


def _fill(title: str | None) -> str | None:
    """A title, unless a program was to fill it in and did not."""
    return None if title is None or _PLACEHOLDER.search(title) else title


def _name(stem: str) -> str:
    """A file's name as a person reads it."""
    return _DAY.sub(r"\1-\2-\3", _SLASH.sub("/", stem))


def _heading(body: str) -> str | None:
    """The heading of the first level that stands before any other text. One of the second level is a section's."""
    start = body[:_FIRST_CHARS]
    if "#" not in start and "=" not in start:
        return None
    shown = (
        block for block in scan(Lines(start).rows) if block.kind not in _UNSHOWN and (block.title or not block.level)
    )
    block = next(shown, None)
    return block.title if block is not None and block.level == 1 else None


def _text(rest: dict[str, Value], key: str) -> str | None:
    """Takes a string out of ``rest``; nothing for an empty or null one, which is dropped. A list stays a fact."""
    value = rest.get(key)
    if not isinstance(value, str):
        return None
    del rest[key]
    value = value.strip()
    return None if value in _NOTHING else value


def _moment(rest: dict[str, Value], key: str, parse: Callable[[str], int | None]) -> int | None:
    value = _text(rest, key)
    moment = parse(value) if value else None
    if value and moment is None:
        rest[key] = value
    return moment


def _share(rest: dict[str, Value], key: str) -> float | None:
    value = _text(rest, key)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if 0.0 <= number <= 1.0:
        return number
    rest[key] = value
    return None


def _trust(rest: dict[str, Value]) -> str | None:
    value = _text(rest, "trust")
    if value is None or value.lower() in TRUST:
        return value and value.lower()
    rest["trust"] = value
    return None


def _identity(rest: dict[str, Value]) -> str | None:
    value = _text(rest, "id")
    if value is None or (len(value) <= MAX_ID and not any(c.isspace() for c in value)):
        return value
    rest["id"] = value
    return None


def _tags(rest: dict[str, Value], key: str) -> Iterator[str]:
    """Tags from a list or from one string with commas, without ``#``."""
    return (tag for name in _names(rest, key) if (tag := name.lstrip("#").strip()))


def _names(rest: dict[str, Value], key: str) -> Iterator[str]:
    """Takes a list, or one string with commas, out of ``rest``."""
    value = rest.pop(key, ())
    parts = value.split(",") if isinstance(value, str) else value
    return (name for part in parts if (name := part.strip()) not in _NOTHING)
