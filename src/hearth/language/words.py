"""Words as data: the tables in ``data/``, each a list of rows with examples that a test holds.

A table is ``data/NAME.toml``: ``[[row]]`` with ``id``, ``lang``, ``kind``, ``pattern`` (a regular expression in which a
space stands for any white space, and " ?" for none, too), and ``yes`` and ``no``: texts in which the pattern is found,
and in which it is not. In languages that part words by spaces a pattern matches whole words only; ``sign`` is for
patterns of punctuation. Rows of the languages ``form`` and ``inline`` describe how lines look: their patterns are taken
as they stand, case counts, and those of a form match at a line's start. Those of the language ``whole`` match a text
from its beginning to its end.
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
_DATA = Path(__file__).with_name("data")
_UNSPACED = ("zh", "ja", "th", "sign")
_RAW = ("form", "inline")
_WHOLE = "whole"


class Row(NamedTuple):
    """One pattern of a table; ``lang`` is a two-letter code, or ``any``."""

    id: str
    lang: str
    kind: str
    pattern: str
    yes: tuple[str, ...]
    no: tuple[str, ...]

    @property
    def expression(self) -> str:
        """The pattern as Python's ``re`` takes it."""
        if self.lang in _RAW:
            return f"(?:{self.pattern})"
        pattern = self.pattern.replace(" ?", r"\s*").replace(" ", r"\s+")
        if self.lang == _WHOLE:
            return rf"\A(?:{pattern})\Z"
        return f"(?:{pattern})" if self.lang in _UNSPACED else rf"(?<!\w)(?:{pattern})(?:(?<!\w)|(?!\w))"


def tables() -> tuple[str, ...]:
    """The names of all tables."""
    return tuple(sorted(file.stem for file in _DATA.glob("*.toml")))


@cache
def rows(table: str) -> tuple[Row, ...]:
    """The rows of a table in their order."""
    with (_DATA / f"{table}.toml").open("rb") as file:
        found = tomllib.load(file)["row"]
    return tuple(
        Row(row["id"], row["lang"], row["kind"], row["pattern"], tuple(row["yes"]), tuple(row["no"])) for row in found
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
