"""Chains in what a session left behind: which problem led to which decision, and that to which milestone. Pure.

Where nothing says so, being told soon after each other of the same rare name is what speaks for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from hearth.extract.causes.causes import may_tell
from hearth.lazy import dataclass, regex
from hearth.text.similarity import names, normalised

SOLVED, CUED, INFERRED = 0.95, 0.7, 0.6
"""How sure it is: the solution of a problem that the host recorded, with a cue, and by its place alone."""
SOLUTION = "observation"
_ORDER = ("problem", "decision", "milestone")
TYPES = (*_ORDER, SOLUTION)
LEAST_IDF = 0.3
_FARTHEST = 20  # turns
_PURPOSE = regex(
    r"\b(?:(?:in order )?to (?:fix|avoid|reduce|prevent|solve|handle|resolve|stop|end)|so that|after|um|damit)\b"
    r"|\b(?:para (?:evitar|arreglar|resolver)|tras)\b|\b(?:pour (?:éviter|résoudre|corriger)|après)\b",
    re.IGNORECASE,
)
_NUMBER = regex(r"[\d.,:%-]+")


@dataclass(frozen=True, slots=True)
class SessionStatement:
    """A memory of a session: its type, the turn that it was taken from, and what it says."""

    docid: str
    content_type: str
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class CausalPair:
    """``cause`` led to ``effect`` (docids); ``why`` names what speaks for it."""

    cause: str
    effect: str
    weight: float
    why: str


def find_pairs(statements: Iterable[SessionStatement], idf: Callable[[str], float]) -> list[CausalPair]:
    """Of one session; ``idf`` in [0, 1] says how rare a name is in the vault. Each effect has the nearest cause."""
    ordered = sorted(statements, key=lambda one: (one.turn, TYPES.index(one.content_type), one.docid))
    return [*_solutions(ordered), *_inferences(ordered, idf)]


def _solutions(ordered: Sequence[SessionStatement]) -> Iterator[CausalPair]:
    """What the host recorded of a problem and of what mended it says the same of both."""
    for effect in ordered:
        if effect.content_type != SOLUTION:
            continue
        told = normalised(effect.text)
        for cause in ordered:
            if cause.content_type == "problem" and cause.turn == effect.turn and normalised(cause.text) in told:
                yield CausalPair(cause.docid, effect.docid, SOLVED, "solved")


def _inferences(ordered: Sequence[SessionStatement], idf: Callable[[str], float]) -> Iterator[CausalPair]:
    for at, effect in enumerate(ordered):
        rank = _ORDER.index(effect.content_type) if effect.content_type in _ORDER else 0
        named = _names(effect.text)
        for kind in reversed(_ORDER[:rank]):
            near = (one for one in reversed(ordered[:at]) if one.content_type == kind)
            cause = next((one for one in near if effect.turn - one.turn <= _FARTHEST and _share(one, named, idf)), None)
            if cause is not None:
                cued = may_tell(effect.text) or _PURPOSE.search(effect.text) is not None
                yield CausalPair(cause.docid, effect.docid, CUED if cued else INFERRED, "cue" if cued else "inferred")
                break


def _share(cause: SessionStatement, named: frozenset[str], idf: Callable[[str], float]) -> bool:
    return any(idf(name) >= LEAST_IDF for name in named & _names(cause.text))


def _names(text: str) -> frozenset[str]:
    return frozenset(name for name in names(text) if not _NUMBER.fullmatch(name))
