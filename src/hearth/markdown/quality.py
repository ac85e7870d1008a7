"""How much a text is worth remembering, by its form and words alone."""

from __future__ import annotations

import re
from functools import cache

from hearth.core.lazy import regex
from hearth.markdown.blocks import Lines, scan
from hearth.markdown.description import Description

DECISION_WORDS = frozenset(
    {
        "decide", "decided", "decision", "chose", "chosen", "will use", "switching to", "switched to", "going with",
        "went with", "selected", "adopted", "settled on", "agreed to",
        "decidido", "decidimos", "decidí", "decidió", "decisión", "elegimos", "elegido", "elegí", "usaremos",
        "vamos a usar", "optamos por", "adoptamos", "adoptado", "acordamos", "nos quedamos con", "cambiamos a",
    }
)  # fmt: skip
CORRECTION_WORDS = frozenset(
    {
        "fix", "fixes", "fixed", "bug", "resolved", "corrected", "correction", "patched", "root cause", "workaround",
        "arreglado", "arreglamos", "arreglé", "corregido", "corregimos", "corregí", "corrección", "error corregido",
        "resuelto", "resolvimos", "solucionado", "parcheado", "causa raíz", "fallo",
    }
)  # fmt: skip

_BLOCK = 65_536
_H2 = regex(r"^ {0,3}##(?:[ \t]|\r?$)|^ {0,3}-+[ \t]*\r?$", re.MULTILINE)
# What ends a word in ASCII text.
_ASCII_REST = {point: " " for point in range(128) if not (chr(point).isalnum() or chr(point) == "_")}
_ITEM = regex(r"^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\S", re.MULTILINE)


def quality(text: str, description: Description) -> float:
    """A score in [0, 1] for the body of a document; lengths are in characters.

    0.30, plus 0.10 over 200 characters, 0.10 over 500, 0.10 for a heading of level 2, 0.05 for a list, 0.15 for
    words of decision, 0.10 for words of correction, 0.05 each for tags, domain and workstream; less 0.10 under 50.
    """
    length = len(text)
    decides, corrects = _read_words(text)
    hundredths = (
        30
        + 10 * (length > 200)
        + 10 * (length > 500)
        + 10 * _has_section(text)
        + 5 * bool(_ITEM.search(text))
        + 15 * decides
        + 10 * corrects
        + 5 * (bool(description.tags) + bool(description.domain) + bool(description.workstream))
        - 10 * (length < 50)
    )
    return min(hundredths, 100) / 100


def _has_section(text: str) -> bool:
    if not _H2.search(text):
        return False
    return any(block.level == 2 for block in scan(Lines(text).rows))


def _read_words(text: str) -> tuple[bool, bool]:
    """Whether it has words of decision, and of correction. Of a long text as many lines are read as it takes."""
    decides = corrects = False
    start = 0
    while start < len(text) and not (decides and corrects):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        lower = text[start:end].lower()
        words = frozenset(lower.translate(_ASCII_REST).split()) if lower.isascii() else None
        decides = decides or _mentions(lower, words, DECISION_WORDS)
        corrects = corrects or _mentions(lower, words, CORRECTION_WORDS)
        start = end
    return decides, corrects


def _mentions(lower: str, words: frozenset[str] | None, vocabulary: frozenset[str]) -> bool:
    """``words`` are all words of the text, where it is ASCII."""
    if words is None:
        return any(_stands(phrase, lower) for phrase in vocabulary if phrase in lower)
    if not words.isdisjoint(vocabulary):
        return True
    return any(_stands(phrase, lower) for phrase in _phrases(vocabulary) if phrase in lower)


def _stands(phrase: str, lower: str) -> bool:
    return re.search(rf"\b{phrase}\b", lower) is not None


@cache
def _phrases(vocabulary: frozenset[str]) -> tuple[str, ...]:
    return tuple(phrase for phrase in vocabulary if " " in phrase and phrase.isascii())
