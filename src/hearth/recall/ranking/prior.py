"""The prior: what metadata says of a fragment, factor by factor, and how far it moves a score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from math import log, log2
from pathlib import PurePosixPath
from typing import NamedTuple

from hearth.core import instants
from hearth.core.document import AGENT, Document, DocumentState
from hearth.core.instants import DAY_MS
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, DEFAULT_TYPE, ContentType
from hearth.ports import StoredDocument
from hearth.recall.ranking.candidate import Candidate, Stage, order
from hearth.recall.ranking.weights import CUT, PRIOR
from hearth.vault.validity import is_memory

Companions = Callable[[StoredDocument], Mapping[str, int]]
"""The documents (docid) that a document was used together with -> on how many occasions."""

# ClawMem asks for the partners of the first quarter in order of arrival; the best few keep the cost bounded.
BEST = 3
PARTNERS = 5


def together(candidates: Sequence[Candidate], companions: Companions) -> dict[str, int]:
    """docid -> the most occasions on which it was used together with one of the best three documents, for the five
    partners of each that are candidates too. ``candidates`` come best first."""
    there = {candidate.document.document.docid: candidate.document for candidate in candidates}
    found: dict[str, int] = {}
    for docid in list(there)[:BEST]:
        partners = [(count, other) for other, count in companions(there[docid]).items() if other in there]
        for count, other in sorted(partners, key=lambda pair: (-pair[0], pair[1]))[:PARTNERS]:
            if other != docid:
                found[other] = max(count, found.get(other, 0))
    return found


PIN = 0.3
COACTIVE_MOST = 0.15
FREQUENCY_MOST = 0.10

_FRESH_DAYS = 90
# The middle, at which a factor moves nothing.
_UNDATED = 0.5
_REFERENCE_BYTES = 500
_MEMORY = "MEMORY.md"


# -- formulas -------------------------------------------------------------------------------------------------------


def recency(age_days: float, half_life_days: float | None) -> float:
    """0.5^(age / half life); 1 where the type never ages."""
    if half_life_days is None:
        return 1.0
    return float(0.5 ** (max(0.0, age_days) / half_life_days))


def reinforce(half_life_days: float, accesses: int, idle_days: float) -> float:
    """The half-life of what is used: min(3 H, H + 0.3 H ln(1 + accesses * freshness)), where freshness falls from 1
    to 0 within 90 days without access."""
    freshness = min(1.0, max(0.0, 1 - idle_days / _FRESH_DAYS))
    return min(3 * half_life_days, half_life_days * (1 + 0.3 * log(1 + accesses * freshness)))


def attention(idle_days: float) -> float:
    """max(0.5, 0.95^weeks) without anybody's attention."""
    return float(max(0.5, 0.95 ** (max(0.0, idle_days) / 7)))


def confidence(baseline: float, aged: float, accesses: int, attended: float, stored: float) -> float:
    """min(1, baseline * recency * min(1.5, 1 + 0.1 log2(1 + accesses)) * attention) * stored. The recency is the one
    without access, which has its own term."""
    return min(1.0, baseline * aged * min(1.5, 1 + 0.1 * log2(1 + accesses)) * attended) * stored


def used(accesses: int) -> float:
    """The access term of the confidence, mapped to [0, 1]: 0 unused, 1 from 31 accesses."""
    return min(1.0, 0.2 * log2(1 + accesses))


def quality_multiplier(quality: float) -> float:
    """0.7 to 1.3 for a quality in [0, 1]."""
    return 0.7 + 0.6 * quality


def length(size: int) -> float:
    """max(0.3, 1 / (1 + 0.5 log2(max(size / 500, 1)))) of a file's bytes: twice 500 gives 0.67."""
    return max(0.3, 1 / (1 + 0.5 * log2(max(size / _REFERENCE_BYTES, 1.0))))


