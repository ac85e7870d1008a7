"""The words that tell what a name names, from a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from hearth.text.tables import read_rows


@cache
def read_cues() -> Mapping[tuple[str, str], frozenset[str]]:
    """(type, where the cue stands) -> words in lower case."""
    rows = read_rows(Path(__file__).with_name("cues.tsv"))
    return {(kind, where): frozenset(words.split()) for kind, where, words in rows}


@lru_cache
def words_of(where: str) -> frozenset[str]:
    """The cues of all types in one place."""
    return frozenset[str]().union(*(words for (_, place), words in read_cues().items() if place == where))
