"""Dates as people write them in notes and file names, where they can be read in one way only.

A month or a year names a period; a number that is part of a version names nothing. Of ``04/05/2024`` only what else is
known of the writer says which is the month: see ``Order``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Literal, NamedTuple

from hearth.core import instants
from hearth.core.lazy import regex
from hearth.text.calendar import month_words, short_months

Order = Literal["day", "month"]
"""What people write first where they write day and month as numbers with slashes or hyphens between."""


class WrittenDate(NamedTuple):
    """A date that stands in a text from ``start`` to ``end``: ``first`` is its day, or the first day of its ``period``
    (``2024-03``, ``2024-W14``, ``2024``; else empty)."""

    start: int
    end: int
    first: date
    period: str = ""

    @property
    def at(self) -> int:
        """12:00 UTC of the day."""
        return instants.noon(self.first)


_MONTHS = {**month_words(), **short_months()}
_MONTH = "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True))
# Short forms of other languages are words of English: "rolled out 2024".
_PLAIN_MONTH = "|".join(sorted({*month_words(), *short_months("en")}, key=len, reverse=True))
_YEAR = r"((?:19|20)\d{2})"
_END = r"(?![\d/]|[.:-]\d)"
# A year, month and day that stand together, with one mark or none between them; or with a time behind.
_NUMBERS = regex(rf"(?<![\d.:/])(?<!\d-){_YEAR}([-_./]?)(\d{{2}})\2(\d{{2}}){_END}")
_LOOSE = regex(rf"(?<![\d.:/])(?<!\d-){_YEAR}([-/])(\d{{1,2}})\2(\d{{1,2}}){_END}")
_STAMP = regex(rf"(?<!\d){_YEAR}(\d\d)(\d\d)T?([01]\d|2[0-3])([0-5]\d)(?:[0-5]\d)?(?!\d)")
_DOTTED = regex(r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\. ?((?:19|20)?\d{2})(?!\d|\.\d)")
# What begins with a digit is written so: a search then looks for digits, and not at what stands before each character.
_PARTED = regex(r"(\d(?<![\d./]\d)(?<!\d-\d)\d?)([/-])(\d{1,2})\2((?:19|20)\d{2})(?![\d/]|-\d)")
_SHORT_YEAR = regex(r"(\d(?<![\d./]\d)(?<!\d-\d)\d?)/(\d{1,2})/(\d{2})(?![\d/]|-\d)")
# Whatever ``_PARTED`` or ``_SHORT_YEAR`` may find, and more.
_MAYBE_PARTED = regex(r"\d(?<!\d\d)\d?[/-]\d{1,2}[/-]\d\d")
_DAY_FIRST = regex(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?:[ -]| de | of )({_MONTH})\.?,?(?:[ -]| del? | г\. )?{_YEAR}(?!\d)",
    re.IGNORECASE,
)
_DAY_OF_YEAR = regex(
    rf"(?<!\w)(?:(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"|(?P<day_first>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: | de | of )(?P<month_then>{_MONTH}))(?![\w/]|[.:,-]? ?\d)",
    re.IGNORECASE,
)
# Several days: the first of them.
_DAYS_FIRST = regex(
    rf"(?<![\d.-])(\d{{1,2}})\.?(?: ?[-–/&] ?| to | bis | au )\d{{1,2}}(?:st|nd|rd|th|\.)?"
    rf"(?: | de | of )({_MONTH})\.?,? {_YEAR}(?!\d)",
    re.IGNORECASE,
)
_MONTH_DAYS = regex(
    rf"(?<!\w)({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?: ?[-–/&] ?| to )\d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR}(?!\d)",
    re.IGNORECASE,
)
_SHORT_DAY = regex(rf"(?<![\w-])(\d{{1,2}})-({_MONTH})-(\d{{2}})(?![\w-])", re.IGNORECASE)
_SPACED = regex(rf"(?<![\d.]){_YEAR}\. (\d{{1,2}})\. (\d{{1,2}})(?!\d)")
_MONTH_FIRST = regex(rf"(?<!\w)({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}(?!\d)", re.IGNORECASE)
_CHARACTERS = regex(rf"(?<!\d){_YEAR} ?[年년] ?(\d{{1,2}}) ?[月월] ?(\d{{1,2}}) ?[日일]")
_ERA = regex(r"(令和|平成|昭和)(\d{1,2}|元)年(\d{1,2})月(\d{1,2})日")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_WEEK = regex(rf"(?<![\d.])(?<!\d-){_YEAR}-?W(\d{{2}})(?:-?([1-7]))?(?!\d)", re.IGNORECASE)
_WEEK_NAMED = regex(
    rf"(?<!\w)(?:week|kw|cw|woche|kalenderwoche|semaine|semana|settimana|uke|vecka|uge) ?(\d{{1,2}})"
    rf"(?:,| of|/|[ -])+ ?{_YEAR}(?!\d)",
    re.IGNORECASE,
)
_YEAR_MONTH = regex(rf"(?<![\d.:/])(?<!\d-){_YEAR}[-/](0[1-9]|1[0-2])(?![\d/-]|\.\d)")
_MONTH_YEAR = regex(
    rf"(?<![\w/.-])(?:({_PLAIN_MONTH})(?:(?:\.|,)?(?: de| del)? |[-_]){_YEAR}|(0[1-9]|1[0-2])/{_YEAR})(?![\d/]|-\d)",
    re.IGNORECASE,
)
# As files and headings are called: "2021-january", "2021 January"; in a sentence "2021 may" says something else.
_YEAR_FIRST = regex(rf"(?<![\w./:-]){_YEAR}[-_ ]({_PLAIN_MONTH})(?=\W*$)", re.IGNORECASE)
_CHARACTERS_MONTH = regex(rf"(?<!\d){_YEAR} ?[年년] ?(\d{{1,2}}) ?[月월](?! ?\d)")
_WEEK_NUMBER = regex(rf"{_YEAR}[-_ ](\d{{1,2}})")
# What stands in every date: most texts have none, and the patterns are many.
_HINT = regex(r"[\d令平昭](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=\d)(?:[./] ?\d|-[^\W\d_])|(?<=令)和|(?<=平)成|(?<=昭)和)")
_VERSION = regex(
    r"(?:(?<!\w)(?:v|ver|vers|version|versión|versione|release|build|tag|rev|draft)[. :=-]*|[=<>~^@])$", re.IGNORECASE
)
_VERSION_CHARS = 12
_QUOTES = "\"'[]<>()*_` "
# Milliseconds or seconds since 1970, as some apps write them.
_EPOCH = regex(r"1[0-9]{9}(?:[0-9]{3})?")
_BARE_YEAR = regex(_YEAR)
# A path such as journal/2024/03/05.
_PATH_DAY = regex(rf"(?:^|/){_YEAR}/(?:{_YEAR}-)?(\d{{2}})/(?:{_YEAR}-\d{{2}}-)?(\d{{2}})(?!\d)")
# Day and month alone, below a folder that is a year: journal/2024/meeting-03-25.
_PATH_YEAR = regex(rf"(?:^|/){_YEAR}/(?:[^/]+/)*(?:[^/]*[^\d/.])?(\d{{1,2}})([-_])(\d{{1,2}})(?![\d.])[^\d/]*$")
# A month, or a day of one, as the name of a file below a folder that is a year: journal/2024/03-march, 2024/12-may.
_PATH_MONTH = regex(rf"(?:^|/){_YEAR}/(?:(\d{{1,2}})[-_. ]+)?({_PLAIN_MONTH})$", re.IGNORECASE)
# A weekday may stand before a date.
_LEAD = len("wednesday, the ")
_TURN = 70


def month_of(name: str) -> int | None:
    """The number of a month, 1 to 12, by its name or what is usual for short."""
    return _MONTHS.get(name.strip(". ").lower())


def find_dates(text: str, order: Order | None = None, *, periods: bool = False) -> list[WrittenDate]:
    """The dates in a text, in their order; of what is ambiguous none without an ``order``. ``periods`` finds months and
    weeks, too."""
    found: list[WrittenDate] = []
    if _HINT.search(text) is None:
        return found
    for one in sorted(_find(text, order, periods=periods), key=lambda one: (one.start, -one.end)):
        if (not found or one.start >= found[-1].end) and not _VERSION.search(
            text, max(0, one.start - _VERSION_CHARS), one.start
        ):
            found.append(one)
    return found


def find_order(text: str) -> Order | None:
    """What the unambiguous dates of a text put first; nothing where they differ or there are none."""
    found: set[Order] = set()
    for match in _PARTED.finditer(text):
        first, second = int(match[1]), int(match[3])
        if 12 < first <= 31 and second <= 12:
            found.add("day")
        elif 12 < second <= 31 and first <= 12:
            found.add("month")
    return found.pop() if len(found) == 1 else None


def read_date(text: str, order: Order | None = None) -> tuple[int, str] | None:
    """The date, instant or period that a value is or begins with, as people write them: ms UTC, and the period. The
    day is that of a stamp's own offset."""
    text = text.strip().strip(_QUOTES)
    moment = _read_instant(text)
    if moment is not None:
        return moment, ""
    if _EPOCH.fullmatch(text):
        return int(text) * (1 if len(text) > 10 else 1000), ""
    if _BARE_YEAR.fullmatch(text):
        return instants.noon(date(int(text), 1, 1)), text
    first = next(iter(find_dates(text, order, periods=True)), None)
    if first is None or first.start > _LEAD:
        return None
    return first.at, first.period


