"""How common words are in ordinary text, so that a small vault knows which words say little.

The table is made by ``tools/count_background.py`` from documentation inside installed packages: a line per index
term with the share of 100-word windows that hold it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hearth.text.tables import read_rows

# What an unlisted word is assumed to have: rarer than any that is listed.
_UNLISTED = 0.0005


@cache
def _table() -> dict[str, float]:
    return {term: float(share) for term, share in read_rows(Path(__file__).with_name("background.tsv"))}


def background_share(term: str) -> float:
    """The share of ordinary 100-word windows that hold an index term, in [0, 1]."""
    return _table().get(term, _UNLISTED)


def is_listed(term: str) -> bool:
    """Whether ordinary English text holds the term often enough to be in the table."""
    return term in _table()
