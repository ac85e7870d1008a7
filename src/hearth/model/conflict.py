"""Names that sync programs give to the losing side of a conflict."""

from __future__ import annotations

import re

from hearth.lazy import regex

_SHAPES = tuple(
    regex(shape)
    for shape in (
        # Syncthing
        r"(?P<name>.+)\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}(?P<suffix>\.[^.]+)?",
        # Dropbox, Nextcloud: with or without a host, a date and a time or number
        r"(?P<name>.+) \((?:[^()]*'s )?conflicted copy(?: \d{4}-\d{2}-\d{2})?(?: \d{1,6})?\)(?P<suffix>\.[^.]+)?",
        # ownCloud
        r"(?P<name>.+)_conflict-\d{8}-\d{6}(?P<suffix>\.[^.]+)?",
    )
)
# What people call files, too: iCloud adds a number, OneDrive the name of a machine, as Windows gives them.
_WEAK = tuple(
    regex(shape)
    for shape in (
        r"(?P<name>.*\S) (?:[2-9]|[1-9]\d)(?P<suffix>\.md)",
        r"(?P<name>.+?)-(?P<machine>(?=[A-Z0-9-]{5,15}\.)[A-Z]{3,14}(?:-[A-Z0-9]+)+|[A-Z]{5,14}\d{1,9})(?P<suffix>\.md)",
    )
)
# Of the names that the engine gives there are no such variants: a day, an entity, or a title with an id.
_DAY = regex(r"daily/\d{4}-\d{2}-\d{2}(\.[0-9a-z]{10})?\.md")
_ENTITY = regex(r"user/entities/[a-z]+-[^/ ]+\.md")
_MEMORY = regex(r"(?:.*/)?[^/]*-[0-9a-hjkmnp-tv-z]{16}\.md")


def original_of(path: str, *, ours: bool = False) -> str | None:
    """The path of the file that a conflict copy is a copy of; ``None`` for any other path, and where the name could
    mean something else. ``ours``: the path lies in the folder that the engine writes."""
    original = _match(path, _SHAPES)
    if original is None and ours:
        original = likely_original_of(path)
        if original is not None and not (grows(original) or _MEMORY.fullmatch(original)):
            return None
    return original


def likely_original_of(path: str) -> str | None:
    """As ``original_of`` for names that people give files as well: only what both files hold tells a copy."""
    return _match(path, _WEAK)


def is_day(path: str) -> bool:
    """Whether the engine calls the file of a day so, below its folder."""
    return _DAY.fullmatch(path) is not None


def grows(path: str) -> bool:
    """Whether lines are added to a file below the engine's folder, of a day or an entity: what copies of it hold beside
    it was said, too."""
    return is_day(path) or _ENTITY.fullmatch(path) is not None


def _match(path: str, shapes: tuple[re.Pattern[str], ...]) -> str | None:
    folder, slash, name = path.rpartition("/")
    for shape in shapes:
        found = shape.fullmatch(name)
        if found is not None:
            return f"{folder}{slash}{found['name']}{found['suffix'] or ''}"
    return None
