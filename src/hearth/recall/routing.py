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
from hearth.text.common_words import is_stop_word
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
def _asked_of_given() -> re.Pattern[str]:
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
    asked = _asked_of_given().search(text)
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
# Which day it is does not matter for whether a text names one.


@dataclass(frozen=True, slots=True)
class ModeChoice:
    """``why`` is the wording that decided, empty for ``hybrid``."""

    mode: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cue:
    """``pattern`` is matched in the text as given with ``exact``, else in lower case; questions of more than
    ``max_words`` words are not its business."""

    mode: str
    pattern: str
    max_words: int = 10_000
    exact: bool = False


_ASKS = (
    r"(?:what|why|how|who|which|where|when|do|does|did|is|are|qué|por qué|cómo|quién|cuál|dónde|cuándo|cuánt[oa]s?)\b"
)

# The first that matches decides. A date decides after the exact rules.
_EXACT = (
    Cue("keyword", r'["“«][^"”»]{2,}["”»]', 6, exact=True),
    Cue("keyword", r"(?<![\w.])[\w./-]*\w\.(?!\d)[A-Za-z][A-Za-z0-9]{0,9}(?![\w.])", 4, exact=True),
    Cue("keyword", r"(?<!\w)\.[a-z]{2,}(?:\.[a-z]+)*", 4, exact=True),
    Cue("keyword", r"(?<!\w)(?:[\w.-]+/){1,}[\w.-]+", 4, exact=True),
    Cue("keyword", r"(?<!\w)[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*[_-][A-Z0-9]+(?!\w)", 4, exact=True),
    Cue("keyword", r"(?<!\w)[A-Z]{5,}(?!\w)|(?<!\w)(?:TODO|FIXME)(?!\w)", 4, exact=True),
    Cue("keyword", r"(?<!\w)[A-Za-z]+_\w+|(?<!\w)[a-z]+[A-Z]\w+|(?<!\w)(?:[A-Z][a-z]+){3,}(?!\w)", 4, exact=True),
    Cue("keyword", r"(?<![\w-])--?[a-z][\w-]+|(?<!\w)[A-Z]\d{3,}(?!\w)|(?<!\w)v\d+(?:\.\d+)+", 4, exact=True),
)
_WORDED = (
    Cue("timeline", r"\bwhen (?:did|do|was|were|is|are|had|have|has|will|we|i)\b|\bcuándo\b"),
    Cue("timeline", r"\b(?:last|previous|prior|earlier) (?:session|conversation|time|chat)s?\b|\bhand-?offs?\b"),
    Cue("timeline", r"\bhistory of\b|\btimeline\b"),
    Cue("timeline", r"\bchronolog\w+|\bcatch me up\b|\bwhat(?:'s| has| have)? happened\b"),
    Cue("timeline", r"\bhistoria(?:l)? de|\bcronolog\w+"),
    Cue("timeline", r"\bp[oó]nme al día\b|\bqué (?:ha )?pas(?:ó|ado)\b|\btraspaso\b"),
    Cue("timeline", r"\b(?:sesi[oó]n|conversaci[oó]n|vez) (?:anterior|pasada|previa)\b"),
    Cue("timeline", r"\bchanged since\b|\bcambi\w+ desde\b|\bevolved?\b|\bevolucion\w+"),
    Cue("timeline", r"\bwhat(?:'s| is) new\b|\bqué (?:hay de )?(?:nuevo|novedades)\b"),
    Cue("discovery", r"\b(?:similar|related|resembl\w+|comparable|akin|alike|neighbou?r\w*)\b"),
    Cue("discovery", r"\bremind\w* (?:you|me|us)\b"),
    Cue("discovery", r"\b(?:what|who|anything|anyone|something|where) else\b"),
    Cue("discovery", r"\blike th(?:is|ese|at)\b|\bmore (?:like|about|on)\b"),
    Cue("discovery", r"\b(?:more|other) (?:notes?|documents?|decisions?|problems?|pages?|examples?|memories)\b"),
    Cue("discovery", r"\b(?:connected|linked) (?:to|with)\b|\bassociated with\b|\bexplore\b|\btopics? around\b"),
    Cue("discovery", r"\beverything (?:on|about)\b|\btodo (?:sobre|acerca)\b"),
    Cue("discovery", r"\bsame (?:subject|topic)\b|\bmismo (?:asunto|tema)\b"),
    Cue("discovery", r"\b(?:seen|had|met) .{1,60}\bbefore\b|\bvisto .{1,60}\bantes\b"),
    Cue("discovery", r"\b(?:parecid[oa]s?|similares?|semejantes?|relacionad[oa]s?|comparables?|afines|cercan[oa]s)\b"),
    Cue("discovery", r"\b(?:qué|algo|quién) más\b"),
    Cue("discovery", r"\bmás (?:como|documentos|notas|ejemplos|sobre|acerca)\b|\basociad[oa]s?\b"),
    Cue("discovery", r"\b(?:otr[oa]s) (?:notas|documentos|decisiones|problemas|páginas|ejemplos|recuerdos)\b"),
    Cue("discovery", r"\bse parecen?\b|\btienen? que ver\b"),
    Cue("discovery", r"\bme recuerda a\b|\bcomo (?:este|esta|estos|estas|esto)\b"),
    Cue("semantic", r"\bhow (?:do|does|did|is|are|can|could|should|would|to)\b|\bcómo\b"),
    Cue("semantic", r"\b(?:explain|describe|understand|overview|summari[sz]e|introduction|walk me through)\b"),
    Cue("semantic", r"\b(?:purpose|concept|meaning|idea|philosophy|architecture) (?:of|behind)\b"),
    Cue("semantic", r"\bwhat (?:do|does) .{1,80} mean\b"),
    Cue("semantic", r"\b(?:expl[ií]ca\w*|descr[ií]be\w*|entender|comprender|resum(?:en|e|ir))\b"),
    Cue("semantic", r"\b(?:introducción|visión general)\b"),
    Cue("semantic", r"\b(?:propósito|concepto|significado|arquitectura) (?:de|del)\b"),
    Cue("semantic", r"\b(?:qué )?significan?\b|\bidea\b.{0,20}\bdetrás\b"),
    Cue("semantic", r"\bdifferences? between\b|\bdiferencias? entre\b|\bentiendo\b|\bacl[aá]ra\w*"),
    Cue("semantic", r"\ben qué consiste|\b(?:para|de) qué sirven?\b"),
    Cue(
        "keyword",
        rf"^(?!{_ASKS}).*\b(?:ports?|urls?|address|paths?|files?|filename|config|settings?|keys?|flags?|versions?|tables?"
        r"|errors?|endpoints?|hostnames?|e-?mails?|puertos?|archivos?|ficheros?|rutas?|claves?|configuración|ajustes?"
        r"|par[aá]metros?|tablas?|versi[oó]n|correos?|direcci[oó]n)\b",
        4,
    ),
)  # fmt: skip


