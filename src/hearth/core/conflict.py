"""Names that sync programs give to the losing side of a conflict."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from hearth.core.lazy import regex

_SUFFIX = r"(?P<suffix>\.[^.]+)?"
# All shapes below hold one of these, so that other names cost one look.
_TELLING = ("confli", "konfli", "safebackup", "競合", "衝突", "冲突", "충돌", "конфликт")
_SHAPES = tuple(
    regex(shape + _SUFFIX)
    for shape in (
        # Syncthing
        r"(?P<name>.+)\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}",
        # ownCloud, with the name of a user or without
        r"(?P<name>.+)_conflict-(?:[^/]*-)?\d{8}-\d{6}",
        # Seafile
        r"(?P<name>.+) \(SFConflict [^()]+ \d{4}(?:-\d{2}){5}\)",
        # Synology Drive
        r"(?P<name>.+)_[^_]+_[A-Z][a-z]{2}-\d{1,2}-\d{4,6}-\d{4}_Conflict\d*",
        # Resilio Sync
        r"(?P<name>.+)\.Conflict\d*",
        # pCloud and others
        r"(?P<name>.+?) ?\[[Cc]onflict(?:ed)?\]",
        # The OneDrive client for Linux
        r"(?P<name>.+)-[^-]+-safeBackup-\d{4}",
        # Dropbox and Nextcloud where two names differ by case
        r"(?P<name>.+) \([Cc]ase [Cc]onflict(?: \d{1,3})?\)",
    )
)
# Dropbox, Nextcloud, Obsidian Sync: what stands in brackets at the end speaks of a copy.
_BRACKETS = regex(r"(?P<name>.+) \((?P<said>[^()]*(?:\(\d{1,3}\))?)\)" + _SUFFIX)
_COPY = regex("cop(?:y|ia|ie)|cópia|kopi|exemplaar|コピー|副本|사본|копия", re.IGNORECASE)
_DATED = regex(r".*(?:\d{4}-\d{2}-\d{2}(?: \d{1,6})?|\d{12}|\d{14})(?: ?\(\d{1,3}\))?")
_UNDATED = regex(r"(?:[^()]*['’]s )?conflicted copy(?: \d{1,6})?", re.IGNORECASE)
# What people call files, too: iCloud adds a number, others one in brackets, OneDrive the name of a machine.
_WEAK = tuple(
    regex(shape + r"(?P<suffix>\.md)")
    for shape in (
        r"(?P<name>.*\S) (?:[2-9]|[1-9]\d)",
        r"(?P<name>.*[^\s(]) ?\(\d{1,2}\)",
        r"(?P<name>.*[^\s-])(?: -)? [Cc]opy(?: \d{1,2}| \(\d{1,2}\))?",
        r"(?P<name>.+?)-(?P<machine>[A-Z][A-Za-z0-9]*(?:-[A-Z0-9][A-Za-z0-9]*)*)",
    )
)
_MAY_BE_WEAK = regex(r"(?: \d{1,2}|\(\d{1,2}\)|[Cc]opy|-[A-Z][A-Za-z0-9-]*)\.md\Z")
_ID = "[0-9a-hjkmnp-tv-z]"
# Of the names that the engine gives there are no variants: what follows one was added by somebody else.
_MEMORY = regex(rf"(?:.*/)?[^/]*-{_ID}{{16}}\.md")
# A duplicate that a person makes in a file manager is a document of its own.
_MEMORY_AND_MORE = regex(rf"(?P<name>(?:.*/)?[^/]*-{_ID}{{16}})(?! [Cc]opy(?: \d+)?\.md)[^0-9A-Za-z/][^/]*\.md")
_DAY = regex(
    rf"(?P<name>daily/\d{{4}}-\d{{2}}-\d{{2}}(?:\.{_ID}{{10}}(?![0-9A-Za-z]))?)(?P<more>[^0-9A-Za-z/][^/]*)?\.md"
)
_ENTITY = regex(r"(?P<kind>user/entities/[a-z]+-)(?P<rest>[^/]+)\.md")
_MACHINE = regex(rf"\.{_ID}{{10}}(?![0-9A-Za-z])")


def original_of(path: str, *, ours: bool = False) -> str | None:
    """The path of the file that a conflict copy is a copy of; ``None`` for any other path, and where the name could
    mean something else. ``ours``: the path lies in the folder that the engine writes, below which every name that
    begins with one that the engine gives is a copy's."""
    original = _strip_sync_words(path)
    if not ours:
        return original
    return _trunk(original or path) or original


