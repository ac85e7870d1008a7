"""The times that a question names, and what it asks of them. The grammar of dates in English and Spanish, and all
rules together: which phrase names which days."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from hearth.core import instants
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass, regex
from hearth.text.calendar import (
    DAY,
    Days,
    Found,
    Hours,
    PhraseRule,
    any_of,
    away,
    day,
    day_of_month,
    latest_month,
    make_rule,
    month,
    month_names,
    month_words,
    period,
    short_months,
    tongue_rules,
    weekday,
    weekday_words,
    weekend,
)
from hearth.text.language import fold, is_stop_word, stop_words
from hearth.text.words import cues, word_set
from hearth.text.written_dates import find_dates

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


_NUMBER_WORDS = (
    "a an one un una uno|two dos|three tres|four cuatro|five cinco|six seis|seven siete|eight ocho|nine nueve"
    "|ten diez|eleven once|twelve doce"
)


def _number(groups: str, first: int) -> dict[str, int]:
    return {word: n for n, group in enumerate(groups.split("|"), first) for word in group.split()}


MONTHS = {**month_words("en", "es"), **short_months("en")}
WEEKDAYS = weekday_words("en", "es")
NUMBERS = _number(_NUMBER_WORDS, 1)
_UNITS = {
    word: unit
    for unit, words in {
        "minute": "minute minutes minuto minutos",
        "hour": "hour hours hora horas",
        "day": "day days día días dia dias",
        "week": "week weeks semana semanas",
        "month": "month months mes meses",
        "year": "year years año años",
    }.items()
    for word in words.split()
}


_DAY_WORDS = {
    "today": 0, "hoy": 0, "yesterday": -1, "ayer": -1, "antier": -2, "anteayer": -2, "antes de ayer": -2,
    "day before yesterday": -2, "tomorrow": 1, "mañana": 1, "day after tomorrow": 2, "pasado mañana": 2,
}  # fmt: skip


def _day_word(found: re.Match[str], now: datetime) -> Found:
    return day(now.date() + _DAY_WORDS[found["word"]] * DAY)


# start hour and end hour relative to the local midnight of today
_DAY_PARTS = {
    "last night": (-6, 6), "anoche": (-6, 6), "tonight": (18, 30), "this morning": (4, 12), "esta mañana": (4, 12),
    "this afternoon": (12, 18), "esta tarde": (12, 20), "this evening": (18, 24), "esta noche": (18, 30),
}  # fmt: skip


def _day_part(found: re.Match[str], now: datetime) -> Found:
    midnight = datetime.combine(now.date(), time(), now.tzinfo)
    first, last = (midnight + hours * timedelta(hours=1) for hours in _DAY_PARTS[found[0]])
    return Hours(first, last)


_SHIFTS = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}
_SHIFTS |= {"pasado": -1, "pasada": -1, "anterior": -1, "próximo": 1, "próxima": 1, "proximo": 1, "proxima": 1}
_SHIFTS |= {
    "este": 0,
    "esta": 0,
    "que viene": 1,
    "último": -1,
    "última": -1,
    "ultimo": -1,
    "ultima": -1,
    "siguiente": 1,
}


def _relative(found: re.Match[str], now: datetime) -> Found:
    shift = _SHIFTS[found["before"] or found["after"]]
    return period(_UNITS[found["unit"]], now.date(), shift)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word]


def _ago(found: re.Match[str], now: datetime) -> Found:
    unit, sign = _UNITS[found["unit"]], 1 if found.re.groupindex.get("ahead") else -1
    vague, few = found["vague"], found["few"]
    count = 2 if few == "couple" or few == "par" else 3 if vague else _count(found["n"])
    return away(unit, sign * count, now, rounded=bool(vague or few))


def _past(found: re.Match[str], now: datetime) -> Found:
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[_UNITS[found["unit"]]] * _count(found["n"] or "one")
    return Days(now.date() - days * DAY, now.date() + DAY, False)


def _weekday(found: re.Match[str], now: datetime) -> Found:
    return weekday(WEEKDAYS[found["day"]], now.date(), _SHIFTS.get(found["before"] or found["after"] or ""))


def _weekend(found: re.Match[str], now: datetime) -> Found:
    return weekend(now.date(), _SHIFTS.get(found["before"] or found["after"] or ""))


def _month_name(found: re.Match[str], now: datetime) -> Found:
    number, today = MONTHS[found["month"]], now.date()
    if found["year"]:
        return month(int(found["year"]), number)
    shift = _SHIFTS.get(found["before"] or found["after"] or "")
    if shift == 0:
        return month(today.year, number)
    latest = latest_month(number, today - timedelta(days=today.day) if shift == -1 else today)
    return month(latest.first.year + (shift == 1), number)


def _month_day(found: re.Match[str], now: datetime) -> Found:
    year = int(found["year"]) if found["year"] else None
    return day_of_month(MONTHS[found["month"]], int(found["day"]), year, now.date())


def _numbers(found: re.Match[str], now: datetime) -> Found:
    """Dates in numbers, as notes have them: 2026-11-21, 2026-11, 2026-W47, 21.11.2026; day first, unless that can't
    be."""
    one = next(iter(find_dates(found[0], "day", periods=True)), None)
    if one is None or (one.start, one.end) != (0, len(found[0])):
        raise ValueError("no date")
    if "W" in one.period:
        return day(one.first, 7)
    return month(one.first.year, one.first.month) if one.period else day(one.first)


_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "primer": 1, "segundo": 2, "tercer": 3, "cuarto": 4}


def _quarter(found: re.Match[str], now: datetime) -> Found:
    number = int(found["n"]) if found["n"] else _ORDINALS[found["word"]]
    year = found["year"] or found["year_before"]
    if year:
        return month(int(year), 3 * number - 2, 3)
    return month(now.year - (3 * number - 2 > now.month), 3 * number - 2, 3)


def _year(found: re.Match[str], now: datetime) -> Found:
    return month(int(found["year"]), 1, 12)


_AGO_UNITS = "minutes?|hours?|days?|weeks?|months?|years?"
_HACE_UNITS = "minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?"
_N = rf"(?P<n>\d{{1,4}}|{any_of(NUMBERS)})"
_BEFORE_EN = "(?P<before>last|previous|this|current|next|coming)"
_BEFORE_ES = "(?P<before>est[ea]|pr[oó]xim[oa]|[úu]ltim[oa])"
_AFTER_ES = "(?P<after>pasad[oa]|anterior|que viene|pr[oó]xim[oa]|siguiente)"
_NO_BEFORE, _NO_AFTER = "(?P<before>)", "(?P<after>)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF_YEAR = rf"(?:,? (?:of |in |de |del )?{_YEAR}(?![-/]?\d))?"


def _single_days() -> tuple[PhraseRule, ...]:
    words = "today|hoy|yesterday|ayer|antier|anteayer|tomorrow"
    parts = "night anoche tonight morning mañana afternoon tarde evening noche"
    not_morning = r"(?<!\bla )(?<!\besta )(?<!\buna )(?<!\bcada )"
    return (
        make_rule("antes", "(?P<word>antes de ayer)", _day_word),
        make_rule("yesterday tomorrow", "(?:the )?(?P<word>day (?:before yesterday|after tomorrow))", _day_word),
        make_rule(words.replace("|", " "), f"(?P<word>{words})", _day_word),
        make_rule("mañana", f"{not_morning}(?P<word>pasado mañana|mañana)", _day_word),
        make_rule(parts, "|".join(_DAY_PARTS), _day_part),
    )


def _build_counted() -> tuple[PhraseRule, ...]:
    vague_en, couple = "(?P<vague>(?:a )?few|several|some)", "(?:a )?(?P<few>couple)(?: of)?"
    vague_es, par = "(?P<vague>un[oa]s(?: pocos| cuantos)?|algun[oa]s|poc[oa]s)", "un (?P<few>par) de"
    unit_en, unit_es = f"(?P<unit>{_AGO_UNITS})", f"(?P<unit>{_HACE_UNITS})"
    units = " ".join(_UNITS)
    return (
        make_rule("ago", f"(?:{_N}|{vague_en}|{couple}) {unit_en} ago", _ago),
        make_rule("hace", f"hace (?:{_N}|{vague_es}|{par}) {unit_es}", _ago),
        make_rule("in", f"(?P<ahead>in) (?:{_N}|{vague_en}|{couple}) {unit_en}", _ago),
        make_rule("en dentro", f"(?P<ahead>en|dentro de) (?:{_N}|{vague_es}|{par}) {unit_es}", _ago),
        make_rule(units, f"(?:the )?(?:last|past) (?:{_N} )?(?P<unit>days?|weeks|months|years)", _past),
        make_rule(units, "(?:the )?past(?P<n>) (?P<unit>week|month|year)", _past),
        make_rule(units, f"(?:l[oa]s )?[úu]ltim[oa]s {_N} (?P<unit>d[ií]as?|semanas?|mes(?:es)?|años?)", _past),
    )


def _relative_periods() -> tuple[PhraseRule, ...]:
    units, weekdays = " ".join(_UNITS), " ".join(WEEKDAYS)
    english = "(?P<day>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    spanish = "(?P<day>lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo)"
    return (
        make_rule(units, f"{_BEFORE_EN}{_NO_AFTER} (?P<unit>week|month|year)", _relative),
        make_rule(units, f"(?:(?:la|el) )?(?P<unit>semana|mes|año) {_AFTER_ES}{_NO_BEFORE}", _relative),
        make_rule(units, f"(?:(?:la|el) )?{_BEFORE_ES}{_NO_AFTER} (?P<unit>semana|mes|año)", _relative),
        make_rule(weekdays, f"(?:on |{_BEFORE_EN} )?{_NO_AFTER}{english}", _weekday),
        make_rule(weekdays, f"(?:el )?{spanish} {_AFTER_ES}{_NO_BEFORE}", _weekday),
        make_rule(weekdays, f"(?:el |este )(?:{_BEFORE_ES} )?{_NO_AFTER}{spanish}", _weekday),
        make_rule("weekend", f"(?:(?:over|on|at) the |{_BEFORE_EN} ){_NO_AFTER}weekend", _weekend),
        make_rule("fin", f"(?:el |{_BEFORE_ES} )fin de semana(?: {_AFTER_ES})?", _weekend),
    )


def _calendar() -> tuple[PhraseRule, ...]:
    words = " ".join(MONTHS)
    name = f"(?P<month>{any_of(MONTHS)})"
    number = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|º)?"
    not_a_day = r"(?! (?:the )?\d{1,2}(?:st|nd|rd|th)?(?!\d))"
    lead = "(?:in|during|since|of|by|until|from|early|late|mid|the month of|en|desde|durante|hasta"
    years = "in|en|during|durante|since|desde|(?:the |in )?year|(?:el )?año"
    first, before = f"(?P<word>{any_of(_ORDINALS)})", r"(?:(?P<year_before>(?:19|20)\d\d) )?"
    years_first = r"(?:19|20)\d\d(?:[-/]\d\d?){1,2}|(?:19|20)\d\d-?w\d\d"
    numbers = rf"{years_first}|\d\d?(?P<sign>[-/.])\d\d?(?P=sign)(?:19|20)\d\d"
    return (
        make_rule(words, f"{lead}|{_BEFORE_EN}) {_NO_AFTER}{name}{not_a_day}{_OF_YEAR}", _month_name),
        make_rule(words, f"{_NO_BEFORE}{_NO_AFTER}{name},? (?:of |de |del )?{_YEAR}", _month_name),
        make_rule(words, f"{_NO_BEFORE}(?:el |mes de )?{name} {_AFTER_ES}(?P<year>)", _month_name),
        make_rule(words, rf"{name}\.? (?:the )?{number}{_OF_YEAR}", _month_day),
        make_rule(words, rf"(?:the |el (?:d[ií]a )?)?{number}(?: of| de)? {name}\.?{_OF_YEAR}", _month_day),
        make_rule("- / .", rf"(?:{numbers})(?![-/.]?\d)", _numbers),
        make_rule("q1 q2 q3 q4", f"{before}q(?P<n>[1-4])(?P<word>){_OF_YEAR}", _quarter),
        make_rule("quarter", f"(?:the )?{first} quarter(?P<n>)(?P<year_before>){_OF_YEAR}", _quarter),
        make_rule("trimestre", f"(?:el )?{first} trimestre(?P<n>)(?P<year_before>){_OF_YEAR}", _quarter),
        make_rule("in en during durante since desde year año", rf"(?:{years}) {_YEAR}(?![-/.,:]?\d)(?! \w+s\b)", _year),
    )


@cache
def rules() -> tuple[PhraseRule, ...]:
    """Of all languages."""
    own = (*_single_days(), *_build_counted(), *_relative_periods(), *_calendar())
    return (*own, *tongue_rules())


_WORD = regex(r"\w+")
# Months that are also verbs or names: a bare capital does not make them a month.
_VERBS = ("March", "May")
_NUMBER_AND_VERB = regex(r"(?:the )?\d+ (?:may|march)")
_MAX_EXPANDED_DAYS = 7
_MAX_TEXT = 10_000
_LEAST_LETTERS = 4
_TABLE = "text/asked_times"
_ARTICLE = r"(?:(?:the|el|la|los|las|de[mnr]|die|das|le|les|il|lo|het|o|a) )?"
_LEAD_CHARS = 24


@cache
def _bare_month() -> re.Pattern[str]:
    sure = "|".join(name for name in month_names() if name not in _VERBS)
    return regex(rf"(?<![\w'-])(?:{sure})(?![\w'-])|(?<=\bthe )(?:{'|'.join(_VERBS)})(?!\w)")


@dataclass(frozen=True, slots=True)
class TimeRange:
    """``start`` and ``end`` are ms UTC, half-open; ``exact`` is false where people round ("three weeks ago"). What is
    asked for lies ``inside``, unless the text says that it was before or after."""

    start: int
    end: int
    phrase: str
    exact: bool
    inside: bool = True


def time_ranges(text: str, at_ms: int, zone: str) -> tuple[TimeRange, ...]:
    """Every date or period that the text names, in order, read at ``at_ms`` (ms UTC) in ``zone`` (an IANA name).

    A month or day without a year is the latest one not after ``at_ms``. Only the first 10,000 characters are read.
    Raises ``UsageError`` for an unknown zone.
    """
    return split_times(text, at_ms, zone)[1]


def may_name_times(text: str) -> bool:
    """Whether it has a digit or a word of times; false alarms are common, and finding out more takes longer."""
    return any(map(str.isdigit, text)) or not _time_words().isdisjoint(_WORD.findall(_lower(text)))


@cache
def _time_words() -> frozenset[str]:
    """The words that call for a rule, but for the shortest, which stand in any text; with those go numbers."""
    return frozenset(word for rule in rules() for word in rule.triggers if len(word) >= _LEAST_LETTERS) | MONTHS.keys()


def split_times(text: str, at_ms: int, zone: str) -> tuple[str, tuple[TimeRange, ...]]:
    """The text without the phrases that name a time, and these as ``time_ranges`` gives them."""
    place = _zone(zone)
    text = normalize("NFC", text)
    tonight = _range(day(instants.moment(at_ms, place).date()), "", place).end
    ranges: list[TimeRange] = []
    rest, at = [], 0
    for start, end, found in _phrases(text, at_ms, place):
        named = _bound_range(_range(found, text[start:end], place), _lower(text[:end]), start, tonight)
        target = _before("to").search(_lower(text[at:start]))
        ranges.append(replace(named, inside=False) if target and (not ranges or target.start() > 1) else named)
        rest.append(text[at:start])
        at = end
    return " ".join((*rest, text[at:])), tuple(ranges)


def _bound_range(named: TimeRange, text: str, start: int, tonight: int) -> TimeRange:
    """What the words before the phrase, or its first one, make of it; ``text`` ends with it."""
    before = text[max(0, start - _LEAD_CHARS) : start]
    if _before("since").search(before) or _first("since").match(text, start):
        return replace(named, end=max(named.end, tonight))
    beside = _before("beside").search(before) or _first("until").match(text, start)
    return replace(named, inside=False) if beside else named


@cache
def _before(kind: str) -> re.Pattern[str]:
    return regex(rf"(?:{cues(_TABLE, kind).pattern}) {_ARTICLE}\Z")


@cache
def _first(kind: str) -> re.Pattern[str]:
    return regex(rf"(?:{cues(_TABLE, kind).pattern})\s")


def date_words(text: str, at_ms: int, zone: str) -> tuple[str, ...]:
    """ISO dates that the text's date words stand for: each day of a range up to a week, ``YYYY-MM`` for a month."""
    words: list[str] = []
    for _, _, found in _phrases(normalize("NFC", text), at_ms, _zone(zone)):
        if isinstance(found, Hours):
            words += (found.start.date().isoformat(), (found.end - timedelta(seconds=1)).date().isoformat())
        elif (found.end - found.first).days <= _MAX_EXPANDED_DAYS:
            words += [(found.first + n * DAY).isoformat() for n in range((found.end - found.first).days)]
        elif found.first.day == 1 and (found.end - found.first).days <= 31:
            words.append(found.first.isoformat()[:7])
    return tuple(dict.fromkeys(words))


