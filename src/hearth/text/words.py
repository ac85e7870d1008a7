"""Words as data: tables of rows, each with examples that a test holds.

A table is ``ROOM/data/NAME.toml``: ``[[row]]`` with ``id``, ``lang``, ``kind``, ``pattern`` (a regular expression in
which a space stands for any white space, " ?" for none, too, and "~4 " for up to four words), ``words`` (plain words,
apart by white space), ``phrases`` (plain texts, apart by "|") or ``choices`` (phrases, those of one meaning apart by
"=", with "?" before what is also a plain word), and ``yes`` and ``no``: texts in which the row finds something, and in
which it does not. ``needs`` may list strings; a text without any of them is not searched. What several patterns have in
common stands in ``[parts]`` by a name in capitals, and as ``<NAME>`` in them; a part may be words of ``text/times``, as
``{ times = "months.en" }``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from hearth.core.lazy import library, regex
from hearth.core.patterns import CACHE

tomllib = library("tomllib")  # most processes find the tables read already

LANGUAGES = ("en", "es", "de", "fr", "pt", "it", "ru", "zh", "ja")
"""Those that the tables cover."""
_ROOMS = Path(__file__).parents[1]
_UNSPACED = ("zh", "ja", "ko", "th", "sign")
_RAW = ("form", "inline")
_GAP = regex(r"~(\d) ")
_WHOLE = "whole"
_TIMES = Path(__file__).with_name("data") / "times.toml"
"""The table whose words may be parts of others."""
_EXAMPLES = ("yes", "no")
_PART = regex(r"(?<!\?P)<([A-Z_]+)>")


class Row(NamedTuple):
    """One row of a table; ``lang`` is a two-letter code, or ``any``. ``words`` are its plain words or phrases, or
    ``written`` its pattern.

    In languages that part words by spaces a row matches whole words only; ``sign`` is for patterns of punctuation, and
    those that bound their words themselves. Rows of the languages ``form`` and ``inline`` describe how lines look:
    their patterns are taken as they stand, case counts, and those of a form match at a line's start. Those of the
    language ``whole`` match a text from its beginning to its end.
    """

    id: str
    lang: str
    kind: str
    written: str
    needs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """As it is written; for words one that finds any of them."""
        if not self.words:
            return self.written
        return "|".join(" ".join(map(re.escape, word.split(" "))) for word in self.words)

    @property
    def expression(self) -> str:
        """The pattern as Python's ``re`` takes it."""
        before, after = self._ends
        return f"{before}{self.body}{after}"

    @property
    def _ends(self) -> tuple[str, str]:
        if self.lang == _WHOLE:
            return r"\A(?:", r")\Z"
        if self.lang in _RAW or self.lang in _UNSPACED:
            return "(?:", ")"
        return r"(?<!\w)(?:", r")(?:(?<!\w)|(?!\w))"

    @property
    def body(self) -> str:
        """The expression without what it asks of the places before and behind it."""
        if self.lang in _RAW:
            return self.pattern
        pattern = _GAP.sub(r"(?:\\S{1,40}+\\s+){0,\1}?", self.pattern)
        return pattern.replace(" ?", r"\s*").replace(" ", r"\s+")


def tables() -> tuple[str, ...]:
    """The names of all tables: those of the room ``language`` by name alone, others with their room."""
    found = [(file.parts[-3], file.stem) for file in _ROOMS.glob("*/data/*.toml")]
    return tuple(sorted(name if room == "language" else f"{room}/{name}" for room, name in found))


def read_table(table: str) -> dict[str, Any]:
    """All that its file says, with the examples; in the patterns the parts that they name."""
    found: dict[str, Any] = tomllib.loads(_place(table).read_text(encoding="utf-8"))
    parts: dict[str, str] = {}
    for name, part in found.pop("parts", {}).items():
        parts[name] = f"(?:{_fill(part if isinstance(part, str) else _read_times(**part), parts)})"
    for row in found.get("row", ()):
        if "pattern" in row and parts:
            row["pattern"] = _fill(row["pattern"], parts)
    return found


def _read_times(times: str) -> str:
    """A pattern for words of the table of times, by the names that lead to them there."""
    value: Any = tomllib.loads(_TIMES.read_text(encoding="utf-8"))
    for name in times.split("."):
        value = value[name]
    return "|".join(re.split("[ /]", value))


def _fill(pattern: str, parts: Mapping[str, str]) -> str:
    return _PART.sub(lambda part: parts[part[1]], pattern)


@cache
def load(table: str) -> Mapping[str, Any]:
    """All that its file says but for the examples; ``hearth.core.patterns`` keeps it for later processes until the file
    changes."""
    made = [file.stat() for file in (_place(table), _TIMES)]
    version = tuple(part for one in made for part in (one.st_mtime_ns, one.st_size))
    found: Mapping[str, Any] = CACHE.keep(table, version, lambda: _strip(read_table(table)))
    return found


@cache
def rows(table: str) -> tuple[Row, ...]:
    """The rows of a table in their order."""
    return tuple(map(read_row, load(table)["row"]))


def read_row(row: Mapping[str, Any]) -> Row:
    """A row as it stands in its file."""
    phrases = row.get("phrases") or row.get("choices", "").replace("?", "").replace("=", "|")
    words = phrases.split("|") if phrases else row.get("words", "").split()
    return Row(row["id"], row["lang"], row["kind"], row.get("pattern", ""), tuple(row.get("needs", ())), tuple(words))


@cache
def word_set(table: str, *kinds: str) -> frozenset[str]:
    """The plain words of these kinds."""
    return frozenset(word for row in rows(table) if row.kind in kinds for word in row.words)


@cache
def words_of(table: str, kind: str, lang: str) -> frozenset[str]:
    """The plain words of a kind in one language."""
    return frozenset(word for row in rows(table) if (row.kind, row.lang) == (kind, lang) for word in row.words)


@cache
def word_places(table: str, kind: str) -> Mapping[str, int]:
    """The plain words of a kind, each with the place of its row among those of the kind, from 0."""
    found = [row.words for row in rows(table) if row.kind == kind]
    return {word: place for place, words in enumerate(found) for word in words}


@cache
def cues(table: str, kind: str, lang: str = "") -> re.Pattern[str]:
    """One expression that finds whatever a row of the kind finds, without case, of one language where ``lang`` names
    it. A kind without rows finds nothing."""
    found = [row for row in rows(table) if row.kind == kind and lang in ("", row.lang)]
    return regex(_join(found), re.IGNORECASE)


@cache
def each(table: str, kind: str) -> tuple[re.Pattern[str], ...]:
    """The rows of a kind one by one, without case, for callers that read their groups."""
    return tuple(regex(row.expression, re.IGNORECASE) for row in rows(table) if row.kind == kind)


@cache
def forms(table: str, kind: str) -> re.Pattern[str]:
    """One expression for lines of that form; case counts."""
    return regex(_join([row for row in rows(table) if row.kind == kind]))


def _join(found: list[Row]) -> str:
    """The rows in their order, those with the same ends as one group: the ends are then tried once at each place."""
    groups = groupby(found, key=lambda row: row._ends)
    return "|".join(f"{before}{'|'.join(row.body for row in group)}{after}" for (before, after), group in groups) or (
        "(?!)"
    )


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strip(each) for key, each in value.items() if key not in _EXAMPLES}
    return [_strip(each) for each in value] if isinstance(value, list) else value


def _place(table: str) -> Path:
    room, _, name = table.rpartition("/")
    return _ROOMS / (room or "language") / "data" / f"{name}.toml"
