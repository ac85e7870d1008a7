"""The class of a question, its clauses, and the route that fits them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

from hearth.core.errors import HearthError, Unavailable
from hearth.core.graph import ClassChoice, QuestionClass
from hearth.core.lazy import dataclass, regex
from hearth.core.query import QueryPlan
from hearth.core.timeout import Timeout
from hearth.ports import Clock
from hearth.text.language import is_stop_word
from hearth.text.time_expressions import is_recency, time_ranges
from hearth.text.words import cues, each

if TYPE_CHECKING:
    from hearth.llm.documents import QuestionReader

_MAX_CHARS = 1_000
# Which day it is does not matter for whether a text names one.
_SOME_DAY = 1_700_000_000_000

_TABLE = "recall/questions"
_CLASSES: tuple[tuple[QuestionClass, tuple[str, ...]], ...] = (
    ("why", ("why", "effect")),
    ("when", ("when",)),
    ("entity", ("entity",)),
)


def asks_effects(text: str) -> bool:
    """Whether a question of the class ``why`` asks what came of something, not what led to it."""
    return cues(_TABLE, "effect").search(normalize("NFC", text[:_MAX_CHARS])) is not None


def classify(text: str) -> ClassChoice:
    """The class of a question."""
    text = normalize("NFC", text[:_MAX_CHARS])
    for asked, kinds in _CLASSES:
        # "qui" in French may ask for nobody
        read = cues(_TABLE, "nobody").sub(" ", text) if asked == "entity" else text
        if found := next(filter(None, (cues(_TABLE, kind).search(read) for kind in kinds)), None):
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

    def ask(
        self, work: Callable[[QuestionReader], T | None], seconds: float | None = None
    ) -> tuple[T | None, tuple[str, ...]]:
        """What the model says, or nothing and why the answer goes without it; ``seconds`` instead of the usual
        patience. Never raises for the model's sake."""
        if self._clock() < self._rest_until:
            return None, ("the language model (not available a moment ago)",)
        try:
            return self._timeout.call(lambda: work(self._load()), self._patience_s if seconds is None else seconds), ()
        except HearthError as error:
            if isinstance(error, Unavailable):
                self._rest_until = self._clock() + REST_MS
            return None, (f"the language model ({error.said})",)


MOST_CLAUSES = 4
_CLAUSES_MAX_CHARS = 2_000
_LEAST_CHARS = 2
_FLAGS = re.IGNORECASE

_WORD = regex(r"[^\W_](?:[\w'’.-]*\w)?")


@cache
def _break() -> re.Pattern[str]:
    """Where one question ends and the next begins."""
    kinds = ("joint", "beside", "also", "moreover", "asking")
    joint, beside, also, moreover, asking = (cues(_TABLE, kind).pattern for kind in kinds)
    goes_on = rf"[\s,;]+(?:{joint}|{beside})\s+(?:(?:{also})\s+)?(?={asking})"
    return regex(rf"(?<=[?？])\s+(?=\S)|{goes_on}|[\s,;]+(?:{moreover})[\s,]+", _FLAGS)


@cache
def _compile_question_after() -> re.Pattern[str]:
    asking, weighing = (cues(_TABLE, kind).pattern for kind in ("asking", "weighing"))
    return regex(rf",\s*(?={asking}|{weighing})", _FLAGS)


@cache
def _between_items() -> re.Pattern[str]:
    joint = cues(_TABLE, "joint").pattern
    return regex(rf"\s*,\s*(?:(?:{joint})\s+)?|\s+(?:{joint})\s+", _FLAGS)


def plan(text: str) -> QueryPlan:
    """How to answer a question; only its first 2,000 characters are read."""
    text = " ".join(text[:_CLAUSES_MAX_CHARS].split())
    if found := cues(_TABLE, "outline").search(text):
        return QueryPlan("outline", found[0].strip(" ,.?!"))
    for why, clauses in (_list_questions(text), _list_given(text), _list_compared(text)):
        if len(clauses) > 1:
            return QueryPlan("parts", why, tuple(clauses[:MOST_CLAUSES]))
    return QueryPlan("single")


def _list_questions(text: str) -> tuple[str, list[str]]:
    """What is asked one after the other; a part that says nothing alone, or points back, gets the subject before."""
    parts = [part.strip(" ,;") for part in _break().split(text)]
    parts = [part for part in parts if len(_words(part)) > 0 or _points_back(part)]
    if len(parts) < 2:
        return "", []
    subject = " ".join(_words(parts[0]))
    return "several questions", [parts[0], *(_complete(part, subject) for part in parts[1:])]


def _points_back(part: str) -> bool:
    return cues(_TABLE, "points_back").search(part) is not None


