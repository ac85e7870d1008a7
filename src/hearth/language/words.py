"""Words as data: tables of rows, each with examples that a test holds.

A table is ``ROOM/data/NAME.toml``: ``[[row]]`` with ``id``, ``lang``, ``kind``, ``pattern`` (a regular expression in
which a space stands for any white space, " ?" for none, too, and "~4 " for up to four words), and ``yes`` and ``no``:
texts in which the pattern is found, and in which it is not. ``needs`` may list what a text must hold one of, so that
most patterns need not be tried. In languages that part words by spaces a pattern matches whole words only; ``sign`` is
for patterns of punctuation. Rows of the languages ``form`` and ``inline`` describe how lines look: their patterns are
taken as they stand, case counts, and those of a form match at a line's start. Those of the language ``whole`` match a
text from its beginning to its end.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hearth.core.lazy import regex

LANGUAGES = ("en", "es", "de", "fr", "pt", "it", "ru", "zh", "ja")
"""Those that the tables cover."""
_ROOMS = Path(__file__).parents[1]
_UNSPACED = ("zh", "ja", "ko", "th", "sign")
_RAW = ("form", "inline")
_GAP = regex(r"~(\d) ")
_WHOLE = "whole"


class Row(NamedTuple):
    """One pattern of a table; ``lang`` is a two-letter code, or ``any``."""

    id: str
    lang: str
    kind: str
    pattern: str
    yes: tuple[str, ...]
    no: tuple[str, ...]
    needs: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        """The pattern as Python's ``re`` takes it."""
        if self.lang in _RAW:
            return f"(?:{self.pattern})"
        pattern = _GAP.sub(r"(?:\\S{1,40}+\\s+){0,\1}?", self.pattern)
        pattern = pattern.replace(" ?", r"\s*").replace(" ", r"\s+")
        if self.lang == _WHOLE:
            return rf"\A(?:{pattern})\Z"
        return f"(?:{pattern})" if self.lang in _UNSPACED else rf"(?<!\w)(?:{pattern})(?:(?<!\w)|(?!\w))"


def tables() -> tuple[str, ...]:
    """The names of all tables: those of this room by name alone, others with their room."""
    found = [(file.parts[-3], file.stem) for file in _ROOMS.glob("*/data/*.toml")]
    return tuple(sorted(name if room == "language" else f"{room}/{name}" for room, name in found))


@cache
def rows(table: str) -> tuple[Row, ...]:
    """The rows of a table in their order."""
    room, _, name = table.rpartition("/")
    with (_ROOMS / (room or "language") / "data" / f"{name}.toml").open("rb") as file:
        found = tomllib.load(file)["row"]
    return tuple(
        Row(
            *(row["id"], row["lang"], row["kind"], row["pattern"]),
            *(tuple(row["yes"]), tuple(row["no"]), tuple(row.get("needs", ()))),
        )
        for row in found
    )


@cache
def cues(table: str, kind: str, lang: str = "") -> re.Pattern[str]:
    """One expression that finds whatever a row of the kind finds, without case, of one language where ``lang`` names
    it. A kind without rows finds nothing."""
    found = [row.expression for row in rows(table) if row.kind == kind and lang in ("", row.lang)]
    return regex("|".join(found) or r"(?!)", re.IGNORECASE)


@cache
def forms(table: str, kind: str) -> re.Pattern[str]:
    """One expression for lines of that form; case counts."""
    return regex("|".join(row.expression for row in rows(table) if row.kind == kind) or r"(?!)")
