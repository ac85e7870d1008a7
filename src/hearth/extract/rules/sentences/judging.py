"""What each sentence of a prompt most likely is: the model of sentences, and the words that say it outright."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hearth.extract.rules.sentences.cues import cues, patterns
from hearth.extract.rules.sentences.model import CLASSES, features, load, word_grams
from hearth.extract.rules.units import Unit, units
from hearth.lazy import dataclass, regex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Embed = Callable[[Sequence[str]], "Vectors"]
"""Texts to unit vectors of the built-in embedder."""
_MOST_CHARS = 20_000
"""Characters of one prompt: what is longer was pasted."""
_KEPT_CLASSES = CLASSES[: CLASSES.index("opinion")]
_KEPT = len(_KEPT_CLASSES)
_OWN_CUES = {
    "decision": "decide",
    "preference": "prefer",
    "commitment": "promise",
    "correction": "correct",
    "principle": "always",
}
_OWN_ODDS = 3.0
_HARDLY, _OUTRIGHT = 0.2, 0.96
_REMINDED = regex(r"^(?:please\s+)?(?:don['’]t\s+forget|remember|keep\s+in\s+mind|note)\s+that\s+", re.IGNORECASE)
_VERB = regex(r"(?:is|are|was|were|has|have|do|does|did)\b", re.IGNORECASE)
_COURTESY = regex(
    r"(?:please|por\s+favor|bitte|s['’]il\s+(?:te|vous)\s+pla[iî]t|per\s+favore|пожалуйста)", re.IGNORECASE
)
_LAST_CHARS = 3
LIKELY = 0.35
"""Of a class that other words speak for, too."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A unit with what it most likely is: ``chance`` of ``label``, and of its being ``idle``, in [0, 1]."""

    unit: Unit
    label: str
    chance: float
    held: frozenset[str]
    idle: float = 0.0


@lru_cache(maxsize=512)
def judge(text: str, language: str, embed: Embed | None) -> tuple[Judged, ...]:
    """Every unit of what a person said. Kept for a while: a session is read again for its hand-off."""
    parts = units(text[:_MOST_CHARS])
    if not parts:
        return ()
    import numpy as np

    said = [_REMINDED.sub("", part.text) for part in parts]
    held = [cues(text, language) for text in said]
    rows = np.array([features(t, h, asked=p.asked) for p, t, h in zip(parts, said, held, strict=True)], np.float32)
    chances = load().judge(rows, [word_grams(text) for text in said], embed(said) if embed is not None else None)
    return tuple(
        Judged(part, *_likeliest(row, kinds), kinds - _no_request(text, kinds, language), sum(row[_KEPT:]))
        for part, text, row, kinds in zip(parts, said, chances.tolist(), held, strict=True)
    )


def _likeliest(chances: Sequence[float], held: frozenset[str]) -> tuple[str, float]:
    """The class that is likeliest of those kept. One of which the own word is said, and not as a thought, gains by its
    odds, and is said outright where hardly anything speaks for small talk."""
    best = "", 0.0
    outright = sum(chances[_KEPT:]) < _HARDLY
    for name, chance in zip(_KEPT_CLASSES, chances, strict=False):
        told = chance
        if _OWN_CUES.get(name) in held and "think" not in held:
            told = chance * _OWN_ODDS / (chance * _OWN_ODDS + 1 - chance)
            told = max(told, _OUTRIGHT) if outright and chance >= LIKELY else told
        best = max(best, (name, told), key=lambda one: one[1])
    return best


def _no_request(text: str, held: frozenset[str], language: str) -> frozenset[str]:
    """The cue of a request where it is only the verb of a statement ("the year is the calendar year") or a courtesy
    after one: the model knows it, what is kept does not hang on it."""
    found = patterns(language)["ask"].search(text.lower()) if "ask" in held else None
    if found is None or not found.start():
        return frozenset()
    start, end = found.span()
    inverted = _VERB.match(text, start) is not None and text[:start].rstrip()[-1:].isalnum()
    courtesy = _COURTESY.match(text, start) is not None and len(text) - end <= _LAST_CHARS
    return frozenset({"ask"}) if inverted or courtesy else frozenset()
