"""Words related to a word: translations, neighbours in meaning, other spellings, the owner's synonyms. Kinds of
memories that questions ask for, and which standing rules a short instruction touches."""

from __future__ import annotations

import re
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from hearth.core.lazy import dataclass, regex
from hearth.text.language import fold, stem
from hearth.text.terms import chunks, surface
from hearth.text.words import cues, each, rows


@dataclass(frozen=True, slots=True)
class _Table:
    stems: list[str]
    starts: array[int]
    others: array[int]
    cosines: bytes


@cache
def _table() -> _Table:
    data = Path(__file__).with_name("neighbours.bin").read_bytes()
    stems, neighbours = struct.unpack_from("<II", data)
    ends = [8]
    for size in (4 * (stems + 1), 2 * neighbours, neighbours):
        ends.append(ends[-1] + size)
    starts, others = array("I", data[ends[0] : ends[1]]), array("H", data[ends[1] : ends[2]])
    if sys.byteorder == "big":
        starts.byteswap()
        others.byteswap()
    return _Table(data[ends[3] :].decode().split("\n"), starts, others, data[ends[2] : ends[3]])


def neighbours_of(stem: str) -> list[tuple[str, float]]:
    """Other English stems with their cosine to this one, the nearest first; at most 32, none below 0.3."""
    table = _table()
    at = bisect_left(table.stems, stem)
    if at == len(table.stems) or table.stems[at] != stem:
        return []
    near = range(table.starts[at], table.starts[at + 1])
    return [(table.stems[table.others[each]], table.cosines[each] / 255) for each in near]


