"""What mended which problem of a session: pairs that the host recorded together. Pure.

That two things were told soon after each other of the same name is no cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hearth.lazy import dataclass
from hearth.text.similarity import normalised

SOLVED = 0.95
"""How sure the solution of a problem is that the host recorded."""
SOLUTION = "observation"
TYPES = ("problem", "decision", "milestone", SOLUTION)


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


def find_pairs(statements: Iterable[SessionStatement]) -> list[CausalPair]:
    """Of one session."""
    return list(_solutions(sorted(statements, key=lambda one: (one.turn, TYPES.index(one.content_type), one.docid))))


def _solutions(ordered: Sequence[SessionStatement]) -> Iterator[CausalPair]:
    """What the host recorded of a problem and of what mended it says the same of both."""
    for effect in ordered:
        if effect.content_type != SOLUTION:
            continue
        told = normalised(effect.text)
        for cause in ordered:
            if cause.content_type == "problem" and cause.turn == effect.turn and normalised(cause.text) in told:
                yield CausalPair(cause.docid, effect.docid, SOLVED, "solved")