def _complete(part: str, subject: str) -> str:
    alone = bool(_words(part)) and not _points_back(part)
    return part if alone or not subject else f"{part.rstrip('?')} {subject}"


def _list_given(text: str) -> tuple[str, list[str]]:
    """What is to be taken into account, each on its own, before the question itself."""
    opened = cues(_TABLE, "given").match(text)
    asked = _compile_question_after().search(text)
    if opened is None or asked is None:
        return "", []
    given = text[opened.end() : asked.start()].strip()
    items = [item for item in _between_items().split(given) if len(item) > _LEAST_CHARS]
    return "several things to consider", items if len(items) > 1 else []


def _list_compared(text: str) -> tuple[str, list[str]]:
    """Each side of a comparison, with what is asked about both."""
    for pattern in each(_TABLE, "compared"):
        if found := pattern.search(text):
            sides = [side.strip() for side in found.groups()]
            rest = _words(cues(_TABLE, "frame").sub(" ", f"{text[: found.start()]} {text[found.end() :]}"))
            return f"compares {sides[0]} and {sides[1]}", [" ".join((side, *_unsaid(side, rest))) for side in sides]
    return "", []


def _unsaid(side: str, rest: Sequence[str]) -> Iterator[str]:
    words = {word.casefold() for word in _WORD.findall(side)}
    return (word for word in rest if word.casefold() not in words)


def _words(text: str) -> list[str]:
    """The words that carry meaning."""
    return [word for word in _WORD.findall(text) if not is_stop_word(word.casefold(), ("en", "es"))]


MODES = ("keyword", "semantic", "causal", "timeline", "discovery", "complex", "hybrid")


@dataclass(frozen=True, slots=True)
class ModeChoice:
    """``why`` is the wording that decided, empty for ``hybrid``."""

    mode: str
    why: str = ""


_ROUTES = "recall/routes"
_FEW = 4
"""Words of a question that is a list of keywords, if it names one of their kind."""
_EXACT_WORDS = 6
# What is spelled exactly; the first that matches decides. Case counts.
_QUOTED = regex(r'["“«][^"”»]{2,}["”»]')
_EXACT = tuple(
    map(
        regex,
        (
            r"(?<![\w.])[\w./-]*\w\.(?!\d)[A-Za-z][A-Za-z0-9]{0,9}(?![\w.])",
            r"(?<!\w)\.[a-z]{2,}(?:\.[a-z]+)*",
            r"(?<!\w)(?:[\w.-]+/){1,}[\w.-]+",
            r"(?<!\w)[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*[_-][A-Z0-9]+(?!\w)",
            r"(?<!\w)[A-Z]{5,}(?!\w)|(?<!\w)(?:TODO|FIXME)(?!\w)",
            r"(?<!\w)[A-Za-z]+_\w+|(?<!\w)[a-z]+[A-Z]\w+|(?<!\w)(?:[A-Z][a-z]+){3,}(?!\w)",
            r"(?<![\w-])--?[a-z][\w-]+|(?<!\w)[A-Z]\d{3,}(?!\w)|(?<!\w)v\d+(?:\.\d+)+",
        ),
    )
)
_WORDED = ("timeline", "discovery", "semantic", "keyword")


def route(text: str) -> ModeChoice:
    """The route for a question; only its first 1,000 characters are read."""
    text = normalize("NFC", text[:_MAX_CHARS])
    words, lowered = len(text.split()), text.lower()
    exact = (_QUOTED, *_EXACT) if words <= _FEW else (_QUOTED,) if words <= _EXACT_WORDS else ()
    for pattern in exact:
        if found := pattern.search(text):
            return ModeChoice("keyword", found[0].strip())
    if (asked := classify(text)).asked == "why":
        return ModeChoice("causal", asked.why)
    if dated := time_ranges(text, _SOME_DAY, "UTC"):
        return ModeChoice("timeline", dated[0].phrase)
    if is_recency(text):
        return ModeChoice("timeline", "recency")
    for mode in _WORDED if words <= _FEW else _WORDED[:-1]:
        for pattern in each(_ROUTES, mode):
            if found := pattern.search(lowered):
                return ModeChoice(mode, found[0].strip())
    planned = plan(text)
    return ModeChoice("hybrid") if planned.kind == "single" else ModeChoice("complex", planned.why)


def asks_newest(text: str) -> bool:
    """Whether a question asks for what is newest, whatever that is about ("latest", "what is new", "catch me up")."""
    text = normalize("NFC", text[:_MAX_CHARS])
    return is_recency(text) or cues(_ROUTES, "newest").search(text) is not None
