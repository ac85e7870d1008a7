"""Since when and until when a sentence says that its fact holds: "runs on pantry since March", "until 2026-05-01"."""

from __future__ import annotations

import re
from unicodedata import normalize

from hearth.lazy import regex
from hearth.text.times.expressions import time_ranges

_ARTICLE = r"(?:(?:the|el|la|los|las|de[mnr]|die|das|le|les|il|lo|o|a) )?"
_SINCE = regex(rf"(?<!\w)(?:since|seit|desde|depuis)(?: {_ARTICLE}|\Z)", re.IGNORECASE)
_UNTIL = regex(rf"(?<!\w)(?:until|till|bis|hasta|jusqu['’](?:à|en)|até|fino a)(?: {_ARTICLE}|\Z)", re.IGNORECASE)
_ELSEWHERE = regex(r"[,;:()]|\b(?:and|but|while|und|aber|y|pero|et|mais|e|ma|mas)\b", re.IGNORECASE)
_LEAD_CHARS = 16


def stated_span(quote: str, phrase: str, at: int, zone: str) -> tuple[int | None, int | None]:
    """Half-open, in ms UTC; only of times that open the sentence or stand behind ``phrase`` in its clause, read at
    ``at`` in ``zone``. What would end before it began has no end."""
    quote = normalize("NFC", quote)
    told = max(0, quote.casefold().find(phrase.casefold()))
    since = until = None
    place = 0
    for named in time_ranges(quote, at, zone):
        begins = quote.find(named.phrase, place)
        if begins < 0:
            continue
        place = begins + len(named.phrase)
        lead = quote[max(0, begins - _LEAD_CHARS) : begins]
        opened = begins - len(lead) == 0 and len(lead.split()) < 2
        if not opened and (begins < told or _ELSEWHERE.search(quote[told + len(phrase) : begins])):
            continue
        if _is_led(_SINCE, lead, named.phrase):
            since = named.start
        elif _is_led(_UNTIL, lead, named.phrase):
            until = named.end
    return since, until if since is None or until is None or until > since else None


def _is_led(word: re.Pattern[str], lead: str, phrase: str) -> bool:
    """Whether the word stands right before the phrase, or is its first."""
    return any(found.end() == len(lead) for found in word.finditer(lead)) or word.match(phrase) is not None