def route(text: str) -> ModeChoice:
    """The route for a question; only its first 1,000 characters are read."""
    text = normalize("NFC", text[:_MAX_CHARS])
    words, lowered = len(text.split()), text.lower()
    for rule in _EXACT:
        if words <= rule.max_words and (found := _compile(rule.pattern).search(text)):
            return ModeChoice(rule.mode, found[0].strip())
    if (asked := classify(text)).asked == "why":
        return ModeChoice("causal", asked.why)
    if dated := time_ranges(text, _SOME_DAY, "UTC"):
        return ModeChoice("timeline", dated[0].phrase)
    if is_recency(text):
        return ModeChoice("timeline", "recency")
    for rule in _WORDED:
        if words <= rule.max_words and (found := _compile(rule.pattern).search(lowered)):
            return ModeChoice(rule.mode, found[0].strip())
    planned = plan(text)
    return ModeChoice("hybrid") if planned.kind == "single" else ModeChoice("complex", planned.why)


_NEWEST = (
    r"\bwhat(?:'s| is) new\b|\bcatch me up\b|\bwhat(?:'s| has| have)? happened\s*\??$"
    r"|\b(?:last|previous) (?:session|conversation|chat)s?\b"
    r"|\b(?:sesi[oó]n|conversaci[oó]n) (?:anterior|pasada|previa)\b"
    r"|\bp[oó]nme al día\b|\bqué (?:hay de )?(?:nuevo|novedades)\b"
)


def asks_newest(text: str) -> bool:
    """Whether a question asks for what is newest, whatever that is about ("latest", "what is new", "catch me up")."""
    text = normalize("NFC", text[:_MAX_CHARS])
    return is_recency(text) or _compile(_NEWEST).search(text.lower()) is not None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return regex(pattern)
