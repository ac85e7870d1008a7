"""Days, weeks, months and years as ranges of local dates, and rules that find phrases naming them. One grammar for
German, French, Italian, Portuguese, Dutch, Russian and Swedish, with the words in ``data/times.toml``; English and
Spanish, which say more, stand in ``time_expressions``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from hearth.core.lazy import dataclass, regex
from hearth.text.words import load

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


_YEAR = r"(?P<year>(?:19|20)\d\d)(?![-/.]?\d)"
_UNITS = ("day", "week", "month", "year", "hour")
_NEVER = "(?!)"


@dataclass(frozen=True, slots=True)
class Tongue:
    """The words of one language, as ``data/times.toml`` explains them."""

    days: Mapping[str, int]
    months: str
    weekdays: str
    numbers: str
    units: str
    this: str
    ago: str
    in_month: str
    last: str = _NEVER
    next: str = _NEVER
    on_day: str = _NEVER
    after_last: str = _NEVER
    after_next: str = _NEVER
    of: str = ""
    one_ago: bool = False
    also: Sequence[Mapping[str, Any]] = ()


@cache
def _tongues() -> tuple[Tongue, ...]:
    return tuple(Tongue(**words) for words in load("text/times")["language"].values())


def _forms(words: str, first: int = 0) -> dict[str, int]:
    return {form: n for n, word in enumerate(words.split(), first) for form in word.split("/") if form != "-"}


def _read_forms(name: str, languages: Sequence[str], first: int) -> dict[str, int]:
    """Those of some languages, of all where none is named; English first."""
    table = load("text/times")
    listed = {
        **table[name],
        **{language: words[name] for language, words in table["language"].items() if name in words},
    }
    return {word: number for one in languages or listed for word, number in _forms(listed[one], first).items()}


@cache
def month_words(*languages: str) -> Mapping[str, int]:
    """Words for months in these languages, or in all -> 1 to 12."""
    return _read_forms("months", languages, 1)


@cache
def short_months(*languages: str) -> Mapping[str, int]:
    """What is usual for short in these languages, or in all ("other" are those without a key) -> 1 to 12."""
    return _read_forms("short_months", languages, 1)


@cache
def weekday_words(*languages: str) -> Mapping[str, int]:
    """Words for weekdays in these languages, or in all -> 0 to 6, from Monday."""
    return _read_forms("weekdays", languages, 0)


@cache
def month_names() -> tuple[str, ...]:
    """In English, as they are written in a sentence."""
    return tuple(word.capitalize() for word in month_words("en"))


@cache
def tongue_rules() -> tuple[PhraseRule, ...]:
    """Of all these languages."""
    return tuple(rule for tongue in _tongues() for rule in _rules(tongue))


def _rule_of(word: str, pattern: str, days: int = 0, years: int = 0) -> PhraseRule:
    if years:
        return make_rule(word, pattern, lambda found, now: period("year", now.date(), years))
    return make_rule(word, pattern, lambda found, now: day(now.date() + days * DAY))


def _rules(tongue: Tongue) -> Iterator[PhraseRule]:
    weekdays, units, months = _forms(tongue.weekdays), _forms(tongue.units), _forms(tongue.months, 1)
    numbers = _forms(tongue.numbers, 1)

    def read_day(found: re.Match[str], now: datetime) -> Found:
        return day(now.date() + tongue.days[found[0]] * DAY)

    def read_ago(found: re.Match[str], now: datetime) -> Found:
        number = next(filter(None, (found[name] for name in ("n", "n2") if name in found.re.groupindex)), "1")
        unit = next(filter(None, (found[name] for name in ("unit", "unit2") if name in found.re.groupindex)))
        return away(_UNITS[units[unit]], -(int(number) if number.isdigit() else numbers[number]), now)

    def read_period(found: re.Match[str], now: datetime) -> Found:
        return period(_UNITS[units[found["unit"] or found["unit_before"]]], now.date(), _shift(found) or 0)

    def read_weekday(found: re.Match[str], now: datetime) -> Found:
        shift = _shift(found)
        if shift is None and not found["on"]:
            raise ValueError("a day of every week")
        return weekday(weekdays[found["day"]], now.date(), shift)

    def read_month(found: re.Match[str], now: datetime) -> Found:
        number = months[found["month"] or found["month_alone"]]
        year = found["year"] or found["year_alone"]
        return month(int(year), number) if year else latest_month(number, now.date())

    def read_date(found: re.Match[str], now: datetime) -> Found:
        year = int(found["year"]) if found["year"] else None
        return day_of_month(months[found["month"]], int(found["day"]), year, now.date())

    yield from (_rule_of(**one) for one in tongue.also)
    before = f"(?P<last>{tongue.last})|(?P<this>{tongue.this})|(?P<next>{tongue.next})"
    after = f"(?P<after_last>{tongue.after_last})|(?P<after_next>{tongue.after_next})"
    unit = "(?:{})".format(any_of(form for form, n in units.items() if _UNITS[n] in ("week", "month", "year")))
    name, named = any_of(months), any_of(weekdays)
    year = f"(?:,? {tongue.of}{_YEAR})?"
    yield make_rule(_triggers(tongue.days), any_of(map(re.escape, tongue.days)), read_day)
    yield make_rule(" ".join(units), _count(tongue, any_of(numbers), any_of(units)), read_ago)
    yield make_rule(" ".join(units), f"(?:{before}) ?(?P<unit>{unit})|(?P<unit_before>{unit}) (?:{after})", read_period)
    on_day = rf"(?:(?:{before}|(?P<on>{tongue.on_day})) )?(?P<day>{named})(?: (?:{after}))?"
    yield make_rule(" ".join(weekdays), on_day, read_weekday)
    alone = rf"(?P<month_alone>{name}) {tongue.of}{_YEAR.replace('year', 'year_alone')}"
    yield make_rule(" ".join(months), rf"(?:{tongue.in_month}) (?P<month>{name}){year}|{alone}", read_month)
    number = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:\.|er|º|°)?"
    yield make_rule(" ".join(months), rf"{number} {tongue.of}(?P<month>{name}){year}", read_date)


def _triggers(days: Mapping[str, int]) -> str:
    """The last word of each phrase: those before it are common."""
    return " ".join(re.findall(r"\w+", phrase)[-1] for phrase in days)


def _count(tongue: Tongue, numbers: str, units: str) -> str:
    number = rf"(?P<n>\d{{1,4}}|{numbers}) "
    first = rf"{f'(?:{number})?' if tongue.one_ago else number}(?P<unit>{units})"
    again = first.replace("<n>", "<n2>").replace("<unit>", "<unit2>")
    head, *more = tongue.ago.split("|N")
    return "|".join([head.replace("N", first), *(again + rest for rest in more)])


def _shift(found: re.Match[str]) -> int | None:
    if found["last"] or found["after_last"]:
        return -1
    if found["next"] or found["after_next"]:
        return 1
    return 0 if found["this"] else None