def only_date(text: str, order: Order | None = None, *, periods: bool = False) -> WrittenDate | None:
    """The date in a text that names one and no other."""
    found = find_dates(text, order, periods=periods)
    return found[0] if len({one.first for one in found}) == 1 else None


def read_day_of_year(text: str, year: int) -> WrittenDate | None:
    """The only day and month that a text names without a year, as one of this year."""
    found = set[date]()
    for match in _DAY_OF_YEAR.finditer(text):
        month = _MONTHS[(match["month"] or match["month_then"]).lower()]
        try:
            found.add(date(year, month, int(match["day"] or match["day_first"])))
        except ValueError:
            return None
    return WrittenDate(0, len(text), found.pop()) if len(found) == 1 else None


def date_of_name(path: str, order: Order | None = None) -> WrittenDate | None:
    """The date that a file's name starts with, else the only one in it, else that of its folders."""
    name = path.rsplit("/", 1)[-1]
    found = find_dates(name, order, periods=True)
    if found and found[0].start == 0:
        return found[0]
    days = [one for one in found if not one.period] or found
    if len({one.first for one in days}) == 1:
        return days[0]
    if found:
        return None
    if below := _PATH_DAY.search(path):
        return _on(below, "", int(below[1]), int(below[3]), int(below[5]))
    if named := _PATH_MONTH.search(path):
        month = _MONTHS[named[3].lower()]
        is_day = named[2] and int(named[2]) != month
        return _on(named, "", int(named[1]), month, int(named[2])) if is_day else _month(named, named[1], month)
    year = _PATH_YEAR.search(path)
    return None if year is None else _parted(year, order, int(year[2]), int(year[4]), year[1])


