"""The words that tell what a name names, from a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def read_cues() -> Mapping[tuple[str, str], frozenset[str]]:
    """(type, where the cue stands) -> words in lower case."""
    text = files("hearth.extract.entities").joinpath("cues.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {(kind, where): frozenset(words.split()) for kind, where, words in rows}
