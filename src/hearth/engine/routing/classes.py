"""What a question asks for: why, when, of whom, or what; by its wording, in nine languages.

The classes go before each other in this order: a why with a date asks why. Pure; reads 1,000 characters.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from unicodedata import normalize

from hearth.lazy import regex
from hearth.model.graph.question import ClassChoice, QuestionClass
from hearth.text.tables import read_rows
from hearth.text.times.expressions import is_recency, time_ranges

_MAX_CHARS = 1_000
# Which day it is does not matter for whether a text names one.
_SOME_DAY = 1_700_000_000_000

# French "qui" that asks for no one.
_QUI = regex(r"(?:est-ce|ce|celui|celle|ceux|celles) qui\b", re.IGNORECASE)


@cache
def _wordings() -> dict[QuestionClass, re.Pattern[str]]:
    rows: dict[str, list[str]] = {"why": [], "when": [], "entity": []}
    for asked, pattern in read_rows(Path(__file__).with_name("classes.tsv")):
        rows[asked].append(pattern)
    why, when, entity = (re.compile("|".join(patterns), re.IGNORECASE) for patterns in rows.values())
    return {"why": why, "when": when, "entity": entity}


def classify(text: str) -> ClassChoice:
    """The class of a question."""
    text = normalize("NFC", text[:_MAX_CHARS])
    for asked, wording in _wordings().items():
        if found := wording.search(_QUI.sub(" ", text) if asked == "entity" else text):
            return ClassChoice(asked, found[0].strip())
    if dated := time_ranges(text, _SOME_DAY, "UTC"):
        return ClassChoice("when", dated[0].phrase)
    return ClassChoice("when", "recency") if is_recency(text) else ClassChoice("what")