def week_of_name(path: str) -> WrittenDate | None:
    """The week that a weekly note is called by: 2024-07 is no month there."""
    found = _WEEK_NUMBER.fullmatch(path.rsplit("/", 1)[-1])
    try:
        return None if found is None else _week(found, found[1], f"{found[2]:0>2}", None)
    except ValueError:
        return None


def _read_instant(text: str) -> int | None:
    """The day is kept where the offset moves the instant into another one."""
    found = instants.parse_written(text)
    if found is None or instants.show_date(found) == text[:10]:
        return found
    return instants.parse(text[:10], hour=instants.NOON)


def may_be_ambiguous(text: str, path: str) -> bool:
    """Whether a text or a path may hold a date that is read by what else is known of the writer."""
    return _MAYBE_PARTED.search(text) is not None or _PATH_YEAR.search(path) is not None


def _find(text: str, order: Order | None, *, periods: bool) -> Iterator[WrittenDate]:
    forms: tuple[tuple[re.Pattern[str], _Reader], ...] = _YEARLESS
    if _BARE_YEAR.search(text):
        forms = (*_FORMS, *_PERIODS) if periods else _FORMS
    for pattern, read in forms:
        for match in pattern.finditer(text):
            try:
                found = read(match, order)
            except ValueError:
                continue
            if found is not None:
                yield found


