"""Names of the files that the engine writes, and what a memory is about."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable

from hearth.core.document import CROCKFORD
from hearth.core.graph import ENTITY_TYPES
from hearth.core.lazy import regex
from hearth.core.memory import CONTENT_TYPES, ENTITY, REVISIONS, Memory
from hearth.language.name_matching import slug_of
from hearth.text.lines import ABBREVIATIONS, cut_line
from hearth.text.similarity import normalised

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


TITLE_CHARS = 80
_HEADING = regex(r" {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*\Z")
# Before a quotation it says who speaks, not of what.
_LABEL = regex(r"([^\s:][^:\n]{0,59}?):(?=\s)(?!\s*[“„«「\"])")
_MARKS = regex(r"(?:[-*+>]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
# An underscore inside a word is part of a name.
_EMPHASIS = regex(r"[*`]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)")
_SENTENCE_END = regex(r"[.!?](?=\s|\Z)|[。！？]")
# A full stop after these ends no sentence: a number as in "1. März", an initial, a title.
_SHORTENED = regex(
    rf"(?<!\w)(?:\d{{1,2}}|[^\W\d_]|{ABBREVIATIONS})\Z",
    re.IGNORECASE,
)
_LABEL_WORDS = 6
# Headings and labels that say what kind of thing follows, not what it is about.
_OTHER_KINDS = """
entities user agent assistant human person memory memories remember reminder rule rules important always never tip todo
warning update context lesson
"""
_KINDS = frozenset((*CONTENT_TYPES, *(f"{name}s" for name in CONTENT_TYPES), *_OTHER_KINDS.split()))


def subject_key(subject: str | None, text: str) -> str:
    """What two memories of one subject share: the subject given, else what the text names first."""
    return _key(subject or subject_of(text))


def subject_of(text: str) -> str:
    """What the text names first, as it is written."""
    return heading(text) or _label(text) or _sentence(_first_line(text))


def heading(text: str) -> str | None:
    """The heading that the text begins with, unless it only names a kind."""
    found = _HEADING.match(_line(text))
    return found[1] if found and _key(found[1]) not in _KINDS else None


def first_words(text: str) -> str:
    """The first sentence, cut between words at 80 characters: a title where there is no better."""
    sentence = _EMPHASIS.sub("", _sentence(_first_line(text))).strip() or _first_line(text)
    return cut_line(sentence, TITLE_CHARS)


def _label(text: str) -> str | None:
    found = _LABEL.match(_first_line(text))
    if found is None or len(found[1].split()) > _LABEL_WORDS or _key(found[1]) in _KINDS:
        return None
    return found[1]


def _line(text: str) -> str:
    return next((line for line in text.split("\n") if line.strip()), "")


def _first_line(text: str) -> str:
    """The first line that is no heading of a kind, without list marks."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    rest = [line for line in lines if not _HEADING.match(line)] or lines
    found = rest[0] if rest else ""
    marked = _MARKS.match(found)
    return found[marked.end() :] if marked else found


def _sentence(line: str) -> str:
    ends = (end.start() for end in _SENTENCE_END.finditer(line) if not _SHORTENED.search(line, 0, end.start()))
    end = next(ends, 0)
    return line[:end] if end else line


def _key(subject: str) -> str:
    return normalised(_EMPHASIS.sub("", subject)).strip(" .,;:!?\"'()[]")
