"""Routing: what kind of answer a question asks for, by its wording in English or Spanish.

A rule has to be sure: whatever none claims is ``hybrid``, the route that is right for most questions.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

from hearth.core.lazy import dataclass
from hearth.recall.routing.classes import classify
from hearth.recall.routing.clauses import plan
from hearth.text.times.expressions import is_recency, time_ranges

MODES = ("keyword", "semantic", "causal", "timeline", "discovery", "complex", "hybrid")
_MAX_CHARS = 1_000
# Which day it is does not matter for whether a text names one.
_SOME_DAY = 1_700_000_000_000


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
    return re.compile(pattern)
