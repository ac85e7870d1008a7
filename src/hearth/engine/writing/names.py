"""Names of the files that the engine writes: readable, and never the same on two machines."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable

from hearth.graph.resolve import slug_of
from hearth.lazy import regex
from hearth.model.graph.entity import ENTITY_TYPES
from hearth.model.identity import CROCKFORD
from hearth.model.memory import Memory
from hearth.model.types import CONTENT_TYPES, ENTITY

REVISIONS = ".revisions"
DAILY = "daily"
DIARY = "agent/diary"
_SLUG_CHARS = 60
_SLUG_BYTES = 150
_HLC_DIGITS = 19
_DAY = regex(r"(\d{4}-\d{2}-\d{2})\.md\Z")
_LATIN = regex("[\u0041-\u024f]")


def new_id(random: Callable[[int], bytes]) -> str:
    """Sixteen random characters; ``random`` gives so many bytes."""
    value = int.from_bytes(random(10), "big")
    return "".join(CROCKFORD[value >> shift & 31] for shift in range(75, -1, -5))


def id_of(key: str) -> str:
    """The same sixteen characters for the same key."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return new_id(lambda size: digest[:size])


def slug(title: str) -> str:
    """Lower-case letters and digits of any script, joined by hyphens; accents of Latin letters go. May be empty."""
    folded = "".join(_fold(char) for char in unicodedata.normalize("NFKC", title).lower())
    words = "".join(char if char.isalnum() or _is_mark(char) else " " for char in folded).split()
    kept = ""
    for word in words:
        longer = f"{kept}-{word}" if kept else word[:_SLUG_CHARS]
        if len(longer) > _SLUG_CHARS or len(longer.encode()) > _SLUG_BYTES:
            break
        kept = longer
    return kept or _cut(words[0] if words else "")


def path_of(memory: Memory) -> str:
    """Below the memory folder: the type's folder, the title as a slug, the id."""
    folder = CONTENT_TYPES[memory.content_type].folder
    return f"{folder}/{file_name(memory.title, memory.content_type, memory.id)}"


def entity_path(memory: Memory, machine: str | None, number: int) -> str:
    """Of the file about an entity: its type and name; ``machine`` is given where plain names belong to another one, a
    ``number`` above 1 where the name is taken."""
    kind = next((tag for tag in memory.tags if tag in ENTITY_TYPES), "other")
    name = f"{kind}-{slug_of(memory.title)}" + (f"-{number}" if number > 1 else "")
    return f"{CONTENT_TYPES[ENTITY].folder}/{name}{'' if machine is None else f'.{machine}'}.md"


def file_name(title: str, fallback: str, identity: str) -> str:
    return f"{slug(title) or fallback}-{identity}.md"


def revision_path(identity: str, hlc: int) -> str:
    return f"{REVISIONS}/{identity}/{hlc:0{_HLC_DIGITS}d}.md"


def day_path(day: str, machine: str | None = None) -> str:
    """The daily file of a date; ``machine`` is given where the plain name belongs to another machine."""
    return f"{DAILY}/{day}.md" if machine is None else f"{DAILY}/{day}.{machine}.md"


def is_entry(path: str) -> bool:
    """Whether a path is that of a diary entry."""
    return path.startswith(f"{DIARY}/")


def plain_days(names: list[str]) -> list[str]:
    """Names of daily files without a machine, newest first."""
    return sorted((name for name in names if _DAY.match(name)), reverse=True)


def _fold(char: str) -> str:
    """Without accents, where the letter under them is Latin: other scripts' marks change the word."""
    parts = unicodedata.normalize("NFD", char)
    return parts[0] if _LATIN.match(parts[0]) else char


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _cut(word: str) -> str:
    while len(word.encode()) > _SLUG_BYTES:
        word = word[:-1]
    return word
