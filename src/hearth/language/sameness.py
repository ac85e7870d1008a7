"""Whether two statements say the same, whatever stresses one of them.

"I prefer tabs over spaces", "I really prefer tabs over spaces." and "I prefer tabs over spaces in code" are one
preference; "I prefer tabs over spaces in tests" names a condition and is another.
"""

from __future__ import annotations

from functools import lru_cache

from hearth.language.words import cues
from hearth.text.similarity import near_identical, normalised

_TRIM = " \t,;:.!。！、，"
_LEAST_CHARS = 4


def says_the_same(one: str, other: str) -> bool:
    """Whether one of two statements may be kept for both: they are near-identical as they stand, or once words that
    only stress them, and scopes that name no condition, are left out."""
    if near_identical(one, other):
        return True
    first, second = _strip(one), _strip(other)
    return min(len(first), len(second)) >= _LEAST_CHARS and near_identical(first, second)


@lru_cache(maxsize=1024)
def _strip(text: str) -> str:
    """A statement of one sentence without stress and empty scope, in the form in which texts are compared; of a longer
    text that form alone, since there the words belong to one of several things that are said."""
    plain = normalised(text).strip(_TRIM)
    if "\n" in text.strip() or any(end in plain for end in (". ", "! ", "? ", "。")):
        return plain
    bare = " ".join(cues("sameness", "stress").sub(" ", plain).split()).strip(_TRIM)
    return _cut_scope(bare)


def _cut_scope(text: str) -> str:
    while True:
        found = next((one for one in cues("sameness", "scope").finditer(text) if one.end() == len(text)), None)
        if found is None or not found.start():
            return text
        text = text[: found.start()].rstrip(_TRIM)
