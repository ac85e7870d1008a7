"""Kinds of things that people choose, as the tables in ``data/`` list them, and where a text names one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from hearth.core.lazy import regex
from hearth.text.words import load, rows, words_of

_LETTER = r"[^\W_\u3040-\u30ff\u3400-\u9fff]"
_TOKEN = regex(
    rf"\.?{_LETTER}+(?:[.\-+#@/:&!'’]{_LETTER}+)*(?:\+\+|#)?|[\u30a0-\u30ff]+|[\u3040-\u309f]+|[\u3400-\u9fff]+"
)
_ELIDED = regex(r"(?:[ldjmtsnc]|qu|dell|dall|nell|all|sull|un)['’](?=\w{2})", re.IGNORECASE)
_SINCE = frozenset({
    "now", "currently", "already", "jetzt", "nun", "inzwischen", "mittlerweile", "ahora", "actualmente", "maintenant",
    "désormais", "actuellement", "agora", "atualmente", "adesso", "ora", "attualmente", "теперь", "сейчас",
})  # fmt: skip
"""Words that may stand between those of an attribute."""
_LONGEST = 4
"""Words of the longest spelling."""


T = TypeVar("T")


class _Table(Generic[T]):
    """Spellings and what each stands for; ``unspaced`` are those in scripts without blanks, the longest first."""

    def __init__(self, rows: Mapping[str, T]) -> None:
        self.rows = rows
        found = (spelling for spelling in rows if "\u3040" <= spelling[0] <= "\u9fff")
        self.unspaced = tuple(sorted(found, key=len, reverse=True))


class Token(NamedTuple):
    """A word as written, in lower case, and where it stands."""

    word: str
    written: str
    start: int


class Value(NamedTuple):
    """A value that a text names: of which kinds, as which of their values, and whether it may be a plain word."""

    form: str
    kinds: frozenset[str]
    start: int
    end: int
    plain: bool

    def narrowed(self, kinds: frozenset[str] | set[str]) -> Value:
        """A plain word as a value of those of its kinds that are talked about; as it is where none is."""
        found = self.kinds & kinds
        return self._replace(kinds=found, plain=False) if found else self


class _Spelling(NamedTuple):
    form: str
    kinds: frozenset[str]
    plain: bool


def find_tokens(text: str) -> list[Token]:
    """In order, without the article that French and Italian elide."""
    found = []
    for match in _TOKEN.finditer(text):
        elided = _ELIDED.match(match[0])
        written = match[0] if elided is None else match[0][elided.end() :]
        found.append(Token(written.lower().replace("’", "'"), written, match.end() - len(written)))
    return found


def find_values(text: str, tokens: Sequence[Token]) -> list[Value]:
    """Longest spellings first, none inside another. A plain word counts where it is written as a name."""
    found = [
        Value(one.form, one.kinds, start, end, one.plain and not _is_name(text, start))
        for start, end, one in _find(text, tokens, _values())
    ]
    kinds = find_kinds(text, tokens)
    sure = {kind for value in found if not value.plain for kind in value.kinds} | kinds.keys()
    return [value.narrowed(sure) if value.plain else value for value in found]


def find_kinds(text: str, tokens: Sequence[Token]) -> dict[str, tuple[int, int]]:
    """The kinds whose own words stand in a text ("database"), and where."""
    return {kind: (start, end) for start, end, kinds in _find(text, tokens, _kind_words()) for kind in kinds}


def find_groups(table: str, text: str, tokens: Sequence[Token]) -> dict[str, tuple[int, int]]:
    """The rows of a table of words (``attributes``, ``conditions``, ``holders``) that a text names, and where; words
    that only say since when may stand between."""
    tokens = [token for token in tokens if token.word not in _SINCE]
    return {name: (start, end) for start, end, name in _find(text, tokens, _groups(table))}


def kinds_of(word: str) -> frozenset[str]:
    """The kinds and attributes that a word names."""
    attribute = _groups("attributes").rows.get(word)
    return _kind_words().rows.get(word, frozenset()) | ({attribute} if attribute else frozenset())


def words_beside(text: str) -> list[tuple[str, ...]]:
    """For each kind of which a text names a value, and each attribute that it gives, the words in which another
    statement may give that."""
    tokens = find_tokens(text)
    kinds = {kind for value in find_values(text, tokens) if not value.plain for kind in value.kinds}
    attributes = find_groups("attributes", text, tokens)
    found = [_spellings_of(kind) for kind in sorted(kinds | find_kinds(text, tokens).keys() - attributes.keys())]
    return [*(_words_of_attribute(name) for name in sorted(attributes)), *found]


@cache
def _spellings_of(kind: str) -> tuple[str, ...]:
    return tuple(one for one, value in _values().rows.items() if kind in value.kinds)


@cache
def _words_of_attribute(name: str) -> tuple[str, ...]:
    return tuple(word for word, one in _groups("attributes").rows.items() if one == name)


def names_region(text: str) -> bool:
    """Whether a text names a country or a region: a city in it is the same place, told more exactly."""
    return any(True for _ in _find(text, find_tokens(text), _regions()))


@cache
def _regions() -> _Table[bool]:
    return _Table({name: True for row in rows("places") for name in row.words})


def fillers(language: str) -> frozenset[str]:
    """Words that say little of what a statement is about."""
    return words_of("fillers", "filler", language)


def _is_name(text: str, start: int) -> bool:
    """Whether a word has a capital that no beginning of a sentence gives it."""
    before = text[:start].rstrip(" “\"'(")
    return text[start].isupper() and bool(before) and before[-1] not in ".!?:\n"


def _find(text: str, tokens: Sequence[Token], table: _Table[T]) -> Iterator[tuple[int, int, T]]:
    """Spellings of several words as words, those of scripts without blanks wherever they stand."""
    at = 0
    while at < len(tokens):
        for length in range(min(_LONGEST, len(tokens) - at), 0, -1):
            words = tokens[at : at + length]
            one = table.rows.get(" ".join(token.word for token in words))
            if one is None and length == 1:
                word = words[0].word.removesuffix("'s")
                one = table.rows.get(word) or (table.rows.get(word.removesuffix("s")) if len(word) > 4 else None)
            if one is not None:
                yield words[0].start, words[-1].start + len(words[-1].written), one
                at += length - 1
                break
        at += 1
    taken: list[tuple[int, int]] = []
    for spelling in () if text.isascii() else table.unspaced:
        start = text.lower().find(spelling)
        if start >= 0 and not any(begin <= start < end for begin, end in taken):
            taken.append((start, start + len(spelling)))
            if not any(token.word == spelling for token in tokens):
                yield start, start + len(spelling), table.rows[spelling]


@cache
def choices_of(kind: str) -> tuple[tuple[str, ...], ...]:
    """The values of a kind, each by its spellings as the table writes them."""
    found = (row["choices"] for row in load("kinds")["row"] if row["kind"] == f"{kind}: values")
    return tuple(tuple(value.split("=")) for choices in found for value in choices.split("|"))


@cache
def _values() -> _Table[_Spelling]:
    found: dict[str, _Spelling] = {}
    for kind in dict.fromkeys(row.kind for row in rows("kinds") if ":" not in row.kind):
        for value in choices_of(kind):
            form = value[0].removeprefix("?")
            for part in value:
                spelling = part.removeprefix("?")
                former = found.get(spelling, _Spelling(form, frozenset(), False))
                plain = former.plain or part.startswith("?") or (value[0].startswith("?") and spelling == form)
                found[spelling] = _Spelling(former.form, former.kinds | {kind}, plain)
    return _Table(found)


@cache
def _kind_words() -> _Table[frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in rows("kinds"):
        for word in row.words if ":" not in row.kind else ():
            found[word] = found.get(word, frozenset()) | {row.kind}
    return _Table(found)


@cache
def _groups(table: str) -> _Table[str]:
    return _Table({word: row.id for row in rows(table) for word in row.words})
