"""Since when and until when a sentence says that its fact holds: "runs on pantry since March", "läuft seit 2025 auf
Heron", "gira su Heron fino al 1º maggio 2026"; in English, German, Spanish, French, Portuguese and Italian."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import normalize

from hearth.lazy import regex
from hearth.text.times.expressions import TimeRange, time_ranges

_ARTICLE = (
    r"(?:(?:the|el|la|los|las|de[mnr]|die|das|zum|le|les|il|lo|o|a|à|ao|au|al|en|dia|día|de|del|do)\s+"
    r"|(?:dell|[ld])['’])*"
)
# What also says "of" or "by" is followed by a number or a month.
_ITALIAN = (
    r"(?=\d|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|ieri|anno"
    r"|l['’]anno)"
)
_SINCE = regex(
    rf"(?<!\w)(?:(?:since|seit|desde|depuis)\s+{_ARTICLE}|(?:d['’]|da|dal|dall['’]|dallo|dalla)\s*\b{_ITALIAN}{_ARTICLE})",
    re.IGNORECASE,
)
_UNTIL = regex(
    rf"(?<!\w)(?:(?:until|till|bis|hasta|até|fino)\s+(?:(?:ao?|al|alla)\s+|all['’])?"
    rf"|jusqu['’](?:à|en|aux?)\s+)(?:(?:(?:the\s+)?end of|ende|finales de|fin de|la fin de|fim de|fine)\s+)?{_ARTICLE}",
    re.IGNORECASE,
)
# A number that counts something is no year: "bis 2000 Anfragen".
_YEAR = regex(r"(?:19|20)\d\d(?![\w-]|[.,]\d)")
_WORD = regex(r"[^\W\d_]+")
_PREPOSITION = (
    r"(?:on|at|in|with|to|auf|bei|an|mit|von|nach|zu|en|sobre|con|de|sur|avec|chez|dans|à|em|no|na|com|su|sul|sulla|o|os|as?"
    r"|the|a|an|de[mnr]|die|das|el|la|los|las|le|les|il|lo|i)"
)
_BEHIND_SINCE = regex(r"(?!\s+(?:years|jahren?|años|ans|anos|anni)\b)", re.IGNORECASE)
_BEHIND_UNTIL = regex(
    rf"\s*(?:\Z|[.,;:!?)\]]|(?:until|till|bis|hasta|até|fino|jusqu|und|and|y|et|e|{_PREPOSITION})\b)", re.IGNORECASE
)
_BETWEEN = regex(rf"\s*(?:{_PREPOSITION}\s+)*", re.IGNORECASE)
# Of what a phrase is read as where it stands alone: "bis März" as "im März".
_OPENED = ("in ", "im ", "en ", "em ", "a ")
_ELSEWHERE = regex(r"[,;:()]|\b(?:and|but|while|und|aber|y|pero|et|mais|e|ma|mas)\b", re.IGNORECASE)
_MOST_CHARS = 60
# Any instant: how long a phrase is does not hang on it.
_SOME_DAY = 1_700_000_000_000


class _Span(NamedTuple):
    """From the word that leads it to the end of the time."""

    start: int
    end: int
    until: bool
    time: TimeRange


def stated_span(quote: str, phrase: str, at: int, zone: str) -> tuple[int | None, int | None]:
    """Half-open, in ms UTC; only of times that open the sentence, or stand in the clause of ``phrase``, behind it or
    next before it; read at ``at`` in ``zone``. What would end before it began has no end."""
    quote = normalize("NFC", quote)
    told = max(0, quote.casefold().find(phrase.casefold()))
    since = until = None
    for span in _find_spans(quote, at, zone):
        opened = not quote[: span.start].strip()
        near = span.end <= told and _BETWEEN.fullmatch(quote[span.end : told]) is not None
        behind = span.start >= told and not _ELSEWHERE.search(quote[told + len(phrase) : span.start])
        if not (opened or near or behind):
            continue
        if span.until:
            until = span.time.end
        else:
            since = span.time.start
    return since, until if since is None or until is None or until > since else None


def without_spans(sentence: str) -> str:
    """A sentence less what it says of since and until when."""
    sentence, at = normalize("NFC", sentence), 0
    kept: list[str] = []
    for span in _find_spans(sentence, _SOME_DAY, "UTC"):
        kept.append(sentence[at : span.start].rstrip())
        at = span.end
    return "".join((*kept, sentence[at:])).strip(" ,") if kept else sentence


def _find_spans(quote: str, at: int, zone: str) -> Iterator[_Span]:
    led = [(found, until) for word, until in ((_SINCE, False), (_UNTIL, True)) for found in word.finditer(quote)]
    ended = 0
    for found, until in sorted(led, key=lambda one: one[0].start()):
        if found.start() < ended:
            continue
        named = _named(quote[found.end() : found.end() + _MOST_CHARS], until, at, zone)
        if named is not None:
            length, time = named
            ended = found.end() + length
            yield _Span(found.start(), ended, until, time)


def _named(text: str, until: bool, at: int, zone: str) -> tuple[int, TimeRange] | None:
    """The time that a text begins with, and how long it is there."""
    year = _YEAR.match(text)
    if year is not None and not (_BEHIND_UNTIL if until else _BEHIND_SINCE).match(text, year.end()):
        return None
    for before in ("", *_OPENED) if _WORD.match(text) else ("in ",) if year is not None else ("",):
        times = time_ranges(before + text, at, zone)
        begins = (before + text).find(times[0].phrase) if times else -1
        if begins in (0, len(before)):
            return begins + len(times[0].phrase) - len(before), times[0]
    return None
