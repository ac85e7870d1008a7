"""What injected text demands of an assistant, and in which words: many rules for English and Spanish, fewer for others.

A rule matches lower-case text without accents and punctuation, in which ``"`` stands for every quotation mark. In its
pattern a blank stands for what separates words, ``~4`` for up to four words of any kind and the blank after them.
Only bounded numbers of words repeat, and where a word ends is certain: matching is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from hearth.core.lazy import dataclass, regex
from hearth.guard.attacks.wording import english, latin, others, spanish

_BLANK = r'[ "]++'
_WORD = r'(?:[^ "]{1,40}+[ "]++)'
_STARTS, _ENDS = r"(?<!\w)", r"(?!\w)"
_OPENING = 4
_SHORTHAND = regex(r"~(\d) |(?<!\^) (\??)")


@dataclass(frozen=True, slots=True)
class Demand:
    """``weight`` in (0, 1) is how much a match alone says. Of each group in ``needs`` a literal must occur."""

    label: str
    weight: float
    needs: tuple[tuple[str, ...], ...]
    shorthand: str

    # Compiled when first used: few rules are ever tried, and all take 30 ms.
    @property
    def pattern(self) -> re.Pattern[str]:
        return _compile(self.shorthand, False)

    @property
    def run_together(self) -> re.Pattern[str]:
        """For text whose words nobody can tell apart any more."""
        return _compile(self.shorthand.removeprefix(_STARTS).removesuffix(_ENDS), True)


def candidates(words: str, among: Iterable[Demand] | None = None) -> list[Demand]:
    """The rules whose literals all occur in ``words``."""
    openings = _openings(words)
    known: dict[str, bool] = {}

    def holds(literal: str) -> bool:
        held = known.get(literal)
        if held is None:
            # Literals begin where words do: most are ruled out by how words begin, at a tenth of the cost.
            held = known[literal] = (not literal.isascii() or _opening(literal) in openings) and literal in words
        return held

    possible = _begun(openings) if among is None else among
    return [rule for rule in possible if all(any(map(holds, group)) for group in rule.needs)]


def _begun(openings: frozenset[str]) -> list[Demand]:
    """The rules of which a literal of the first group may occur, in their order."""
    first, others = _by_opening()
    begun = [at for opening in openings & first.keys() for at in first[opening]]
    return [rules()[at] for at in sorted({*begun, *others})]


@cache
def _by_opening() -> tuple[dict[str, list[int]], list[int]]:
    """The rules by the openings of their first group's literals, and those of which one says nothing."""
    first: dict[str, list[int]] = {}
    others: list[int] = []
    for at, rule in enumerate(rules()):
        group = rule.needs[0] if rule.needs else ()
        if not all(literal.isascii() for literal in group) or not group:
            others.append(at)
            continue
        for opening in {_opening(literal) for literal in group}:
            first.setdefault(opening, []).append(at)
    return first, others


def _openings(words: str) -> frozenset[str]:
    distinct = set(words.replace('"', " ").split())
    return frozenset(word[:length] for word in distinct for length in (2, 3, _OPENING))


@cache
def _opening(literal: str) -> str:
    return literal.split()[0][:_OPENING]


@cache
def rules() -> tuple[Demand, ...]:
    spaced = (*english.ROWS, *spanish.ROWS, *latin.ROWS, *others.ROWS)
    whole = ((label, weight, needs, _STARTS + f"(?:{pattern})" + _ENDS) for label, weight, needs, pattern in spaced)
    return tuple(_rule(*row) for row in (*whole, *others.UNSPACED))


def _rule(label: str, weight: float, needs: str, pattern: str) -> Demand:
    groups = tuple(tuple(group.split("|")) for group in needs.split("&"))
    return Demand(label, weight, groups, pattern)


@cache
def _compile(shorthand: str, together: bool) -> re.Pattern[str]:
    def written_out(found: re.Match[str]) -> str:
        if together:
            return f"[a-z]{{0,{6 * int(found[1])}}}?" if found[1] else ""
        if found[1]:
            return f"{_WORD}{{0,{found[1]}}}?"
        return _BLANK.replace("++", "*+") if found[2] else _BLANK

    return regex(_SHORTHAND.sub(written_out, shorthand))
