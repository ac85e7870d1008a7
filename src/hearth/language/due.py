"""When something is due: the first date that a promise names, and relative dates made absolute by the turn's time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import cache

from hearth.core import instants
from hearth.core.lazy import dataclass, regex
from hearth.text.calendar import any_of
from hearth.text.time_words import month_words, short_months
from hearth.text.words import cues, each, word_places

_TABLE = "due"
_LANGUAGES = ("en", "es", "de", "fr", "pt", "it", "ru")
"""Whose months are read."""
_BY_CHARS = 24
_YEAR = regex(r"\d{4}")
_LEAP = (2, 29)
_POINTED = regex(r"(?:last|next)\s", re.IGNORECASE)
_FRIDAY = 4
_FAR_PAST = 120
"""Days: a month and day further back than this means the next one."""


@dataclass(frozen=True, slots=True)
class DatedPhrase:
    """A phrase with the day that it means; ``relative`` if only the turn's time tells it, ``ahead`` if it is a bare
    weekday: the next one of somebody who promises, perhaps the last of somebody who tells."""

    start: int
    end: int
    day: date
    relative: bool
    ahead: bool = False


def dates(text: str, said_on: date) -> list[DatedPhrase]:
    """The days that ``text`` names, as somebody means them who looks ahead: "Friday" is the next one. In order,
    without overlaps."""
    found: list[DatedPhrase] = []
    for one in sorted(_find(text, said_on), key=lambda item: (item.start, item.start - item.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def due_at(text: str, said_on: date) -> int | None:
    """Noon UTC of the first day that is not past, in ms; ``None`` without one. A day of no year by which something is
    to be done, and that is over, means the next one."""
    found = dates(text, said_on)
    days = [item.day for item in found if item.day >= said_on]
    days += [item.day.replace(year=item.day.year + 1) for item in found if _is_limit(item, text)]
    return instants.noon(days[0]) if days else None


def _is_limit(item: DatedPhrase, text: str) -> bool:
    """Whether it is a day of the calendar without its year, by which something is to be done; no leap day."""
    bare = (
        not item.relative
        and _YEAR.search(text, item.start, item.end) is None
        and (item.day.month, item.day.day) != _LEAP
    )
    return bare and _by().search(text[max(0, item.start - _BY_CHARS) : item.start]) is not None


def absolute(text: str, said_on: date, *, promised: bool = True) -> str:
    """``text`` with the day after each phrase that only the turn's time explains. A bare weekday is the next one only
    in what is ``promised``."""
    parts, at = [], 0
    for item in dates(text, said_on):
        if item.relative and (promised or not item.ahead):
            parts += [text[at : item.end], f" ({item.day.isoformat()})"]
            at = item.end
    return "".join([*parts, text[at:]])


def _find(text: str, said_on: date) -> Iterator[DatedPhrase]:
    for name, pattern in _patterns().items():
        for match in pattern.finditer(text):
            day = _day(name, match, said_on)
            if day is not None:
                ahead = name.endswith("weekday") and not _POINTED.match(match[0])
                yield DatedPhrase(*match.span(), day, name not in ("iso", "full"), ahead)


def _day(name: str, match: re.Match[str], said_on: date) -> date | None:
    try:
        if name == "iso":
            return date(int(match[1]), int(match[2]), int(match[3]))
        if name == "full":
            return _calendar(match, said_on)
        if name in ("weekday", "short weekday"):
            weekday = word_places(_TABLE, name.removesuffix(" weekday"))[match["weekday"].lower()]
            ahead = (weekday - said_on.weekday()) % 7 or 7
            return said_on + timedelta(ahead - 7 if match["last"] else ahead)
        if name == "days":
            return said_on + _span(match[1], match[2])
        if name == "ago":
            return said_on - _span(match["c1"] or match["c2"], match["u1"] or match["u2"])
        return _date_named(name, said_on)
    except (ValueError, OverflowError, KeyError):
        return None


def _span(count: str, unit: str) -> timedelta:
    """Of a count in figures or words; an article is one."""
    number = int(count) if count.isdecimal() else 1 + next(n for n, one in enumerate(_counts()) if one.fullmatch(count))
    return timedelta(number * (7 if cues(_TABLE, "week").fullmatch(unit) else 1))


def _calendar(match: re.Match[str], said_on: date) -> date | None:
    month = _months()[(match["m1"] or match["m2"]).lower()]
    day = int(match["d1"] or match["d2"])
    if match["year"]:
        return date(int(match["year"]), month, day)
    found = date(said_on.year, month, day)
    return date(said_on.year + 1, month, day) if (said_on - found).days > _FAR_PAST else found


def _date_named(name: str, said_on: date) -> date:
    if name == "week_end":
        return said_on + timedelta((_FRIDAY - said_on.weekday()) % 7)
    if name == "month_end":
        return (said_on.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)
    return said_on + timedelta({"today": 0, "tomorrow": 1, "yesterday": -1, "next_week": 7 - said_on.weekday()}[name])


def _counts() -> tuple[re.Pattern[str], ...]:
    return each(_TABLE, "count")


@cache
def _by() -> re.Pattern[str]:
    """What stands before a day by which something is to be done."""
    articles = "the|el|al?|den?|dem|zum|le|la|o|il"
    return regex(rf"(?:{cues(_TABLE, 'by').pattern})(?:\s+(?:{articles}))?\s+$", re.IGNORECASE)


@cache
def _months() -> Mapping[str, int]:
    return {**month_words(*_LANGUAGES), **short_months("en", "es")}


def _any_word(kind: str) -> str:
    return any_of(word_places(_TABLE, kind))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    months = any_of(_months())
    one, *more = (count.pattern for count in _counts())
    several = rf"\d{{1,3}}|{'|'.join(more)}"
    unit = "|".join(cues(_TABLE, kind).pattern for kind in ("day", "week"))
    within, ago, before = (cues(_TABLE, kind).pattern for kind in ("in", "ago", "before_ago"))
    sources = {
        "iso": r"\b(\d{4})-(\d\d)-(\d\d)\b",
        "full": rf"\b(?:(?P<m1>{months})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?|"
        r"(?P<d2>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
        rf"\s+(?:of\s+|de\s+)?(?P<m2>{months}))\b(?:,?\s+(?:de\s+)?(?P<year>20\d\d))?",
        "weekday": rf"(?<!\w)(?P<last>last\s+)?(?:next\s+|this\s+)?(?P<weekday>{_any_word('weekday')})(?![\w-])"
        r"(?!\s+(?:mornings|afternoons|evenings|nights))",
        "short weekday": rf"(?<!\w)(?:(?P<last>last)|next|this|on|by|until)\s+(?P<weekday>{_any_word('short')})"
        r"(?![\w'-])",
        "days": rf"(?:{within})\s+({several})\s+({unit})",
        "ago": rf"(?P<c1>{several}|{one})\s+(?P<u1>{unit})\s+(?:{ago})|"
        rf"(?:{before})\s+(?P<c2>{several}|{one})\s+(?P<u2>{unit})",
    }
    near = ("today", "tomorrow", "yesterday", "week_end", "month_end", "next_week")
    compiled = {name: regex(source, re.IGNORECASE) for name, source in sources.items()}
    return compiled | {name: cues(_TABLE, name) for name in near}