def is_recency(text: str) -> bool:
    """Whether the question asks for what is newest ("latest", "where did we leave off", "la última vez")."""
    return cues(_TABLE, "recency").search(_lower(normalize("NFC", text[:_MAX_TEXT]))) is not None


def _zone(name: str) -> ZoneInfo:
    from zoneinfo import ZoneInfo  # costs milliseconds that a query without dates need not pay

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"time zone {name[:80]!r} is unknown; use an IANA name such as Europe/Madrid") from error


def _lower(text: str) -> str:
    """Same length as ``text``: only this letter grows when lowered."""
    return text.replace("\u0130", "I").lower()


def _phrases(text: str, at_ms: int, zone: ZoneInfo) -> list[tuple[int, int, Found]]:
    """Where each phrase stands in the text, and what it names."""
    text = text[:_MAX_TEXT]
    lowered = _lower(text)
    words = frozenset((*_WORD.findall(lowered), *(sign for sign in "-/." if sign in lowered)))
    now = instants.moment(at_ms, zone)
    spans: list[tuple[int, int, Found]] = []
    for rule in rules():
        if rule.triggers.isdisjoint(words):
            continue
        for match in rule.pattern.finditer(lowered):
            if _NUMBER_AND_VERB.fullmatch(text, *match.span()):
                continue
            try:
                found = rule.read(match, now)
            except (ValueError, OverflowError):
                continue  # 31 February, 9999 years ago
            spans.append((*match.span(), found))
    if not words.isdisjoint(MONTHS):
        spans += _bare_months(text, now)
    return _disjoint(spans)