def frequency(revisions: int, duplicates: int) -> float:
    """1 + min(0.10, 0.03 ln(1 + 2 revisions + duplicates)), of the times that a text was revised or said again; the
    original counts the first time as well and takes it off."""
    return 1 + min(FREQUENCY_MOST, 0.03 * log(1 + 2 * revisions + duplicates))


def coactivation(together: int) -> float:
    """1 + min(count / 10, 0.15), of the times that a document was used together with one of the best hits."""
    return 1 + min(together / 10, COACTIVE_MOST)


# -- dates ----------------------------------------------------------------------------------------------------------


def evergreen(document: Document) -> bool:
    """Whether a document has no date to age by: ``MEMORY.md``, which is kept up to date, and imports without one."""
    if document.origin == "import" and document.authored_at is None:
        return True
    return document.path.endswith(_MEMORY) and PurePosixPath(document.path).name == _MEMORY


def ages(document: Document, ageing: Ageing) -> bool:
    """Whether its type ever ages, and it has a date to age by."""
    kind = CONTENT_TYPES.get(document.content_type, CONTENT_TYPES[DEFAULT_TYPE])
    return not evergreen(document) and ageing.half_life(kind) is not None


def written_at(document: Document) -> int | None:
    """ms UTC: the date in a daily file's name, else the document's; ``None`` for what is undated."""
    if document.content_type == "daily":
        named = _parse_date(PurePosixPath(document.path).name[:11])
        if named is not None:
            return named
    return document.dated_at


_parse_date = lru_cache(maxsize=4_096)(instants.parse_name)


# -- of a document --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ageing:
    """How documents age: seen from ``at`` (ms UTC), with ``half_lives`` in days over those of the registry of content
    types (``None``: never). Without ``decay`` nothing ages."""

    at: int
    half_lives: Mapping[str, float | None] = field(default_factory=dict)
    decay: bool = True

    def days(self, since: int) -> float:
        return max(0.0, (self.at - since) / instants.DAY_MS)

    def half_life(self, kind: ContentType) -> float | None:
        return self.half_lives.get(kind.name, kind.half_life_days) if self.decay else None


class Factors(NamedTuple):
    """``recency``, ``confidence``, ``quality``, ``used`` and ``importance`` lie in [0, 1], ``length`` in [0.3, 1],
    ``frequency`` in [1, 1.1], ``coactivation`` in [1, 1.15]."""

    recency: float
    confidence: float
    quality: float
    used: float
    length: float
    frequency: float
    coactivation: float
    pinned: bool
    importance: float = 0.5


def read_importance(document: Document) -> float:
    """How much a captured or imported memory matters, in [0, 1]; 0.5, which moves nothing, for all else: a note that
    says so of itself would raise itself."""
    if not is_memory(document) and document.trust != AGENT:
        return 0.5
    try:
        found = float(document.facts.get("importance", ""))
    except ValueError:
        return 0.5
    return found if 0 <= found <= 1 else 0.5


def factors(stored: StoredDocument, ageing: Ageing, together: int = 0) -> Factors:
    """All factors of a document that was used ``together`` times with one of the best hits.

    Attention counts from the writing too: an access never lowers the confidence, as it does in the original."""
    document, state = stored.document, stored.state
    kind = CONTENT_TYPES.get(document.content_type, CONTENT_TYPES[DEFAULT_TYPE])
    half_life = None if evergreen(document) else ageing.half_life(kind)
    written = written_at(document)
    known = [moment for moment in (written, state.last_accessed_at) if moment is not None]
    idle = ageing.days(max(known)) if known else 0.0
    fades = half_life is not None and kind.attention_decay
    # What nothing dates is neither new nor old: it has no age to lose confidence by, and gains nothing by being new.
    undated = written is None and half_life is not None
    age = 0.0 if written is None else ageing.days(written)
    plain = recency(age, half_life)
    accesses = state.access_count
    stored_confidence = document.confidence if state.confidence is None else state.confidence
    return Factors(
        recency=_UNDATED if undated else _age_factor(age, half_life, state, idle, plain),
        confidence=confidence(kind.baseline, plain, accesses, attention(idle) if fades else 1.0, stored_confidence),
        quality=document.quality,
        used=used(accesses) if accesses else 0.0,
        length=length(document.size),
        frequency=frequency(state.revision_count, state.duplicate_count),
        coactivation=coactivation(together),
        pinned=state.pinned,
        importance=read_importance(document),
    )