def likely_original_of(path: str) -> str | None:
    """As ``original_of`` for names that people give files as well: only what both files hold tells a copy."""
    return _match(path, _WEAK) if _MAY_BE_WEAK.search(path) is not None else None


def shorter_names(path: str) -> Iterator[str]:
    """Of the file of an entity: the names that it may be a copy of, the longest first, as far as a name can tell.
    ``person-anna-maria`` is somebody else than ``person-anna``, unless both files name one id."""
    found = _ENTITY.fullmatch(path)
    parts = found["rest"].split("-") if found is not None else []
    for count in range(len(parts) - 1, 0, -1):
        yield f"{found['kind'] if found else ''}{'-'.join(parts[:count])}.md"


def is_day(path: str) -> bool:
    """Whether the engine calls the file of a day so, below its folder."""
    found = _DAY.fullmatch(path)
    return found is not None and found["more"] is None


def is_memory(path: str) -> bool:
    """Whether the engine calls the file of a memory so: the name ends in its id."""
    return _MEMORY.fullmatch(path) is not None


def grows(path: str) -> bool:
    """Whether lines are added to a file below the engine's folder, of a day or an entity: what copies of it hold beside
    it was said, too."""
    return is_day(path) or (_ENTITY.fullmatch(path) is not None and _trunk(path) is None)


def _strip_sync_words(path: str) -> str | None:
    """By the words that sync programs add."""
    if not tells_of_conflict(path):
        return None
    folder, slash, name = path.rpartition("/")
    bracketed = _BRACKETS.fullmatch(name)
    if bracketed is not None and (_UNDATED.fullmatch(bracketed["said"]) or _tells_of_copy(bracketed["said"])):
        return f"{folder}{slash}{bracketed['name']}{bracketed['suffix'] or ''}"
    return _match(path, _SHAPES)


def _tells_of_copy(words: str) -> bool:
    """Whether there is the word for a copy, the one for a conflict, and a date at the end, in whatever language."""
    return tells_of_conflict(words) and _COPY.search(words) is not None and _DATED.fullmatch(words) is not None


def tells_of_conflict(text: str) -> bool:
    """Whether a name, or one of several, has a word that sync programs add."""
    lowered = text.lower()
    return any(word in lowered for word in _TELLING)


def _trunk(path: str) -> str | None:
    """What a name in the engine's folder begins with where that is a name of the engine's and more follows."""
    entity = _ENTITY.fullmatch(path)
    if entity is not None:
        end = _end_of_slug(entity["rest"])
        return None if end == len(entity["rest"]) else f"{entity['kind']}{entity['rest'][:end]}.md"
    if is_memory(path):
        return None
    found = _DAY.fullmatch(path)
    if found is not None:
        return None if found["more"] is None else f"{found['name']}.md"
    found = _MEMORY_AND_MORE.fullmatch(path)
    return None if found is None else f"{found['name']}.md"


def _end_of_slug(rest: str) -> int:
    """Where the name of an entity ends, and that of the machine that wrote it: its letters are small ones, and its
    words joined by hyphens."""
    end = next((at for at, char in enumerate(rest) if not _in_slug(char)), len(rest))
    if end < len(rest) and rest[end].isupper():
        end = max(rest.rfind("-", 0, end), 0)
    machine = _MACHINE.match(rest, end)
    end = end if machine is None else machine.end()
    return end or len(rest)


def _in_slug(char: str) -> bool:
    return char == "-" or (char.isalnum() and not char.isupper()) or unicodedata.category(char)[0] == "M"


def _match(path: str, shapes: tuple[re.Pattern[str], ...]) -> str | None:
    folder, slash, name = path.rpartition("/")
    for shape in shapes:
        found = shape.fullmatch(name)
        if found is not None:
            return f"{folder}{slash}{found['name']}{found['suffix'] or ''}"
    return None
