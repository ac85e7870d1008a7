"""Notes of a day by the name that an app gives them: a path in the notation of moment.js."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from hearth.lazy import dataclass, regex
from hearth.model import instants
from hearth.ports import DailyNotes
from hearth.text.times.written import month_of

_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)?\.?"
_FORMS = {
    "YYYY": ("year", r"\d{4}"),
    "YY": ("short", r"\d{2}"),
    "MMMM": ("name", _WORD),
    "MMM": ("name", _WORD),
    "MM": ("month", r"\d{2}"),
    "M": ("month", r"\d{1,2}"),
    "Do": ("day", r"\d{1,2}(?=\D)"),
    "DD": ("day", r"\d{2}"),
    "D": ("day", r"\d{1,2}"),
    "dddd": ("", _WORD),
    "ddd": ("", _WORD),
    "dd": ("", _WORD),
    **dict.fromkeys(("DDDD", "DDD", "ww", "w", "WW", "W", "d", "e", "E", "Q"), ("", r"\d{1,3}")),
    **dict.fromkeys(("gggg", "GGGG"), ("", r"\d{4}")),
    **dict.fromkeys(("HH", "H", "hh", "h", "mm", "m", "ss", "s"), ("", r"\d{1,2}")),
}
# What may follow the number of a day: 1st, 2nd, 21., 3º.
_ORDINAL = r"(?:[^\W\d_]{1,3}|[.º°ª])?"
_TOKEN = regex(r"\[([^\[\]]*)\]|" + "|".join(sorted(_FORMS, key=len, reverse=True)) + "|(.)", re.DOTALL)
_CENTURY = 2_000


@dataclass(frozen=True, slots=True)
class Day:
    """``at`` is 12:00 UTC of the date; ``None`` where the name holds none that can be read."""

    at: int | None


def day_of(path: str, daily: Iterable[DailyNotes]) -> Day | None:
    """The day whose note a path is called like, if it is; the path is relative to the collection."""
    for notes in daily:
        inside = f"{notes.above}/{path}" if notes.above else path
        if notes.below:
            if not inside.startswith(f"{notes.below}/"):
                continue
            inside = inside[len(notes.below) + 1 :]
        found = _pattern(notes.folder, notes.form).fullmatch(inside.rsplit(".", 1)[0])
        if found is not None:
            return Day(_date(found.groupdict()))
    return None


@lru_cache(maxsize=64)
def _pattern(folder: str, form: str) -> re.Pattern[str]:
    """Of a token that comes again the first counts."""
    parts, seen = [re.escape(f"{folder}/") if folder else ""], set[str]()
    for token in _TOKEN.finditer(form.removesuffix(".md")):
        literal = token[1] if token[1] is not None else token[2]
        if literal is not None:
            parts.append(re.escape(literal))
            continue
        name, shape = _FORMS[token[0]]
        parts.append(f"(?P<{name}>{shape})" if name and name not in seen else shape)
        seen.add(name)
        if token[0] == "Do":
            parts.append(_ORDINAL)
    return re.compile("".join(parts), re.IGNORECASE)


def _date(said: dict[str, str | None]) -> int | None:
    year, day = said.get("year") or said.get("short"), said.get("day")
    month = said.get("month") or month_of(said.get("name") or "")
    if year is None or month is None or day is None:
        return None
    century = 0 if said.get("year") else _CENTURY
    try:
        return instants.noon(date(century + int(year), int(month), int(day)))
    except ValueError:
        return None
