"""The times that a question names, and what it asks of them."""

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
from hearth.text.calendar import DAY, Found, Hours, day, latest_month
from hearth.text.common_words import is_stop_word, stop_words
from hearth.text.language import fold
from hearth.text.time_phrases import MONTHS, rules
from hearth.text.time_words import month_names
from hearth.text.words import cues, word_set

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

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