def _age_factor(age: float, half_life: float | None, state: DocumentState, idle: float, plain: float) -> float:
    if not state.access_count or half_life is None:
        return plain
    return recency(age, reinforce(half_life, state.access_count, idle))


UNDATED = 0.5


def newness(candidates: Sequence[Candidate], at: int) -> dict[int, float]:
    """Row of each document -> [0, 1]: 1 for the newest of those that answer nearly as well as the best, then less by
    one half-life for all types, since the latest decision is asked for too; 0.5 for what has no date. What answers
    less well counts as no newer than the oldest of these, so that its date alone does not carry it up.

    Ages count from that newest one: with ages from ``at`` (ms UTC) all that is a year old would be equally old.
    """
    dates = {c.document.id: _date(c, at) for c in candidates}
    bar = PRIOR.recency_near * max((candidate.score for candidate in candidates), default=0.0)
    rivals = {candidate.document.id for candidate in candidates if candidate.score >= bar}
    newest = max((day for row in rivals if (day := dates[row]) is not None), default=at)
    found = {
        row: UNDATED if day is None else recency((newest - day) / DAY_MS, PRIOR.recency_days)
        for row, day in dates.items()
    }
    least = min((found[row] for row in rivals), default=0.0)
    return {row: value if row in rivals else min(value, least) for row, value in found.items()}


def _date(candidate: Candidate, at: int) -> int | None:
    document = candidate.document.document
    written = None if evergreen(document) else written_at(document)
    return None if written is None else min(at, written)


# Shares of the prior below this are not worth telling.
_TOLD = 0.005


def shares(known: Factors) -> dict[str, float]:
    """w_i (f_i - 0.5) of each factor, mapped to [0, 1]. 0.5 stands for no length to speak of, and for never used, said
    again or seen in company, so that a document without a history is neither raised nor lowered."""
    return {
        "recency": PRIOR.recency * (known.recency - 0.5),
        "confidence": PRIOR.confidence * (known.confidence - 0.5),
        "quality": PRIOR.quality * (known.quality - 0.5),
        "use": PRIOR.access * known.used / 2,
        "length": PRIOR.length * (known.length - 1) / 2,
        "repetition": PRIOR.frequency * (known.frequency - 1) / FREQUENCY_MOST / 2,
        "company": PRIOR.coactivation * (known.coactivation - 1) / COACTIVE_MOST / 2,
        "importance": PRIOR.importance * (known.importance - 0.5),
    }


def prior(known: Factors) -> float:
    """clamp(0.5 + the sum of the shares); a pin sets it to 1, which nothing else reaches."""
    return 1.0 if known.pinned else min(1.0, max(0.0, 0.5 + sum(shares(known).values())))


