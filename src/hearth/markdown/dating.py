"""When a text was written, by what it says: its frontmatter, else its name, else a date in its first lines.  The time
of its file is none of these. It tells when a copy was made, a repository cloned or a disk restored. That it changed
because somebody wrote could be known only by having seen it change: an index would then depend on when it was
filled, unless each change of a file were journaled. What nothing dates is undated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from hearth.core.lazy import regex
from hearth.markdown.blocks import Value
from hearth.markdown.outline import Outline, name_words, names
from hearth.text.written_dates import (
    Order,
    WrittenDate,
    date_of_name,
    find_dates,
    find_order,
    may_be_ambiguous,
    only_date,
    read_date,
    read_day_of_year,
    week_of_name,
)

# In order: the engine's own key, the day that the note is about, when it was begun, made public, changed. Behind them
# any label of a date.
_DAY = ("authored_at", "date", "datum", "fecha")
_BEGUN = (
    "created",
    "created_at",
    "created_on",
    "created_time",
    "date_created",
    "creation_date",
    "createdat",
)
_PUBLISHED = (
    "published",
    "published_at",
    "publish_date",
    "date_published",
    "pubdate",
)
_CHANGED = (
    "updated",
    "updated_at",
    "date_updated",
    "last_updated",
    "last_modified",
    "lastmod",
    "modified",
    "date_modified",
    "last_reviewed",
    "last_checked",
    "reviewed",
)
_HEADING = regex(r" {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$")
_EVENTS = frozenset({"meeting", "postmortem", "decision", "rfc", "weekly"})
"""Types whose text names the day that they are about."""
_LABELS = ("label:date", "label:event", "label:checked")
_CASE = regex(r"(?<=[a-z])(?=[A-Z])")
_YEAR = regex(r"(?:19|20)\d\d")
_SHORT_LINE = 60
_BEFORE_TEXT = 4
# As in "Lyon, le 3 mars 2024".
_BEFORE_DATE = (", ", " le ", " den ", " on ", " of ", " vom ", " du ", " del ")


class Dating(NamedTuple):
    """``at`` is ms UTC, ``period`` as ``2024-03``. ``own`` is what the note's own dates put first; ``waits``: its date
    depends on what others put first."""

    at: int | None = None
    period: str = ""
    own: Order | None = None
    waits: bool = False

    def orders(self, settled: Order | None) -> str | None:
        """As ``core.document.Document.dates`` has it."""
        if not self.waits:
            return self.own
        return "open" if settled is None else f"open:{settled}"


class NoteKind(NamedTuple):
    """What is known of a note beside its text: ``day`` is what the name of a daily note says. What is
    from the web is as old as its publication."""

    content_type: str
    day: int | None = None
    is_from_web: bool = False


def read_dating(
    fields: Mapping[str, Value], path: str, outline: Outline, kind: NoteKind, order: Order | None
) -> Dating:
    """``path`` is without its suffix, ``order`` what the vault's other notes put first."""
    content_type, day, is_from_web = kind
    own = find_order("\n".join((path, *outline.first, *(v for v in fields.values() if isinstance(v, str)))))

    about = content_type in _EVENTS
    keys = (*_DAY, *(("label:event",) if about else ()), *(_PUBLISHED + _BEGUN if is_from_web else _BEGUN + _PUBLISHED))

    def read(known: Order | None) -> tuple[int, str]:
        found = _of_fields(fields, (*keys, *_CHANGED, *_LABELS), known) or ((day, "") if day is not None else None)
        found = found or (_plain(week_of_name(path)) if content_type == "weekly" else None)
        found = found or _plain(date_of_name(path, known)) or _of_lines(outline, content_type, known)
        return found or _plain(_of_year_folder(outline, path)) or (0, "")

    plain = read(own or order)
    candidates = (
        *outline.first,
        *(label.value for label in outline.labels),
        *chain.from_iterable(map(_list, fields.values())),
    )
    waits = own is None and may_be_ambiguous("\n".join((path, *candidates)), path) and read("day") != read("month")
    return Dating(plain[0] or None, plain[1], own, waits)