# Each pair both ways, at a place in the word that tells; what comes out may be no word, which no index then has.
_FORMS = (
    (regex(r"(?<=[a-z]{2})our(?=(?:s|ed|ing|ful|ites?|able|hood|less)?$)"), "or"),
    (regex(r"(?<=[a-z]{2})or(?=(?:s|ed|ing|ful|ites?|able|hood|less)?$)"), "our"),
    (regex(r"(?<=[a-z]{3})is(?=(?:e[drs]?|ing|ations?|ers)$)"), "iz"),
    (regex(r"(?<=[a-z]{3})iz(?=(?:e[drs]?|ing|ations?|ers)$)"), "is"),
    (regex(r"(?<=[a-z]{2}l)ys(?=(?:e[drs]?|ing)$)"), "yz"),
    (regex(r"(?<=[a-z]{2}l)yz(?=(?:e[drs]?|ing)$)"), "ys"),
    (regex(r"(?<=[a-z]{2}[tb])re(?=s?$)"), "er"),
    (regex(r"(?<=[a-z]{2}[tb])er(?=s?$)"), "re"),
    (regex(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
    (regex(r"(?<=[a-z]{2})og(?=s?$)"), "ogue"),
    (regex(r"(?<=[a-z][aeiou])ll(?=(?:ed|ing|ers?)$)"), "l"),
    (regex(r"(?<=[a-z][aeiou])l(?=(?:ed|ing|ers?)$)"), "ll"),
    (regex(r"(?<=[a-z]{2}en)ce(?=s?$)"), "se"),
    (regex(r"(?<=[a-z]{2}en)se(?=s?$)"), "ce"),
)
_EXACT, _ONE_SLIP = 4, 8
"""Shorter words than these are never slips, and those with one slip at most."""


def respell(word: str) -> tuple[str, ...]:
    """The British forms of an American word and the other way round, in lower case; never ``word``."""
    found = (form.sub(other, word) for form, other in _FORMS)
    return tuple(dict.fromkeys(other for other in found if other != word))


def is_slip(word: str, meant: str) -> bool:
    """Whether one or, in a word of eight letters or more, two letters too many, missing, wrong or swapped make the
    other word. Short words differ by a letter and mean different things: never."""
    shorter = min(len(word), len(meant))
    return word != meant and shorter >= _EXACT and _within(word, meant, 1 if shorter < _ONE_SLIP else 2)


def _within(one: str, other: str, edits: int) -> bool:
    """Optimal string alignment distance, at most ``edits``."""
    if abs(len(one) - len(other)) > edits:
        return False
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[at:], other[at:]
    if not one or not other:
        return True
    if not edits:
        return False
    swapped = one[:2] == other[1::-1] and len(one) > 1 and _within(one[2:], other[2:], edits - 1)
    return (
        swapped
        or _within(one[1:], other[1:], edits - 1)
        or _within(one[1:], other, edits - 1)
        or _within(one, other[1:], edits - 1)
    )


def synonyms_of(word: str, pairs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Words that ``pairs``, from the settings, have beside ``word`` (any case), on either side: lower case, in the
    form given there, no repeats, never ``word``. A synonym of several words counts by each of them."""
    word = word.lower()
    found: dict[str, None] = {}
    for key, values in pairs.items():
        if word in _words(key):
            found.update(dict.fromkeys(part for value in values for part in _words(value)))
        for value in values:
            if word in _words(value):
                found.update(dict.fromkeys(_words(key)))
    return tuple(synonym for synonym in found if synonym != word)


def _words(text: str) -> list[str]:
    return [word for chunk in chunks(text) for word in surface(chunk).words]


LANGUAGES = ("es", "de", "fr", "pt")

_translations_Table = dict[str, dict[str, tuple[str, ...]]]


@cache
def _to_english() -> _translations_Table:
    """Language -> stem -> English stems."""
    table: _translations_Table = {language: {} for language in LANGUAGES}
    for line in Path(__file__).with_name("translations.tsv").read_text(encoding="utf-8").splitlines():
        language, foreign, english = line.split("\t")
        table[language][foreign] = tuple(english.split(" "))
    return table


@cache
def _from_english() -> _translations_Table:
    """Language -> English stem -> stems."""
    table: dict[str, dict[str, list[str]]] = {language: {} for language in LANGUAGES}
    for language, words in _to_english().items():
        for foreign, english in words.items():
            for term in english:
                table[language].setdefault(term, []).append(foreign)
    return {language: {term: tuple(found) for term, found in words.items()} for language, words in table.items()}


def translate(word: str, source: str, targets: tuple[str, ...]) -> Iterator[str]:
    """Stems of the target languages that translate a lower-case word of ``source``; between two languages other than
    English by way of English. Repeats are possible."""
    term = stem(word, source)
    english = (term,) if source == "en" else _to_english().get(source, {}).get(term, ())
    for target in targets:
        if target == source:
            continue
        if target == "en":
            yield from english
        elif english and target in LANGUAGES:
            there = _from_english()[target]
            for each in english:
                yield from there.get(each, ())


AskedKind = Literal["", "decided", "owed", "user", "rules"]
_MOST_CHARS = 1_000
_CONCERNS = "text/concerns"


def split_kind(text: str) -> tuple[str, AskedKind]:
    """The text without the words that ask for a kind, and the kind; only a short text can be such a question."""
    if len(text) <= _MOST_CHARS:
        for kind in get_args(AskedKind):
            for pattern in each("text/asked_kinds", kind):
                rest, count = pattern.subn(_keep_subject, text)
                if count:
                    return rest, kind
    return text, ""


def _keep_subject(found: re.Match[str]) -> str:
    return " ".join(("", *filter(None, found.groups()), ""))


MAX_WORDS = 24
"""Longer prompts say what they are about by themselves."""
# What somebody or something is said to be or do in passing; no rule is about that.
_ASIDE = regex(r",\s*(?:who|whom|whose|which)\b[^.,;:!?]*")


@cache
def _concerns() -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.kind.partition(":")[0] for row in rows(_CONCERNS)))


def is_instruction(text: str) -> bool:
    """Whether it tells rather than asks, and is short."""
    return len(text.split()) <= MAX_WORDS and not _asks(_plain(text))


def _asks(plain: str) -> bool:
    """Whether it asks, rather than tells what to do."""
    return plain.endswith(("?", "？")) or cues("text/openings", "opening").match(plain) is not None


def find_concerns(instruction: str) -> tuple[str, ...]:
    """The names of what an instruction touches; nothing where it is none."""
    if not is_instruction(instruction):
        return ()
    text = _plain(instruction)
    return tuple(name for name in _concerns() if cues(_CONCERNS, f"{name}: asked").search(text))


def rules_on(text: str, concerns: tuple[str, ...]) -> bool:
    """Whether a rule is about any of them."""
    plain = _ASIDE.sub(" ", _plain(text))
    return any(cues(_CONCERNS, f"{name}: ruled").search(plain) for name in concerns)


def _plain(text: str) -> str:
    return " ".join(fold(word) for word in text.strip().casefold().split())
