"""Names that a text can hold: a word of Cyrillic letters isn't looked for in a text that has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from hearth.guard.secrets.prose.words import SCRIPTS
from hearth.guard.secrets.vocabulary import Names
from hearth.lazy import regex

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