def _list(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _plain(found: WrittenDate | None) -> tuple[int, str] | None:
    return None if found is None else (found.at, found.period)


def _of_fields(fields: Mapping[str, Value], keys: Iterable[str], order: Order | None) -> tuple[int, str] | None:
    """Of the first key that holds a date; a key with a colon stands for all labels of that kind."""
    given = {
        _CASE.sub("_", key.strip()).lower().replace("-", "_").replace(" ", "_"): value for key, value in fields.items()
    }
    for key in keys:
        same = [one for one in given if names(key, one.replace("_", " "))] if ":" in key else [key]
        for one in same:
            value = given.get(one)
            value = value[0] if isinstance(value, tuple) and len(value) == 1 else value
            found = read_date(value, order) if isinstance(value, str) and value else None
            if found is not None:
                return found
    return None


def _of_year_folder(outline: Outline, path: str) -> WrittenDate | None:
    """A day and month without a year in a heading, of the year that a folder above is called."""
    year = next((folder for folder in reversed(path.split("/")[:-1]) if _YEAR.fullmatch(folder)), None)
    if year is None:
        return None
    return next((found for text in _headings(outline) if (found := read_day_of_year(text, int(year)))), None)


def _of_lines(outline: Outline, content_type: str, order: Order | None) -> tuple[int, str] | None:
    """A label such as ``Date:``, else one such as ``Started:``, else a heading with one date, else a label such as
    ``Last checked:``, else a short line above the text that begins with one, else, in notes about a day, the first date
    of their first lines."""
    for kind in ("label:date", "label:event", "", "label:checked"):
        texts = outline.values(kind) if kind else _headings(outline)
        for text in texts:
            one = only_date(text, order, periods=True) if not kind else None
            found = read_date(text, order) if kind else _plain(one)
            if found is not None:
                return found
    return _of_text(outline, content_type, order)


def _headings(outline: Outline) -> list[str]:
    return [heading[1] for row in outline.first if "#" in row and (heading := _HEADING.match(row))]


def _of_text(outline: Outline, content_type: str, order: Order | None) -> tuple[int, str] | None:
    below = [row.strip(" \t*_<>[]") for row in outline.first if not _HEADING.match(row)]
    every = find_dates("\n".join(below), order)
    if len({one.first for one in every}) == 1:
        for row in below[:_BEFORE_TEXT]:
            found = find_dates(row, order) if len(row) <= _SHORT_LINE else []
            if found and (found[0].start == 0 or row[: found[0].start].endswith(_BEFORE_DATE)):
                return _plain(found[0])
    if content_type not in _EVENTS:
        return None
    return _plain(every[0]) if every else None


# A value that is one placeholder: "{date}", "<name>", "[what we decided]", "*TITLE*", "YYYY-MM-DD", "...".
_TEMPLATES_DAY = r"(?:(?:[YMD]{1,4}[-/. ,]{1,2}){2}[YMD]{1,4}|yyyy[-/.]mm[-/.]dd|dd[-/.]mm[-/.]yyyy)"
_PLACEHOLDER = regex(
    rf"[*_`\"']*(?:\{{\{{?[^{{}}]+\}}?\}}|<[^<>@/:]{{2,80}}>|\[[^\[\]]{{2,120}}\](?![(\[])|{_TEMPLATES_DAY}"
    r"|(?<=[*_])[A-Z]{4,}(?=[*_])|TODO|_{3,}|\.{3}|…|x{3,})[*_`\"'.]*"
)
# Where it stands in a title, which says more.
_IN_TITLE = regex(
    rf"\{{\{{?[^{{}}]+\}}?\}}|<[A-Za-z][^<>@/:=]{{2,80}}>|(?<!\w)\[[A-Za-z][^\[\]]* [^\[\]]*\](?![(\[])"
    rf"|(?<!\w){_TEMPLATES_DAY}(?!\w)|(?<![A-Za-z])(?:N{{3,}}|X{{3,}}|0000)(?![A-Za-z0-9])"
)
_LEAST = 3


def is_template(path: str, title: str, outline: Outline) -> bool:
    """``title`` is the note's first heading as it is written."""
    file = PurePosixPath(path)
    if any(names("name:template", name_words(part)) for part in (*file.parts[:-1], file.stem)):
        return True
    if date_of_name(str(file.with_suffix(""))) is not None:
        return False
    labels = [label.value for label in outline.labels]
    openings = [section.lines[0] for section in outline.sections[1:] if section.lines]
    filled = [_PLACEHOLDER.fullmatch(text.strip("-*+> \t")) is None for text in (*labels, *openings)]
    blank = len(filled) - sum(filled)
    least = 1 if _IN_TITLE.search(title) else _LEAST
    return blank >= least and blank * 2 >= len(filled)
