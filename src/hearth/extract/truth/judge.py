"""The judge: how two statements stand to each other, by cues and by what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hearth.extract.truth.rules import RULES
from hearth.extract.truth.statement import MOST, Parsed, language_for, read
from hearth.model.truth.judgement import Judgement, Relation, Said

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "Vectors"]
"""Texts to unit vectors of the built-in embedder."""
_NEAR = 0.85
_ALIKE = 0.75
"""Cosine from which two words that stand for one another may mean the same."""
_HEDGES = (
    ("asked", "it asks"),
    ("maybe", "it is a wish, a plan or a guess"),
    ("talk", "it speaks about what was said"),
    ("past", "it is about former times"),
)


def judge(older: Said, newer: Said, embed: Embed | None = None) -> Judgement:
    """How ``newer`` stands to ``older``; who calls knows which is which. ``embed`` gives the built-in embedder's
    vectors, which tell words of one meaning; they never make a statement give way."""
    if max(len(older.text), len(newer.text)) > MOST:
        return Judgement(Relation.UNRELATED, 0.5, reason="one of them says more than one thing")
    language = language_for(older.text, newer.text)
    one, other = read(older.text, language), read(newer.text, language)
    unfit = _unfit(one, other)
    if unfit is not None:
        return unfit
    for rule in RULES:
        verdict = rule(one, other)
        if verdict is not None:
            return verdict
    meant = _alike(one, other, embed) if embed is not None else None
    return meant or Judgement(Relation.UNRELATED, 0.8, reason=_apart(one, other))


def _apart(one: Parsed, other: Parsed) -> str:
    mine, theirs = one.quote(one.keys - other.keys), other.quote(other.keys - one.keys)
    return f"they are about different things: “{mine}”, “{theirs}”"


def _unfit(one: Parsed, other: Parsed) -> Judgement | None:
    """What neither replaces nor is replaced: what does not say how things are."""
    denied = "never" in other.flags  # of what is over, too
    for side, statement in (("newer", other), ("older", one)):
        for flag, why in _HEDGES:
            if flag in statement.flags and not (denied and flag == "past" and statement is one):
                return Judgement(Relation.UNRELATED, 0.9, reason=f"the {side} one states nothing: {why}")
    if not one.keys or not other.keys:
        return Judgement(Relation.UNRELATED, 0.5, reason="too little is said")
    if ("if" in one.flags) != ("if" in other.flags):
        return Judgement(Relation.UNRELATED, 0.9, reason="one holds under a condition")
    return None


def _alike(one: Parsed, other: Parsed, embed: Embed | None) -> Judgement | None:
    """One word differs and may mean the same: said again at most, never replaced."""
    before, after = one.words - other.words, other.words - one.words
    if embed is None or len(before) != 1 or len(after) != 1 or one.values != other.values:
        return None
    if one.negative != other.negative or one.olds or other.olds or "end" in one.flags ^ other.flags:
        return None
    first, second = one.quote(before), other.quote(after)
    if not first.islower() or not second.islower() or len(one.words) < 3:
        return None
    rows = embed([first, second])
    if float(rows[0] @ rows[1]) < _ALIKE:
        return None
    return Judgement(Relation.SAME, _NEAR, reason=f"“{first}” and “{second}” mean about the same")
