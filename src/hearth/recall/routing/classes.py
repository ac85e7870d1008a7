"""What a question asks for: why, when, of whom, or what; by its wording, or by a language model."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

from hearth.core.errors import HearthError, Unavailable
from hearth.core.graph import ClassChoice, QuestionClass
from hearth.core.lazy import regex
from hearth.core.timeout import Timeout
from hearth.ports import Clock
from hearth.text.lines import read_rows
from hearth.text.times.expressions import is_recency, time_ranges

if TYPE_CHECKING:
    from hearth.llm.documents import QuestionReader

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


T = TypeVar("T")

PATIENCE_S = 8.0
"""How long a question waits for the model."""
REST_MS = 60_000
"""How long a model that could not be had is left alone."""


class Interpreter:
    """``load`` opens the model by the settings, when first used. Thread-safe."""

    def __init__(self, load: Callable[[], QuestionReader], clock: Clock, patience_s: float = PATIENCE_S) -> None:
        self._load, self._clock = load, clock
        self._patience_s = patience_s
        self._timeout = Timeout()
        self._rest_until = 0

    def ask(self, work: Callable[[QuestionReader], T | None]) -> tuple[T | None, tuple[str, ...]]:
        """What the model says, or nothing and why the answer goes without it. Never raises for the model's sake."""
        if self._clock() < self._rest_until:
            return None, ("the language model (it could not be had a moment ago)",)
        try:
            return self._timeout.call(lambda: work(self._load()), self._patience_s), ()
        except HearthError as error:
            if isinstance(error, Unavailable):
                self._rest_until = self._clock() + REST_MS
            return None, (f"the language model ({error.said})",)
