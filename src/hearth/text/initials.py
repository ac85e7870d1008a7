"""Initials: the acronyms that a name of several words may go by."""

from __future__ import annotations

import re
from functools import lru_cache

_LEAST, _MOST = 3, 8
_JOINING = """
of the and for on in at to a an de del la las los el y e du des le les et pour der die das den und für von vom zu zur
im am da do dos das per il lo di
"""
_SMALL = frozenset(_JOINING.split())


@lru_cache(maxsize=16_384)
def initials_of(name: str) -> frozenset[str]:
    """In lower case, with and without the words that join others ("of", "und"); of three to eight letters. Two letters
    are too many people's."""
    words = [word for word in re.split(r"[\s\-/]+", name) if word and word[0].isalpha()]
    told = [word for word in words if word.casefold() not in _SMALL]
    found = ("".join(word[0] for word in some).casefold() for some in (words, told) if len(some) > 1)
    return frozenset(one for one in found if _LEAST <= len(one) <= _MOST)


def acronym_of(name: str) -> str | None:
    """The letters of a name that may be an acronym, in lower case: capitals alone, with dots or without."""
    letters = name.replace(".", "")
    return letters.casefold() if letters.isupper() and letters.isalpha() and _LEAST <= len(letters) <= _MOST else None
