"""What a file says of itself: frontmatter made typed, with its first heading, name, folders and tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from itertools import islice
from pathlib import PurePosixPath
from types import MappingProxyType

from hearth.core import instants
from hearth.core.document import INTERNAL, TRUST, is_docid
from hearth.core.lazy import dataclass, library, regex
from hearth.core.memory import CONTENT_TYPES, DEFAULT_TYPE
from hearth.markdown.blocks import Lines, Value, scan
from hearth.markdown.dating import Dating, NoteKind, is_template, read_dating
from hearth.markdown.kinds import Standing, folder_of_index, read_standing, read_type, replaced
from hearth.markdown.origins import adopt, day_of, is_clip, names_address
from hearth.markdown.outline import Outline, read_outline
from hearth.ports import DailyNotes
from hearth.text.written_dates import Order

MAX_TAGS = 100
_TAG_START = regex(r"#(?:\[\[|[^\s#.,;:!?()\[\]{}<>\"'`|*\\^=+@$%&~])")
_TAG = regex(r"(?<![^\s(\[,;])#(?:\[\[([^\[\]\n]{1,200})\]\]|([^\s#.,;:!?()\[\]{}<>\"'`|*\\^=+@$%&~]+))")
_FENCE = regex(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CODE = regex(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|\]\([^()\n]*\)|(?<![\s(\[,;]#)(?<!\A#)\[\[[^\[\]\n]*\]\]")


def find_tags(body: str) -> tuple[str, ...]:
    """Each once, in order, at most ``MAX_TAGS``; a number is none (#1)."""
    if _TAG_START.search(body) is None:
        return ()
    if "`" in body or "~~~" in body:
        body = _FENCE.sub("\n", body)
    found: dict[str, None] = {}
    for match in _TAG.finditer(_CODE.sub(" ", body)):
        tag = " ".join((match[1] or match[2]).split()).strip("/-—–")
        if any(char.isalpha() for char in tag) and (tag.isalpha() or not is_docid(tag)):
            found[tag] = None
            if len(found) == MAX_TAGS:
                break
    return tuple(found)


html = library("html")
MAX_ID = 128
_FIRST_CHARS = 4_096

_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
# What may stand above a title: nothing that is shown.
_UNSHOWN = frozenset({"html", "blank"})
# Lines above a title that only decorate it: badges and pictures, links to languages, a table of contents, code of MDX.
_DECORATION = regex(
    r"[ \t]*(?:(?:\[?!\[[^\]]*\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\]]*\])(?:\]\([^()\s]*\)|\]\[[^\]]*\])?[ \t|·]*)+"
    r"|(?:\[[^\[\]\n]+\]\([^()\s]*\)[ \t|·•/]*)+"
    r"|\[\[?_?TOC_?\]?\]|\{\{?[^{}]*\}?\}|%%.*%%|<[^>]*>|(?:import|export)\s.*|(?:[-*_][ \t]*){3,}|#\+\w+:.*"
    r"|:\w+:.*)?[ \t]*$",
    re.IGNORECASE,
)
_TAGS = regex(r"</?[a-z][^<>]*>|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)", re.IGNORECASE)
_HTML_HEADING = regex(r"(<h1\b[^<>]*>(.{1,300}?)</h1>)", re.IGNORECASE | re.DOTALL)
# What a template leaves for a program to fill in says nothing itself.
_PLACEHOLDER = regex(r"\{\{[^{}\n]*\}\}|<%[^\n]*?%>")
# ``key:: value``, as Logseq has it in the first block of a page and Dataview anywhere.
_PROPERTY = regex(r"(?:[-*+][ \t]+|[ \t]+)?([^\W\d_][\w /-]{0,63}?)::(?:[ \t]+(.*?))?[ \t]*$")
_MEANINGFUL = frozenset(
    {
        "title", "aliases", "alias", "tags", "tag", "content_type", "domain", "workstream", "review_by", "confidence",
        "trust", "supersedes", "follows", "refines", "contradicts", "because", "caused_by", "resolved_by",
    }
)  # fmt: skip
_LISTS = ("tags", "tag", "aliases", "alias")
# How Logseq writes a slash in a file's name.
_SLASH = regex(r"___|%2F", re.IGNORECASE)
# And the day of a journal.
_DAY = regex(r"(?<!\d)(\d{4})_(\d\d)_(\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Description:
    """``review_by`` and ``authored_at`` are milliseconds UTC; ``confidence`` lies in [0, 1].

    ``facts`` holds every key without a field here, and values that a field refused, lists joined by ", ".
    ``trust`` is what the file claims, or what a clipped page is; the caller takes the lower of it and the collection's.
    ``status``, ``period`` and ``dates`` are as in ``core.document``.
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
    status: str | None = None
    period: str | None = None
    dates: str | None = None
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


_CONVERSATION = "conversation"


def describe(
    fields: Mapping[str, Value],
    path: str,
    body: str,
    daily: Collection[DailyNotes] = (),
    order: Order | None = None,
    collection: str = "",
) -> Description:
    """The description of a file; ``path`` is relative to its collection, ``body`` starts after the frontmatter.
    ``daily`` is how notes of days are called there, ``order`` what dates with slashes put first."""
    # The engine's own files and conversations quote people: only their frontmatter states an id, a machine or what
    # replaces them.
    quotes = collection == INTERNAL or fields.get("content_type") == _CONVERSATION
    stated = {} if quotes else _read_lines(body)
    rest = _in_one_case({**stated, **_properties(body), **adopt(fields, body), **fields})
    clipped = is_clip(rest, path, body)
    outline = read_outline(body)
    heading = _heading(body, outline)
    title = _fill(_unlink(_text(rest, "title"))) or _fill(heading) or _name(PurePosixPath(path).stem)
    content_type = _text(rest, "content_type")
    if content_type is not None and content_type.lower() not in CONTENT_TYPES:
        rest["content_type"], content_type = content_type, None
    day = day_of(path, daily) if daily else None
    first = next((section.title for section in outline.sections if section.level == 1), title)
    is_form = not content_type and is_template(path, first, outline)
    if content_type is None and not is_form:
        content_type = "daily" if day else read_type(rest, path, outline, first, collection)
    content_type = (content_type or DEFAULT_TYPE).lower()
    stem = folder_of_index(path).removesuffix(PurePosixPath(path).suffix)
    kind = NoteKind(content_type, day.at if day else None, is_from_web=clipped or names_address(rest))
    dated = Dating() if is_form else read_dating(rest, stem, outline, kind, order)
    _moment(rest, "authored_at", instants.parse_written)
    if content_type == "decision" and "supersedes" not in rest and (names := replaced(body)):
        rest["supersedes"] = names
    standing = (
        Standing()
        if is_form or content_type == _CONVERSATION
        else read_standing(fields, outline, content_type, heading or "")
    )
    for key, found in (("superseded_by", standing.by), ("succeeds", standing.over)):
        if found and "supersedes" not in rest:
            rest[key] = found
    claimed = _trust(rest)
    return Description(
        title=title,
        content_type=content_type,
        tags=tuple(dict.fromkeys((*_tags(rest, "tags"), *_tags(rest, "tag"), *find_tags(body)))),
        aliases=tuple(dict.fromkeys((*_names(rest, "aliases"), *_names(rest, "alias")))),
        domain=_text(rest, "domain"),
        workstream=_text(rest, "workstream"),
        review_by=_moment(rest, "review_by", instants.parse_day),
        authored_at=dated.at,
        id=_identity(rest),
        confidence=_share(rest, "confidence"),
        trust="external" if clipped else claimed,
        status=standing.status,
        period=dated.period or None,
        dates=dated.orders(order),
        facts=MappingProxyType({key: v if isinstance(v, str) else ", ".join(v) for key, v in rest.items()}),
    )


def _in_one_case(fields: Mapping[str, Value]) -> dict[str, Value]:
    """Keys with a meaning as that is written, whatever their case: ``Title``, ``Tags``, ``Review-By``."""
    found: dict[str, Value] = {}
    for key, value in fields.items():
        plain = key.strip().lower().replace("-", "_").replace(" ", "_")
        meant = plain if plain in _MEANINGFUL and plain not in fields and plain not in found else key
        found[meant] = value
    return found


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


# A relation of a list of them, as basic-memory writes it: its type, and the note that it leads to.
_TYPED_LINK = regex(r"^[ \t]*[-*+][ \t]+([^\W\d_][\w -]{1,40}?)[ \t]+(\[\[[^\[\]\n]{1,200}\]\])", re.MULTILINE)
_LINK_KEYS = {
    "supersedes": "supersedes", "replaces": "supersedes", "follows": "follows", "refines": "refines",
    "extends": "refines", "contradicts": "contradicts", "caused by": "caused_by", "because": "because",
    "because of": "because", "resolved by": "resolved_by", "superseded by": "superseded_by",
}  # fmt: skip
# An observation: ``- [decision] We chose rye. #bread (why)``. A task's box and a link are none.
_OBSERVATION = regex(r"^[ \t]*[-*+][ \t]+\[([^\W\d_][\w -]{1,30})\][ \t]+(?=\S)", re.MULTILINE)
_INNER_PROPERTY = regex(r"^[ \t]*(?:[-*+][ \t]+)?([^\W\d_][\w /-]{0,63}?)::[ \t]+(\S[^\n]*)$", re.MULTILINE)
_IN_BRACKETS = regex(r"[\[(]([^\W\d_][\w /-]{0,63}?)::[ \t]+([^\[\]()\n]{1,200})[\])]")
_MOST_FOUND = 100


def _read_lines(body: str) -> dict[str, Value]:
    """What single lines state, wherever they stand: typed relations, categories of observations, ``key:: value``."""
    found: dict[str, list[str]] = {}
    has_links, has_boxes, has_keys = "[[" in body, "- [" in body or "* [" in body, "::" in body
    if not (has_links or has_boxes or has_keys):
        return {}
    text = _FENCE.sub("\n", body) if "`" in body or "~~~" in body else body
    if has_links:
        for kind, target in islice(_TYPED_LINK.findall(text), _MOST_FOUND):
            key = _LINK_KEYS.get(" ".join(kind.lower().replace("_", " ").replace("-", " ").split()))
            if key is not None:
                found.setdefault(key, []).append(target)
    if has_boxes:
        found["tag"] = list(dict.fromkeys(name.lower() for name in islice(_OBSERVATION.findall(text), _MOST_FOUND)))
    if has_keys:
        for form in (_INNER_PROPERTY, _IN_BRACKETS):
            for key, value in islice(form.findall(text), _MOST_FOUND):
                plain = key.strip().lower().replace("-", "_").replace(" ", "_")
                if plain not in _MEANINGFUL and key.strip() not in found:
                    found[key.strip()] = [value.strip()]
    return {key: values[0] if len(values) == 1 else tuple(values) for key, values in found.items() if values}


def _fill(title: str | None) -> str | None:
    """A title, unless a program was to fill it in and did not."""
    return None if title is None or _PLACEHOLDER.search(title) else title


def _unlink(title: str | None) -> str | None:
    """The name that a title which is a link shows."""
    return title[2:-2].rpartition("|")[2].strip() if title and title[:2] == "[[" and title[-2:] == "]]" else title


def _name(stem: str) -> str:
    """A file's name as a person reads it."""
    return _DAY.sub(r"\1-\2-\3", _SLASH.sub("/", stem))


def _heading(body: str, outline: Outline) -> str | None:
    """The only heading of the first level, where it stands before any other text. One of the second level is a
    section's, and where there are several, all are."""
    start = body[:_FIRST_CHARS]
    count = sum(section.level == 1 and bool(section.title) for section in outline.sections)
    if count != 1:
        return None if count else _html_heading(start)
    rows = Lines(start).rows
    shown = (
        block
        for block in scan(rows)
        if block.kind not in _UNSHOWN
        and (block.title or not block.level)
        and not all(_DECORATION.match(row) for row in rows[block.first : block.end])
    )
    block = next(shown, None)
    return _without_tags(block.title) if block is not None and block.level == 1 else None


def _html_heading(start: str) -> str | None:
    """The only one, where nothing but tags and decoration stands above it."""
    found = _HTML_HEADING.findall(start)
    if len(found) != 1:
        return None
    above = start[: start.index(found[0][0])].split("\n")
    return _without_tags(" ".join(found[0][1].split())) or None if all(map(_DECORATION.match, above)) else None


def _without_tags(title: str) -> str:
    title = " ".join(_TAGS.sub("", title).split())
    return html.unescape(title) if "&" in title else title


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
