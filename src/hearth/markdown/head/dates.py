"""Dates as people write them in texts and in file names, to milliseconds UTC."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from hearth.lazy import regex
from hearth.model import instants

# A year, month and day that stand together, with one mark or none between them.
_NUMBERS = regex(r"(?<![\d.:/-])((?:19|20)\d{2})([-_./]?)(\d{2})\2(\d{2})(?![\d/]|[.:-]\d)")
_DOTTED = regex(r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\. ?((?:19|20)\d{2})(?!\d)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero ene janvier janeiro gennaio januari",
            "february feb februar febrero février fevereiro febbraio februari",
            "march mar märz mär marzo mars março maart",
            "april apr abril abr avril aprile",
            "may mai mayo maio maggio mei",
            "june jun juni junio juin junho giugno",
            "july jul juli julio juillet julho luglio",
            "august aug agosto ago août augustus",
            "september sept sep septiembre setiembre septembre setembro settembre",
            "october oct oktober okt octubre octobre outubro ottobre",
            "november nov noviembre novembre novembro",
            "december dec dezember dez diciembre dic décembre dezembro dicembre",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = regex(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|\.)?(?: de)? ({_MONTH})\.?,?(?: del?)? ((?:19|20)\d{{2}})(?!\d)", re.IGNORECASE
)
_MONTH_FIRST = regex(rf"(?<!\w)({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ((?:19|20)\d{{2}})(?!\d)", re.IGNORECASE)
_QUOTES = "\"'[]"
# Milliseconds since 1970, as some apps write them.
_EPOCH_MS = regex(r"1[0-9]{12}")


def written(text: str) -> int | None:
    """The date or instant that a value is or begins with, as people write them."""
    text = text.strip().strip(_QUOTES).strip()
    found = instants.parse_written(text)
    if found is not None:
        return found
    if _EPOCH_MS.fullmatch(text):
        return int(text)
    first = min(_find(text), default=None)
    return first[1] if first is not None and first[0] <= _LEAD else None


def month_of(name: str) -> int | None:
    """The number of a month, 1 to 12, by its name or what is usual for short."""
    return _MONTHS.get(name.strip(". ").lower())


# A weekday may stand before a date.
_LEAD = len("wednesday, the ")


def only_one(text: str) -> int | None:
    """12:00 UTC of the date in a text that names one and no other."""
    found = {moment for _, moment in _find(text)}
    return found.pop() if len(found) == 1 else None


def of_name(name: str) -> int | None:
    """12:00 UTC of the date that a file name starts with, else of the only one in it."""
    found = dict(_find(name))
    return found[0] if 0 in found else only_one(name)


def _find(text: str) -> Iterator[tuple[int, int]]:
    """Where each date stands, and its noon."""
    for match in _NUMBERS.finditer(text):
        yield from _noon(match, match[1], match[3], match[4])
    for match in _DOTTED.finditer(text):
        yield from _noon(match, match[3], match[2], match[1])
    for match in _DAY_FIRST.finditer(text):
        yield from _noon(match, match[3], str(_MONTHS[match[2].lower()]), match[1])
    for match in _MONTH_FIRST.finditer(text):
        yield from _noon(match, match[3], str(_MONTHS[match[1].lower()]), match[2])


def _noon(match: re.Match[str], year: str, month: str, of_month: str) -> Iterator[tuple[int, int]]:
    try:
        yield match.start(), instants.noon(date(int(year), int(month), int(of_month)))
    except ValueError:
        return
