"""Which type a note is, by what stands in it and where it lies. Certain signs first: what is in doubt is a ``note``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from hearth.lazy import regex
from hearth.markdown.head.frontmatter import Value
from hearth.markdown.head.outline import Outline, names, plain
from hearth.model.types import DEFAULT_TYPE
from hearth.text.stem import fold
from hearth.text.times.written import date_of_name

NOTED = ("decision", "rfc", "postmortem", "runbook", "meeting", "weekly")
"""Types recognised by the content of a note, the most certain first."""
_NAMES = {"hub": "hub", "moc": "hub", "index": "hub", "memory": "hub"}
# Without accents ("décisions").
_FOLDERS = {
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
_DATE_NAME = regex(r"\d{4}([-_])\d{2}\1\d{2}(?:\.[\w-]+)?$")
_WEEK_NAME = regex(r"(?:week[ _-]?)?\d{4}-?W\d{2}(?:\D.*)?$|\d{4}[-_]week[ _-]?\d{1,2}$")
_ADR_NAME = regex(r"adr[-_ ]?\d+(?!\d)|adr-", 2)
_RFC_NAME = regex(r"rfc[-_ ]?\d{1,5}(?!\d)", 2)
_SEPARATORS = regex(r"[-_.\s]+")
_KEYS = ("type", "kind", "category", "notetype", "doctype", "template", "layout", "class")


class _Structure(NamedTuple):
    """A note is of a type where its sections play ``least`` of the type's parts, one of ``needed`` among them."""

    parts: tuple[str, ...]
    least: int
    needed: frozenset[str]


_STRUCTURES = {
    "decision": _Structure(("status", "context", "decision", "options", "consequences"), 3, frozenset({"decision"})),
    "rfc": _Structure(
        ("motivation", "design", "drawbacks", "alternatives", "open"), 4, frozenset({"motivation", "drawbacks"})
    ),
    "postmortem": _Structure(("cause", "impact", "timeline", "fix", "lessons"), 3, frozenset({"cause", "timeline"})),
    "runbook": _Structure(
        ("signs", "steps", "diagnosis", "escalation", "rollback", "before"),
        3,
        frozenset({"signs", "escalation", "rollback"}),
    ),
    "meeting": _Structure(
        ("people", "agenda", "absent", "chair", "actions", "next"), 2, frozenset({"people", "agenda", "chair"})
    ),
}


def read_type(fields: Mapping[str, Value], path: str, outline: Outline, title: str) -> str | None:
    """``None`` where nothing tells."""
    file = PurePosixPath(path)
    if names("name:other", _words(file.stem)):
        return type_of_name(file)
    return _of_fields(fields) or _of_title(title) or _of_sections(outline) or _of_path(file)


def type_of_path(path: str) -> str:
    """The type that the file's name or whole segments of its path tell, else ``note``."""
    file = PurePosixPath(path)
    return (None if names("name:other", _words(file.stem)) else _of_path(file)) or type_of_name(file) or DEFAULT_TYPE


def type_of_name(file: PurePosixPath) -> str | None:
    """``hub`` for an index, by its name alone."""
    stem = file.stem
    return _NAMES.get(stem.lower()) if stem.lower() != "memory" or stem == "MEMORY" else None


def _of_fields(fields: Mapping[str, Value]) -> str | None:
    """By a key that says a kind, or a tag that is one."""
    given = {key.lower().replace("_", "").replace("-", ""): value for key, value in fields.items()}
    for key in _KEYS:
        if (value := given.get(key)) is not None and (found := _named_in(_texts(value))):
            return found
    tags = [tag.lstrip("#") for key in ("tags", "tag") for value in [given.get(key, ())] for tag in _texts(value)]
    return _named_in(tag for tag in tags if tag.lower() not in ("decision", "decisions", "incident", "weekly"))


def _named_in(texts: Iterable[str]) -> str | None:
    for text in texts:
        word = _words(text.strip("[]\"' ").rsplit("/", 1)[-1])
        found = next((kind for kind in NOTED if names(f"folder:{kind}", word)), None)
        if found is not None:
            return found
    return None


def _texts(value: Value) -> list[str]:
    return [part.strip() for text in ([value] if isinstance(value, str) else value) for part in text.split(",")]


def _of_title(title: str) -> str | None:
    return next((kind for kind in NOTED if names(f"title:{kind}", plain(title)) or names(f"title:{kind}", title)), None)


def _of_sections(outline: Outline) -> str | None:
    titles = {" ".join(title.split()) for title in outline.headings} | {label.name for label in outline.labels}
    for kind, structure in _STRUCTURES.items():
        played = {part for part in structure.parts if any(names(f"{kind}:{part}", title) for title in titles)}
        if len(played) >= structure.least and structure.needed & played:
            return kind
    return None


def _of_path(file: PurePosixPath) -> str | None:
    stem = file.stem
    if _ADR_NAME.match(stem):
        return "decision"
    if _RFC_NAME.match(stem):
        return "rfc"
    if _WEEK_NAME.match(stem):
        return "weekly"
    if (named := type_of_name(file)) is not None:
        return named
    for folder in reversed(file.parts[:-1]):
        words = _words(folder)
        found = next((kind for kind in NOTED if names(f"folder:{kind}", words)), None)
        found = found or _FOLDERS.get(fold(folder.lower()))
        if found is not None:
            return found
    title = next((kind for kind in NOTED if kind != "decision" and names(f"title:{kind}", _words(stem))), None)
    if title is not None:
        return title
    return "daily" if _DATE_NAME.match(stem) and date_of_name(stem) is not None else None


def _words(name: str) -> str:
    """A name with spaces for what parts its words."""
    return _SEPARATORS.sub(" ", unicodedata.normalize("NFC", name)).strip()