def apply_prior(ageing: Ageing, companions: Companions, *, recent: bool, explain: bool = True) -> Stage:
    """Moves a score inside a narrow band around relevance; where recency was asked for, by date inside a wide one.
    Reasons are given only to ``explain``: they cost more than the rest."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        known = factors_of(candidates, ageing, companions)
        new = newness(candidates, ageing.at) if recent else {}
        judged = {row: _judge(found, new.get(row), explain=explain) for row, found in known.items()}
        return settle("prior", [(c, c.score * judged[c.document.id][0], judged[c.document.id][1]) for c in candidates])

    return stage


def factors_of(candidates: Sequence[Candidate], ageing: Ageing, companions: Companions) -> dict[int, Factors]:
    """The factors of each document among the candidates, by its row. ``candidates`` come best first."""
    used = together(candidates, companions)
    documents = {candidate.document.id: candidate.document for candidate in candidates}
    return {row: factors(stored, ageing, used.get(stored.document.docid, 0)) for row, stored in documents.items()}


def settle(stage: str, moved: Sequence[tuple[Candidate, float, str]]) -> list[Candidate]:
    """Candidates with their new scores and the reason, best first. Where the best is above 1, all are divided by it:
    cut off at 1, the best would tie."""
    most = max((score for _, score, _ in moved), default=1.0)
    scale = 1 / most if most > 1 else 1.0
    return order([candidate.move(stage, score * scale, why) for candidate, score, why in moved])


def _judge(known: Factors, new: float | None, *, explain: bool) -> tuple[float, str]:
    """What a score is multiplied by, and why."""
    value = prior(known)
    asked = 1.0 if new is None else 1 + PRIOR.recency_band * (new - 0.5)
    return asked * (1 + PRIOR.band * (value - 0.5)), _explain(known, value, new) if explain else ""


def _explain(known: Factors, value: float, new: float | None) -> str:
    asked = "" if new is None else f"recency asked for, {new:.2f} of the newest; "
    factors = sorted(shares(known).items(), key=lambda share: -abs(share[1]))
    named = ", ".join(f"{name} {share:+.2f}" for name, share in factors if abs(share) >= _TOLD)
    return f"{asked}prior {value:.2f}: {'pinned' if known.pinned else named}"


# Weights of relevance, recency and confidence as the original has them, not fitted.
ORDINARY = (0.5, 0.25, 0.25)
RECENT = (0.1, 0.7, 0.2)


def composite(
    relevance: float, known: Factors, *, recent: bool, ordinary: tuple[float, float, float] = ORDINARY
) -> float:
    """(0.5 relevance + 0.25 recency + 0.25 confidence) * quality * length * frequency * co-activation, and 0.3 for a
    pin; 0.1, 0.7 and 0.2 where recency was asked for. Above 1 where everything speaks for a document."""
    parts = zip(RECENT if recent else ordinary, (relevance, known.recency, known.confidence), strict=True)
    score = sum(weight * part for weight, part in parts)
    for multiplier in _multipliers(known).values():
        score *= multiplier
    return score + (PIN if known.pinned else 0.0)


def apply_composite(
    ageing: Ageing,
    companions: Companions,
    *,
    recent: bool,
    explain: bool = True,
    ordinary: tuple[float, float, float] = ORDINARY,
) -> Stage:
    """Replaces a score by the composite one, with reasons only to ``explain``. Where recency was asked for, it is that
    of ``newness``: by type, as in the original, the latest decision could not be told from the first. What is not about
    the question at all, scoring less than ``CUT.ratio`` times the best, is left out: metadata would make an answer of
    it."""

    def stage(candidates: list[Candidate]) -> list[Candidate]:
        least = CUT.ratio * max((candidate.score for candidate in candidates), default=0.0)
        candidates = [candidate for candidate in candidates if candidate.score and candidate.score >= least]
        known = factors_of(candidates, ageing, companions)
        if recent:
            new = newness(candidates, ageing.at)
            known = {row: found._replace(recency=new[row]) for row, found in known.items()}
        why = {row: _why(found, recent=recent) if explain else "" for row, found in known.items()}
        rows = [(c, c.document.id) for c in candidates]
        scored = ((c, composite(c.score, known[row], recent=recent, ordinary=ordinary), why[row]) for c, row in rows)
        return settle("prior", list(scored))

    return stage


def _why(known: Factors, *, recent: bool) -> str:
    factors = [f"recency {known.recency:.2f}", f"confidence {known.confidence:.2f}"]
    factors += [f"{name} x{value:.2f}" for name, value in _multipliers(known).items() if abs(value - 1) >= 0.005]
    factors += [f"pinned +{PIN}"] if known.pinned else []
    return f"composite{', recency asked for' if recent else ''}: {', '.join(factors)}"


def _multipliers(known: Factors) -> dict[str, float]:
    return {
        "quality": quality_multiplier(known.quality),
        "length": known.length,
        "repetition": known.frequency,
        "company": known.coactivation,
    }