def _bare_months(text: str, now: datetime) -> list[tuple[int, int, Found]]:
    return [
        (*match.span(), latest_month(MONTHS[match[0].lower()], now.date())) for match in _bare_month().finditer(text)
    ]


def _disjoint(spans: list[tuple[int, int, Found]]) -> list[tuple[int, int, Found]]:
    """In order of place; of overlapping phrases the first and longest stays."""
    kept: list[tuple[int, int, Found]] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _range(found: Found, phrase: str, zone: ZoneInfo) -> TimeRange:
    if isinstance(found, Hours):
        return TimeRange(instants.of(found.start), instants.of(found.end), phrase, found.exact)
    # A document that carries a date only stands at 12:00 UTC of that date. East of UTC+12 the local day ends before
    # that noon, so the range is moved just enough to hold the noons of its own days and no other.
    start = max(instants.of(_midnight(found.first, zone)), instants.noon(found.first - DAY) + 1)
    end = max(instants.of(_midnight(found.end, zone)), instants.noon(found.end - DAY) + 1)
    return TimeRange(start, end, phrase, found.exact)


def _midnight(when: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(when, time(), zone)


_QUESTIONS_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@cache
def _any_day() -> frozenset[str]:
    return frozenset(map(fold, word_set(_TABLE, "any_day")))


def asks_more(text: str) -> bool:
    """Whether a text, its times taken out, names a subject, not just what people do on any day."""
    return any(not _is_idle(word.casefold().replace("’", "'")) for word in _QUESTIONS_WORD.findall(text)) or any(
        char.isdigit() for char in text
    )


def _is_idle(word: str) -> bool:
    parts = [part for part in word.split("'") if part]
    languages = tuple(stop_words())
    return all(len(p) == 1 or fold(p) in _any_day() or is_stop_word(p, languages) for p in parts)


def split_session(text: str) -> tuple[str, bool]:
    """The text without the phrase that asks where the last session stopped, and whether it had one."""
    rest, count = cues(_TABLE, "session").subn(" ", text[:1_000])
    return rest, count > 0


def asks_former(text: str) -> bool:
    """Whether a question may ask for something that was replaced since."""
    return cues(_TABLE, "former").search(text[:2_000]) is not None
