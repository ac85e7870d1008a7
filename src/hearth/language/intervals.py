"""Since when and until when a sentence says that its fact holds: "runs on pantry since March", "läuft seit 2025 auf
Heron", "gira su Heron fino al 1º maggio 2026"; in English, German, Spanish, French, Portuguese and Italian. And on
which day something happened: "moved on 2026-04-02 from Heron", in the languages in which times are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import normalize

from hearth.core.lazy import regex
from hearth.text.time_expressions import TimeRange, may_name_times, time_ranges
from hearth.text.words import cues, word_places

_TABLE = "intervals"
# A number that counts something is no year: "bis 2000 Anfragen".
_YEAR = regex(r"(?:19|20)\d\d(?![\w-]|[.,]\d)")
_WORD = regex(r"[^\W\d_]+")
_LETTER = regex(r"[^\W\d_]")
_MOST_CHARS = 60
# Any instant: how long a phrase is does not hang on it.
_SOME_DAY = 1_700_000_000_000


class _Span(NamedTuple):
    """From the word that leads it to the end of the time."""

    start: int
    end: int
    until: bool
    time: TimeRange


def find_span(quote: str, phrase: str, at: int, zone: str) -> tuple[int | None, int | None]:
    """Half-open, in ms UTC; only of times that open the sentence, or stand in the clause of ``phrase``, behind it or
    next before it; read at ``at`` in ``zone``. What would end before it began has no end."""
    quote = normalize("NFC", quote)
    start = max(0, quote.casefold().find(phrase.casefold()))
    since = until = None
    for span in _find_spans(quote, at, zone):
        opened = not quote[: span.start].strip()
        near = span.end <= start and _cue("between").fullmatch(quote[span.end : start]) is not None
        behind = span.start >= start and not _cue("elsewhere").search(quote[start + len(phrase) : span.start])
        if not (opened or near or behind):
            continue
        if span.until:
            until = span.time.end
        else:
            since = span.time.start
    return since, until if since is None or until is None or until > since else None


def strip_spans(sentence: str) -> str:
    """A sentence less what it says of since and until when."""
    sentence, at = normalize("NFC", sentence), 0
    kept: list[str] = []
    for span in _find_spans(sentence, _SOME_DAY, "UTC"):
        kept.append(sentence[at : span.start].rstrip())
        at = span.end
    return "".join((*kept, sentence[at:])).strip(" ,") if kept else sentence


def find_event_time(quote: str, phrase: str, at: int, zone: str) -> int | None:
    """When something happened according to its sentence (ms UTC): at the begin of a time that opens this, or stands in
    the clause of ``phrase``. What is still to come counts only right beside it: another thing may be meant."""
    quote = normalize("NFC", quote)
    start = max(0, quote.casefold().find(phrase.casefold()))
    for day in _find_days(quote, at, zone):
        if not quote[: day.start].strip() or (day.end <= start and _cue("coming").fullmatch(quote[day.end : start])):
            return day.time.start
        between = quote[start + len(phrase) : day.start]
        if day.start >= start and not _cue("aside").search(between) and (day.time.start <= at or not between.strip()):
            return day.time.start
    return None


def strip_days(sentence: str) -> str:
    """A sentence less the times at which something happened."""
    sentence, at = normalize("NFC", sentence), 0
    if not may_name_times(sentence):
        return sentence
    kept: list[str] = []
    for day in _find_days(sentence, _SOME_DAY, "UTC"):
        kept.append(sentence[at : day.start].rstrip())
        at = day.end
    return "".join((*kept, sentence[at:])).strip(" ,") if kept else sentence


def _find_days(quote: str, at: int, zone: str) -> Iterator[_Span]:
    """Times of a whole clause, with the preposition before them: no dates that are names of something."""
    end = 0
    for time in time_ranges(quote, at, zone):
        start = quote.find(time.phrase, end)
        end = start + len(time.phrase)
        led = _cue("on").search(quote[:start])
        named = led is None and not _LETTER.search(time.phrase)
        opens = not quote[: led.start() if led else start].strip()
        if time.inside and not named and (opens or _ends("behind day", quote, end)):
            yield _Span(led.start() if led else start, end, False, time)


def _find_spans(quote: str, at: int, zone: str) -> Iterator[_Span]:
    led = [
        (found, until) for word, until in (("since", False), ("until", True)) for found in _cue(word).finditer(quote)
    ]
    ended = 0
    for found, until in sorted(led, key=lambda one: one[0].start()):
        if found.start() < ended:
            continue
        named = _read_time(quote[found.end() : found.end() + _MOST_CHARS], until, at, zone)
        if named is not None:
            length, time = named
            ended = found.end() + length
            yield _Span(found.start(), ended, until, time)


def _read_time(text: str, until: bool, at: int, zone: str) -> tuple[int, TimeRange] | None:
    """The time that a text begins with, and how long it is there."""
    year = _YEAR.match(text)
    if year is not None:
        counted = _cue("counts").match(text, year.end()) is not None
        if counted if not until else not _ends("behind until", text, year.end()):
            return None
    opened = [f"{word} " for word in word_places(_TABLE, "opened")]
    for before in ("", *opened) if _WORD.match(text) else ("in ",) if year is not None else ("",):
        times = time_ranges(before + text, at, zone)
        begins = (before + text).find(times[0].phrase) if times else -1
        if begins in (0, len(before)):
            return begins + len(times[0].phrase) - len(before), times[0]
    return None


def _cue(kind: str) -> re.Pattern[str]:
    return cues(_TABLE, kind)


def _ends(kind: str, text: str, at: int) -> bool:
    """Whether nothing stands there, or what may stand behind a time."""
    return not text[at:].strip() or _cue(kind).match(text, at) is not None
