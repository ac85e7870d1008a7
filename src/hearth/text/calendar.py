"""Days, weeks, months and years as ranges of local dates, and rules that find phrases naming them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from functools import cache

from hearth.core.lazy import dataclass, regex

DAY = timedelta(days=1)
# Of a day of the month without a year the latest is meant; 29 February may lie so many years back.
_YEARS_BACK = 9


@dataclass(frozen=True, slots=True)
class Days:
    """Half-open range of local dates; ``exact`` is false where people round ("three weeks ago")."""

    first: date
    end: date
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Hours:
    """Half-open range of instants, less than a day."""

    start: datetime
    end: datetime
    exact: bool = False


Found = Days | Hours


def day(first: date, count: int = 1) -> Days:
    return Days(first, first + count * DAY)


def month(year: int, number: int, count: int = 1) -> Days:
    """``number`` may lie outside 1..12 and carries into the year."""
    first, last = year * 12 + number - 1, year * 12 + number - 1 + count
    return Days(date(first // 12, first % 12 + 1, 1), date(last // 12, last % 12 + 1, 1))


def week(today: date, shift: int) -> Days:
    return day(today - today.weekday() * DAY + 7 * shift * DAY, 7)


def period(unit: str, today: date, shift: int) -> Days:
    """The week, month or year that lies ``shift`` of them from the present one."""
    if unit == "week":
        return week(today, shift)
    if unit == "month":
        return month(today.year, today.month + shift)
    return month(today.year + shift, 1, 12)


def away(unit: str, count: int, now: datetime, *, rounded: bool = False) -> Found:
    """So many units from now: minutes and hours about that moment, a day exactly, weeks, months and years loosely."""
    if unit in ("minute", "hour"):
        step = timedelta(minutes=1) if unit == "minute" else timedelta(hours=1)
        there = now + count * step
        return Hours(there - step / 2, there + step / 2)
    today = now.date()
    if unit == "day":
        that = today + count * DAY
        return Days(that - 2 * DAY, that + 3 * DAY, False) if rounded else day(that)
    if unit == "week":
        that = today + 7 * count * DAY
        return Days(that - 3 * DAY, that + 4 * DAY, False)
    span = period(unit, today, count)
    return Days(span.first, span.end, False)


def weekday(wanted: int, today: date, shift: int | None) -> Days:
    """That day of the week (0 is Monday): of this week for a ``shift`` of 0, the last one before today for -1, the
    next one after it for 1, else the latest one."""
    back = (today.weekday() - wanted) % 7
    if shift == 1:
        return day(today + (7 - back) * DAY)
    if shift == 0:
        return day(week(today, 0).first + wanted * DAY)
    return day(today - ((back or 7) if shift == -1 else back) * DAY)


def weekend(today: date, shift: int | None) -> Days:
    saturday = week(today, 0).first + 5 * DAY
    if shift == -1:
        return day(saturday - 7 * DAY, 2)
    if shift == 1:
        return day(saturday + 7 * DAY if today >= saturday else saturday, 2)
    return day(saturday if shift == 0 or today >= saturday else saturday - 7 * DAY, 2)


def latest_month(number: int, today: date) -> Days:
    """The latest such month that had begun."""
    return month(today.year - (number > today.month), number)


def day_of_month(number: int, of_month: int, year: int | None, today: date) -> Days:
    """That day; without a year the latest that was not after today. Raises ``ValueError`` where there is none."""
    if year is not None:
        return day(date(year, number, of_month))
    for candidate in range(today.year, today.year - _YEARS_BACK, -1):
        if of_month <= (month(candidate, number).end - DAY).day and date(candidate, number, of_month) <= today:
            return day(date(candidate, number, of_month))
    raise ValueError(f"no day {of_month} in month {number}")


Reader = Callable[[re.Match[str], datetime], Found]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """``read`` raises ``ValueError`` or ``OverflowError`` for a date that there is not."""

    triggers: frozenset[str]
    phrase: str
    read: Reader

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compile(self.phrase)


def make_rule(triggers: str, phrase: str, read: Reader) -> PhraseRule:
    """``triggers`` are words, apart by spaces; ``phrase`` is a pattern for whole words."""
    return PhraseRule(frozenset(triggers.split()), rf"(?<!\w)(?:{phrase})(?!\w)", read)


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))


@cache
def _compile(phrase: str) -> re.Pattern[str]:
    return regex(phrase)
