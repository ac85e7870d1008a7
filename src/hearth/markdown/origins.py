"""Where a document comes from: its source, its project, and the programs that wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from hearth.core import instants
from hearth.core.document import ENDED
from hearth.core.lazy import dataclass, library, regex
from hearth.core.memory import CONTENT_TYPES
from hearth.markdown.blocks import Value
from hearth.ports import DailyNotes
from hearth.text.language import fold
from hearth.text.lines import cut_line
from hearth.text.words import cues
from hearth.text.written_dates import month_of

tomllib = library("tomllib")  # few notes have such a head

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
    values = {_plain(key): list(_parts(value)) for key, value in fields.items()}
    start = body[:_FIRST_CHARS]
    if _ABOVE[1] in start:
        return True
    if any(_is_address(values.get(key, ())) for key in _OF_PROGRAMS):
        return True
    if any(part.startswith(_EVERNOTE) for part in values.get("source", ())):
        return True
    if not any(_is_address(values.get(key, ())) for key in _ADDRESSES):
        return False
    return (
        any(key.startswith(_PROGRAMS) for key in values)
        or values.keys() >= _FORM
        or _ABOVE[0] in start
        or any(_ZONE in part for part in values.get("created", ()))
        or any(_is_named(part) for key in _NAMED for part in values.get(key, ()))
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
    return regex("".join(parts), re.IGNORECASE)


def _date(values: dict[str, str | None]) -> int | None:
    year, day = values.get("year") or values.get("short"), values.get("day")
    month = values.get("month") or month_of(values.get("name") or "")
    if year is None or month is None or day is None:
        return None
    century = 0 if values.get("year") else _CENTURY
    try:
        return instants.noon(date(century + int(year), int(month), int(day)))
    except ValueError:
        return None


_DEPTH = 8
_TOML = regex(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", 16 | 8)  # DOTALL, MULTILINE
_PANDOC = regex(r"%[ \t]*([^\n]*(?:\n[ \t]+[^\n]+)*)\n?")
_PANDOC_KEYS = ("title", "author", "date")
_ORG = regex(r"#\+([\w-]+):[ \t]*([^\n]*?)[ \t]*\r?(?:\n|\Z)")
_ORG_LISTS = {"filetags": "tags", "tags": "tags", "roam_tags": "tags", "roam_alias": "aliases"}
_MULTIMARKDOWN = regex(r"([A-Za-z][\w -]{0,40}):(?!:)[ \t]*(\S[^\n]*?)[ \t]*\r?(?:\n|\Z)")
_CONTINUED = regex(r"[ \t]+(\S[^\n]*?)\r?(?:\n|\Z)")
_IMPORT = regex(r"(?:import\s[^\n]*\n|\s*\n)+")
_EXPORT = regex(r"export\s+const\s+(?:metadata|meta|frontmatter|frontMatter)\s*=\s*(\{)")
_PAIR = regex(
    r"""[{,\s](?:["'](\w+)["']|(\w+))\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`$]*)`|\[([^\[\]{}]*)\])"""
)
_QUOTED = regex(r"""["']([^"']*)["']""")


class OtherHead(NamedTuple):
    """``end`` is where the body begins."""

    fields: dict[str, Value]
    end: int
    problem: str | None = None


def read(text: str) -> OtherHead | None:
    """``None`` where a text begins with none of them."""
    return _toml(text) or _json(text) or _pandoc(text) or _org(text) or _multimarkdown(text) or _mdx(text)


def _toml(text: str) -> OtherHead | None:
    block = _TOML.match(text)
    if block is None:
        return None
    try:
        return OtherHead(_flat(tomllib.loads(block[1].replace("\r\n", "\n"))), block.end())
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return OtherHead({}, 0, f"not read: {error}")


def _json(text: str) -> OtherHead | None:
    if not text.startswith("{"):
        return None
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    behind = text[end:].lstrip(" \t\r")
    if not isinstance(found, dict) or not found or not behind.startswith("\n") or not behind.strip():
        return None
    return OtherHead(_flat(found), len(text) - len(behind) + 1)


def _flat(table: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            fields |= _flat(value, f"{name}.", depth + 1) if depth < _DEPTH else {}
        elif isinstance(value, list):
            fields[name] = tuple(_text(item) for item in value if not isinstance(item, dict | list))
        elif value is not None:
            fields[name] = _text(value)
    return fields


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _pandoc(text: str) -> OtherHead | None:
    """Up to three lines: title, authors, date."""
    fields: dict[str, Value] = {}
    end = 0
    for key in _PANDOC_KEYS:
        line = _PANDOC.match(text, end)
        if line is None or text.startswith("%%", end):
            break
        if value := " ".join(line[1].split()):
            fields[key] = value
        end = line.end()
    return OtherHead(fields, end) if fields else None


def _org(text: str) -> OtherHead | None:
    fields: dict[str, Value] = {}
    end = 0
    while (line := _ORG.match(text, end)) is not None:
        key, value = line[1].lower(), line[2]
        if key in _ORG_LISTS and value:
            parts = value.strip(":").split(":") if value.startswith(":") else value.replace('"', " ").split()
            fields[_ORG_LISTS[key]] = tuple(parts)
        elif value:
            fields.setdefault(key, value)
        end = line.end()
    return OtherHead(fields, end) if "title" in fields or "date" in fields else None


def _multimarkdown(text: str) -> OtherHead | None:
    """Lines of ``Key: value`` that begin with the title, up to an empty line."""
    if text[:6].lower() != "title:":
        return None
    fields: dict[str, Value] = {}
    end, last = 0, ""
    while end < len(text):
        if last and (more := _CONTINUED.match(text, end)):
            fields[last] = f"{fields[last]} {more[1]}"
            end = more.end()
        elif line := _MULTIMARKDOWN.match(text, end):
            last = line[1].strip().lower()
            fields[last] = line[2]
            end = line.end()
        else:
            break
    empty = end >= len(text) or text[end] in "\r\n"
    return OtherHead(fields, end) if empty else None


def _mdx(text: str) -> OtherHead | None:
    imports = _IMPORT.match(text) if text.startswith("import") else None
    export = _EXPORT.match(text, imports.end() if imports else 0)
    if export is None:
        return None
    depth, end = 0, export.start(1)
    for end in range(export.start(1), len(text)):
        depth += (text[end] in "{[") - (text[end] in "}]")
        if depth == 0:
            break
    fields: dict[str, Value] = {}
    for pair in _PAIR.finditer(text, export.start(1), end + 1):
        texts = [value for value in pair.groups()[2:5] if value is not None]
        key = pair[1] or pair[2]
        fields.setdefault(key, texts[0] if texts else tuple(_QUOTED.findall(pair[6] or "")))
    newline = text.find("\n", end)
    return OtherHead(fields, len(text) if newline < 0 else newline + 1) if fields and depth == 0 else None


# Memories that other programs keep as markdown: Engram's (an id of its own form and a category) and Claude Code's (a
# name and one of four types). They are read where they stand, in any collection, and never written.

TITLE_CHARS = 80
_ENGRAM_ID = regex(r"[a-z][a-z0-9_-]{0,63}-\d{12,14}-[a-z0-9]{1,8}(?:-chunk-\d+)?\Z")
_QUESTION_ID = regex(r"q-[a-z0-9]{6,12}-[a-z0-9]{1,8}\Z")
_ENGRAM_TYPES = {"rule": "principle", "procedure": "skill", "reasoning_trace": "note"}
_LIVE = frozenset({"", "active"})
# Ours <- Engram's.
_RENAMED = {
    "tier": "confidenceTier",
    "importance": "importanceScore",
    "subject": "entityRef",
    "expires_at": "expiresAt",
    "superseded_by": "supersededBy",
}
_ENDS = ("supersededAt", "archivedAt", "forgottenAt", "invalidAt", "resolvedAt", "updated", "created")
# Of feedback what forbids is an antipattern, of a project what was decided a decision.
_CLAUDE_TYPES = {"user": "preference", "feedback": "correction", "project": "fact", "reference": "note"}
_TYPE_KEYS = ("metadata.type", "type")
_ENTITY = regex(r"# [^\n]+\s+\*\*Type:\*\*[ \t]*(\w+)[ \t]*\r?\n\*\*Updated:\*\*[ \t]*\d{4}-[^\n]*\s+## Facts\b")
_PROFILE = "# Behavioral Profile"
_PAGE_CHARS, _TEXT_CHARS = 600, 2_000


def adopt(fields: Mapping[str, Value], body: str) -> dict[str, Value]:
    """What to read in addition to a file's own fields; empty for any other file."""
    told = {key: value.strip() for key, value in fields.items() if isinstance(value, str)}
    if "category" in told and _ENGRAM_ID.match(told.get("id", "")):
        return dict(_read_engram(told, body))
    if "priority" in told and _QUESTION_ID.match(told.get("id", "")):
        return dict(_read_question(told, body))
    if told.get("name") and told.get("description"):
        kind = next((told[key] for key in _TYPE_KEYS if told.get(key) in _CLAUDE_TYPES), None)
        return {} if kind is None else dict(_read_claude(told, kind, body))
    if not fields:
        return _read_page(body)
    return {}


def _read_engram(told: Mapping[str, str], body: str) -> Iterator[tuple[str, Value]]:
    category = told["category"].lower()
    category = _ENGRAM_TYPES.get(category, category)
    yield "content_type", category if category in CONTENT_TYPES else "note"
    if "title" not in told and (title := _first_line(body)):
        yield "title", title
    for ours, theirs in _RENAMED.items():
        if ours not in told and told.get(theirs):
            yield ours, told[theirs]
    ended = told.get("status", "").lower() not in _LIVE
    if ended:
        yield ENDED, next((told[key] for key in _ENDS if told.get(key)), "1970-01-01")
    elif told.get("expiresAt") and told.get("confidenceTier") == "speculative":
        yield ENDED, told["expiresAt"]


def _read_question(told: Mapping[str, str], body: str) -> Iterator[tuple[str, Value]]:
    yield "content_type", "question"
    if title := _first_line(body):
        yield "title", title
    if told.get("resolved", "").lower() == "true":
        yield ENDED, next((told[key].strip('"') for key in _ENDS if told.get(key)), "1970-01-01")


def _read_claude(told: Mapping[str, str], kind: str, body: str) -> Iterator[tuple[str, Value]]:
    text = f"{told['description']}\n{body[:_TEXT_CHARS]}"
    content_type = _CLAUDE_TYPES[kind]
    if kind == "feedback" and cues("marks", "ban").search(told["description"]):
        content_type = "antipattern"
    elif kind == "project" and cues("marks", "decided").search(text):
        content_type = "decision"
    yield "content_type", content_type
    yield "title", cut_line(told["description"], TITLE_CHARS)
    yield "aliases", (told["name"],)


def _read_page(body: str) -> dict[str, Value]:
    """Engram's pages without frontmatter: of an entity, and of the person."""
    start = body[:_PAGE_CHARS].lstrip()
    if start.startswith(_PROFILE):
        return {"content_type": "profile"}
    found = _ENTITY.match(start)
    return {} if found is None else {"content_type": "entity", "tags": (found[1].lower(),)}


def _first_line(body: str) -> str:
    line = next((row.strip() for row in body.split("\n") if row.strip()), "")
    return cut_line(line.lstrip("#>-* ").strip(), TITLE_CHARS)
