"""Slots: what a statement settles, such as the database of a service or the place where somebody lives.

Two statements have one slot where they give one thing a value each: the same kind of thing, or the same words for what
it is about, of the same person and under the same condition.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache

from hearth.language.kinds import Token, Value, fillers, find_groups, find_kinds, find_tokens, find_values
from hearth.lazy import dataclass, regex
from hearth.text.background import background_share
from hearth.text.language import detect
from hearth.text.stem import stem
from hearth.text.stopwords import is_stop_word

MOST = 600
"""Characters of a statement that are read."""
_CHOICE = regex(r"\s*Asked “(?P<question>[^”]*)”, the user chose: (?P<answer>.*)")
_QUOTED = regex(r"[“\"«「][^“”\"«»「」]{8,}[”\"»」]|(?<=\s)> .*")
_NUMBER = regex(
    r"(?<![\w.#])v?(?P<number>\d+(?:[.,:]\d+)*)\s?(?P<unit>%|€|£|\$|[a-zA-Z]{1,3}\b)?|[一二三四五六七八九十百]+(?=[月号日点岁个])"
)
_NAME = regex(r"(?<=[^.!?:\n] )[A-ZÀ-ÞА-Я][\wÀ-ÿа-я'’-]+")
_COMMON, _RARE = 1.0, 7.6
_UNSPACED = ("zh", "ja")
_LEAST, _PART = 5.0, 0.5
"""What the words that two statements share weigh at least, and which part of those of the shorter one."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, read for what it settles. ``topics`` are stems of what it is about, each with how much it says;
    ``values`` are named values by form, ``figures`` its numbers, ``names`` other names that it holds."""

    text: str
    language: str
    topics: dict[str, float] = field(default_factory=dict)
    values: tuple[Value, ...] = ()
    kinds: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Likeness:
    """How two statements stand as to their slots: ``apart`` says what parts them, ``kinds`` of which they name
    different values, ``named`` values that both name, ``shared`` the stems that both hold, with the part of the
    shorter statement and the weight that these have."""

    apart: str = ""
    kinds: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    part: float = 0.0
    weight: float = 0.0

    @property
    def is_same(self) -> bool:
        if self.apart:
            return False
        if self.part >= _PART and self.weight >= _LEAST:
            return True
        return bool(self.kinds) and (self.weight >= _LEAST or bool(self.named))


def same_slot(one: str, other: str) -> bool:
    """Whether two statements, of which either may be the older one, give one thing a value each."""
    return compare_slots(one, other).is_same


def compare_slots(one: str, other: str) -> Likeness:
    language = detect(f"{one}\n{other}")
    return compare(read_statement(one, language), read_statement(other, language))


def compare(one: Statement, other: Statement) -> Likeness:
    """Both read in one language."""
    shared = frozenset(one.topics.keys() & other.topics.keys())
    weight = sum(one.topics[topic] for topic in shared)
    least = min(sum(one.topics.values()), sum(other.topics.values()))
    forms = [{value.form: value for value in side.values if _counts(value, rest)} for side, rest in _sides(one, other)]
    named = frozenset(forms[0].keys() & forms[1].keys()) | (one.names & other.names)
    before = frozenset(kind for form, value in forms[0].items() if form not in forms[1] for kind in value.kinds)
    after = frozenset(kind for form, value in forms[1].items() if form not in forms[0] for kind in value.kinds)
    return Likeness(
        _part(one, other), before & after, named, shared, weight / least if least else 0.0, weight
    )  # fmt: skip


@lru_cache(maxsize=512)
def read_statement(text: str, language: str = "") -> Statement:
    """``language`` is that of both statements where two are compared."""
    text = unicodedata.normalize("NFKC", text[:MOST])
    language = language or detect(text)
    chosen = _CHOICE.match(text)
    said = _QUOTED.sub(" ", text) if chosen is None else f"{chosen['question']} {chosen['answer']}"
    tokens = find_tokens(said)
    values = tuple(find_values(said, tokens))
    sure = [value for value in values if not value.plain]
    return Statement(
        text,
        language,
        dict(_topics(tokens, sure, language)),
        values,
        find_kinds(said, tokens),
        frozenset(found[0].strip() for found in _NUMBER.finditer(said)),
        frozenset(found[0].lower() for found in _NAME.finditer(said)),
        find_groups("holders", said, tokens),
        find_groups("conditions", said, tokens),
    )


def _sides(one: Statement, other: Statement) -> tuple[tuple[Statement, Statement], tuple[Statement, Statement]]:
    return (one, other), (other, one)


def _counts(value: Value, other: Statement) -> bool:
    """A plain word is a value beside another value of its kind, or where the other statement names the kind."""
    if not value.plain:
        return True
    sure = {kind for one in other.values if not one.plain for kind in one.kinds} | other.kinds
    return bool(value.kinds & sure)


def _part(one: Statement, other: Statement) -> str:
    """What makes two statements speak of different things."""
    if one.holders != other.holders and not (one.holders & other.holders):
        return "they are about different persons"
    groups = [{name.partition(":")[0]: name for name in side.conditions} for side in (one, other)]
    for group in groups[0].keys() | groups[1].keys():
        if groups[0].get(group) != groups[1].get(group):
            return "they hold under different conditions"
    return ""


def _topics(tokens: list[Token], values: list[Value], language: str) -> Iterator[tuple[str, float]]:
    """Stems of the words that are no values and say something."""
    idle = fillers(language)
    for token in tokens:
        if any(value.start <= token.start < value.end for value in values):
            continue
        word = token.word.removesuffix("'s")
        if language in _UNSPACED and not word.isascii():
            yield from _signs(word, idle)
        elif len(word) > 1 and not word[0].isdigit() and word not in idle and not is_stop_word(word, (language,)):
            root = stem(word, language)
            yield root, _weigh(root)


def _signs(run: str, idle: frozenset[str]) -> Iterator[tuple[str, float]]:
    """Of scripts without blanks pairs of signs, whole runs of katakana, nothing of hiragana."""
    if "\u3040" <= run[0] <= "\u309f":
        return
    if "\u30a0" <= run[0] <= "\u30ff":
        yield run, _RARE
        return
    for word in idle:
        run = run.replace(word, " ")
    for part in run.split():
        yield from ((part[at : at + 2], _RARE) for at in range(max(1, len(part) - 1)))


def _weigh(root: str) -> float:
    return max(_COMMON, min(_RARE, -math.log(background_share(root))))
