"""Notes that programs wrote: pages clipped from the web, and notes of a day by the name that an app gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath

from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.markdown.head.frontmatter import Value
from hearth.ports import DailyNotes
from hearth.text.language import fold
from hearth.text.times.written import month_of

# Keys are compared without their separators, in lower case.
_ADDRESSES = frozenset({"source", "url", "link", "href", "uri", "website", "originalurl", "canonical", "canonicalurl"})
# That a person's note has an address under these names, too, is rare (Joplin, Evernote, Readwise).
_OF_PROGRAMS = frozenset({"sourceurl", "clippedfrom", "clipurl", "webclipurl"})
_PROGRAMS = (
    "clipped", "clipper", "webclip", "dateclipped", "pocket", "readwise", "omnivore", "instapaper", "raindrop",
    "wallabag", "hoarder", "karakeep", "markdownload", "readitlater", "datesaved", "savedat",
)  # fmt: skip
_NAMED = frozenset({"tags", "tag", "category", "categories", "type", "kind", "contenttype", "source"})
_NAMES = frozenset(
    {
        "clipping", "clippings", "clipped", "clip", "clips", "webclip", "webclips", "webclipping", "webclippings",
        "webclipper", "readitlater", "pocket", "readwise", "instapaper", "omnivore", "raindrop", "wallabag",
        "markdownload",
    }
)  # fmt: skip
# Folders of these names may hold notes of one's own.
_FOLDERS = _NAMES - {"clip", "clips", "pocket", "raindrop"}
# All that Obsidian's Web Clipper writes, where somebody took its tag away.
_FORM = frozenset({"source", "author", "published", "created", "description"})
_FIRST_CHARS = 4_096
# What MarkDownload and Readwise put above a text.
_ABOVE = ("\n> ## Excerpt\n", "![rw-book-cover](")
_ADDRESS = regex(r"""(?:[<"'(]|\[[^\]\n]{0,300}\]\()?https?://\S""", re.IGNORECASE)
# How Evernote says where a note is from, and when MarkDownload saved one.
_EVERNOTE, _ZONE = "web.clip", " (UTC"


def is_clip(fields: Mapping[str, Value], path: str, body: str) -> bool:
    """Whether frontmatter or properties, with the path and the first lines, say so."""
    said = {_plain(key): list(_parts(value)) for key, value in fields.items()}
    start = body[:_FIRST_CHARS]
    if _ABOVE[1] in start:
        return True
    if any(_is_address(said.get(key, ())) for key in _OF_PROGRAMS):
        return True
    if any(part.startswith(_EVERNOTE) for part in said.get("source", ())):
        return True
    if not any(_is_address(said.get(key, ())) for key in _ADDRESSES):
        return False
    return (
        any(key.startswith(_PROGRAMS) for key in said)
        or said.keys() >= _FORM
        or _ABOVE[0] in start
        or any(_ZONE in part for part in said.get("created", ()))
        or any(_is_named(part) for key in _NAMED for part in said.get(key, ()))
        or any(_plain(folder) in _FOLDERS for folder in PurePosixPath(path).parts[:-1])
    )


def names_address(fields: Mapping[str, Value]) -> bool:
    """Whether a page of the web is named as what a note is from."""
    return any(_plain(key) in _ADDRESSES and _is_address(_parts(value)) for key, value in fields.items())


def _parts(value: Value) -> Iterator[str]:
    for part in (value,) if isinstance(value, str) else value:
        yield part.strip()


def _is_address(values: Iterable[str]) -> bool:
    return any(_ADDRESS.match(value) for value in values)


def _is_named(value: str) -> bool:
    """``[[Clippings]]`` and ``clippings/news`` are marks as well as ``#clippings``, and one of several may be."""
    return any(_plain(part.partition("/")[0]) in _NAMES for part in value.split(","))


def _plain(name: str) -> str:
    return "".join(char for char in fold(name.lower()) if char.isalnum())


_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)?\.?"
_FORMS = {
    "YYYY": ("year", r"\d{4}"),
    "YY": ("short", r"\d{2}"),
    "MMMM": ("name", _WORD),
    "MMM": ("name", _WORD),
    "MM": ("month", r"\d{2}"),
    "M": ("month", r"\d{1,2}"),
    "Do": ("day", r"\d{1,2}(?=\D)"),
    "DD": ("day", r"\d{2}"),
    "D": ("day", r"\d{1,2}"),
    "dddd": ("", _WORD),
    "ddd": ("", _WORD),
    "dd": ("", _WORD),
    **dict.fromkeys(("DDDD", "DDD", "ww", "w", "WW", "W", "d", "e", "E", "Q"), ("", r"\d{1,3}")),
    **dict.fromkeys(("gggg", "GGGG"), ("", r"\d{4}")),
    **dict.fromkeys(("HH", "H", "hh", "h", "mm", "m", "ss", "s"), ("", r"\d{1,2}")),
}
# What may follow the number of a day: 1st, 2nd, 21., 3º.
_ORDINAL = r"(?:[^\W\d_]{1,3}|[.º°ª])?"
_TOKEN = regex(r"\[([^\[\]]*)\]|" + "|".join(sorted(_FORMS, key=len, reverse=True)) + "|(.)", re.DOTALL)
_CENTURY = 2_000


@dataclass(frozen=True, slots=True)
class Day:
    """``at`` is 12:00 UTC of the date; ``None`` where the name holds none that can be read."""

    at: int | None


def day_of(path: str, daily: Iterable[DailyNotes]) -> Day | None:
    """The day whose note a path is called like, if it is; the path is relative to the collection."""
    for notes in daily:
        inside = f"{notes.above}/{path}" if notes.above else path
        if notes.below:
            if not inside.startswith(f"{notes.below}/"):
                continue
            inside = inside[len(notes.below) + 1 :]
        found = _pattern(notes.folder, notes.form).fullmatch(inside.rsplit(".", 1)[0])
        if found is not None:
            return Day(_date(found.groupdict()))
    return None


@lru_cache(maxsize=64)
def _pattern(folder: str, form: str) -> re.Pattern[str]:
    """Of a token that comes again the first counts."""
    parts, seen = [re.escape(f"{folder}/") if folder else ""], set[str]()
    for token in _TOKEN.finditer(form.removesuffix(".md")):
        literal = token[1] if token[1] is not None else token[2]
        if literal is not None:
            parts.append(re.escape(literal))
            continue
        name, shape = _FORMS[token[0]]
        parts.append(f"(?P<{name}>{shape})" if name and name not in seen else shape)
        seen.add(name)
        if token[0] == "Do":
            parts.append(_ORDINAL)
    return re.compile("".join(parts), re.IGNORECASE)


def _date(said: dict[str, str | None]) -> int | None:
    year, day = said.get("year") or said.get("short"), said.get("day")
    month = said.get("month") or month_of(said.get("name") or "")
    if year is None or month is None or day is None:
        return None
    century = 0 if said.get("year") else _CENTURY
    try:
        return instants.noon(date(century + int(year), int(month), int(day)))
    except ValueError:
        return None