def _on(match: re.Match[str], period: str, year: int, month: int, day: int) -> WrittenDate | None:
    try:
        return WrittenDate(match.start(), match.end(), date(year, month, day), period)
    except ValueError:
        return None


def _year(digits: str) -> int:
    if len(digits) > 2:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _TURN else 2000)


def _parted(match: re.Match[str], order: Order | None, first: int, second: int, year: str) -> WrittenDate | None:
    """Day and month as numbers: a number over 12 says which is which."""
    if first > 12 or second > 12 or first == second:
        order = "day" if first > 12 or first == second else "month"
    if order is None:
        return None
    day, month = (first, second) if order == "day" else (second, first)
    return _on(match, "", _year(year), month, day)


def _era(match: re.Match[str]) -> WrittenDate | None:
    year = _ERAS[match[1]] + (1 if match[2] == "元" else int(match[2]))
    return _on(match, "", year, int(match[3]), int(match[4]))


def _week(match: re.Match[str], year: str, week: str, day: str | None) -> WrittenDate | None:
    first = date.fromisocalendar(int(year), int(week), int(day or 1))
    return WrittenDate(match.start(), match.end(), first, "" if day else f"{year}-W{int(week):02}")


def _month(match: re.Match[str], year: str, month: int) -> WrittenDate | None:
    return _on(match, f"{year}-{month:02}", int(year), month, 1)


_Reader = Callable[[re.Match[str], Order | None], WrittenDate | None]
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_NUMBERS, lambda m, order: _on(m, "", int(m[1]), int(m[3]), int(m[4]))),
    (_LOOSE, lambda m, order: _on(m, "", int(m[1]), int(m[3]), int(m[4]))),
    (_STAMP, lambda m, order: _on(m, "", int(m[1]), int(m[2]), int(m[3]))),
    (_DOTTED, lambda m, order: _on(m, "", _year(m[3]), int(m[2]), int(m[1]))),
    (_PARTED, lambda m, order: _parted(m, order, int(m[1]), int(m[3]), m[4])),
    (_SHORT_YEAR, lambda m, order: _parted(m, order, int(m[1]), int(m[2]), m[3])),
    (_DAY_FIRST, lambda m, order: _on(m, "", int(m[3]), _MONTHS[m[2].lower()], int(m[1]))),
    (_DAYS_FIRST, lambda m, order: _on(m, "", int(m[3]), _MONTHS[m[2].lower()], int(m[1]))),
    (_MONTH_DAYS, lambda m, order: _on(m, "", int(m[3]), _MONTHS[m[1].lower()], int(m[2]))),
    (_SHORT_DAY, lambda m, order: _on(m, "", _year(m[3]), _MONTHS[m[2].lower()], int(m[1]))),
    (_SPACED, lambda m, order: _on(m, "", int(m[1]), int(m[2]), int(m[3]))),
    (_MONTH_FIRST, lambda m, order: _on(m, "", int(m[3]), _MONTHS[m[1].lower()], int(m[2]))),
    (_CHARACTERS, lambda m, order: _on(m, "", int(m[1]), int(m[2]), int(m[3]))),
    (_ERA, lambda m, order: _era(m)),
)
# Those that need no year of four digits, which most texts lack.
_YEARLESS = tuple(form for form in _FORMS if form[0] in (_DOTTED, _SHORT_YEAR, _SHORT_DAY, _ERA))
_PERIODS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_WEEK, lambda m, order: _week(m, m[1], m[2], m[3])),
    (_WEEK_NAMED, lambda m, order: _week(m, m[2], m[1], None)),
    (_YEAR_MONTH, lambda m, order: _month(m, m[1], int(m[2]))),
    (_MONTH_YEAR, lambda m, order: _month(m, m[2] or m[4], _MONTHS[m[1].lower()] if m[1] else int(m[3]))),
    (_YEAR_FIRST, lambda m, order: _month(m, m[1], _MONTHS[m[2].lower()])),
    (_CHARACTERS_MONTH, lambda m, order: _month(m, m[1], int(m[2]))),
)
