"""What a sentence says of a thing: the rest of it, what joins a name to a value, and the value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from hearth.guard.secrets.prose.words import IS, SCRIPTS
from hearth.guard.secrets.vocabulary import Names
from hearth.lazy import dataclass, regex

_REST = regex(r"(?:[^\n.!?;]|\.(?! |\n|$)){0,72}")
_OPEN = r"[ \t]{0,3}[\"'`*_„“”«「『‘’(]{0,3}"
_JOINT = regex(
    rf"""[ \t"'`*_)]{{0,4}}(?:[:：=|]|→|⇒|(?<= )(?:=>|->|–|—))[>*_ \t]{{0,4}}{_OPEN}"""
    rf"""|[,]?[ ](?:(?:{IS})(?![\w'])[ :]{{1,2}}){{1,3}}{_OPEN}"""
    rf"|(?<=has[lł]o) to {_OPEN}"
    r"|(?:是|为|為|は|が|은|는|이|가)[：:]?[ ]?[「『“]?"
)
_REACH = 140


@dataclass(frozen=True, slots=True)
class Offer:
    """A place where a value may begin; what stands between the name and what joins the value to it, and that."""

    start: int
    gap: str
    joint: str


def said_of(name: str, lowered: str, end: int) -> int:
    """Where what may be said of the name that ends at ``end`` ends: at the next one, at the latest."""
    again = lowered.find(name, end, end + _REACH)
    return again if again >= 0 else min(len(lowered), end + _REACH)


def offers(lowered: str, end: int, stop: int) -> Iterator[Offer]:
    """Where the sentence that goes on at ``end`` may give the value of the name before it; nearest first."""
    stop = _REST.match(lowered, end, stop).end()  # type: ignore[union-attr]
    blank = end
    while blank < stop and lowered[blank] in " \t\"'`(«“„":
        blank += 1
    if end < blank:
        yield Offer(blank, "", "")
    for joint in _JOINT.finditer(lowered, end, stop):
        yield Offer(joint.end(), lowered[end : joint.start()], joint[0].strip())


_SCRIPTS = tuple(regex(letters) for letters in SCRIPTS)


def scripts_of(lowered: str) -> frozenset[int]:
    """The numbers of the scripts beside ASCII that it has letters of."""
    if lowered.isascii():
        return frozenset()
    return frozenset(number for number, letters in enumerate(_SCRIPTS) if letters.search(lowered))


def compile_names(names: Mapping[str, str]) -> Names:
    return tuple((literal, regex(name)) for literal, name in names.items())


@cache
def _script(literal: str) -> frozenset[int]:
    return frozenset(number for number, letters in enumerate(_SCRIPTS) if letters.search(literal))


def occurring(literals: Iterable[str], lowered: str, scripts: frozenset[int]) -> list[str]:
    return [
        literal
        for literal in literals
        if (literal.isascii() or not scripts.isdisjoint(_script(literal))) and literal in lowered
    ]
