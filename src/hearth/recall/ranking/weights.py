"""The constants of ranking, fitted by ``bench/tune.py``; ``docs/scoring.md`` has the figures they gave. BM25 over
weighted fields, and the calibration of scores and cosines to [0, 1]."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hearth.core.document import Curve
from hearth.core.lazy import dataclass
from hearth.text.terms import sum_all_counts, sum_counts

if TYPE_CHECKING:
    from hearth.ports import Vectors


@dataclass(frozen=True, slots=True)
class KeywordWeights:
    """``k1``/``b`` of BM25; an occurrence in headings, or in what the document is called (title, path, aliases, tags),
    counts that many times one in the body; ``coverage`` against strength in the calibrated score."""

    k1: float = 1.2
    b: float = 0.75
    heading: float = 1.0
    meta: float = 2.0
    coverage: float = 0.15


@dataclass(frozen=True, slots=True)
class BridgeWeights:
    """What another word counts against one of the question: a word whose cosine to it is above ``close`` up to
    ``meaning``; one that translates it ``translation``; one that the owner calls a synonym ``synonym``; a compound
    that ends with it ``tail``. At most ``most`` words count for one, compounds aside."""

    meaning: float = 0.8
    close: float = 0.3
    translation: float = 0.7
    synonym: float = 0.8
    spelling: float = 0.8
    tail: float = 0.6
    most: int = 8


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """Weight of each lane in the fused score; lanes that did not answer drop out of the mean. ``substring`` is what
    whole tokens weigh where they are all of the question; ``name`` speaks only for what the question names (a document,
    a time or the last session where it asks for nothing else), ``phrase`` raises what holds its quoted phrases,
    ``entity`` what stands in documents that mention whom it names.
    A space of a model that reads words in their context weighs ``contextual`` instead of ``vector``, times the spread
    of the vault's fragments in it; the odds that another gives are raised to ``temper``, since it judges the words that
    the keyword lane judges."""

    keyword: float = 1.0
    vector: float = 0.5
    contextual: float = 1.0
    temper: float = 0.5
    substring: float = 0.15
    name: float = 5.0
    phrase: float = 0.5
    time: float = 0.05
    entity: float = 0.01


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """Band of the prior around relevance, ordinary and when the question asks for recency, and factor weights, which
    sum to less than 1 so that a pin alone gives the full prior. Recency that was asked for halves in ``recency_days``,
    counted from the newest of those that score ``recency_near`` times the best. Of what says the same the older one
    loses up to ``age_band`` of the better score, by its recency. A decision that does not hold counts ``over`` times as
    much."""

    band: float = 0.02
    recency_band: float = 0.6
    recency_days: float = 30.0
    recency_near: float = 0.8
    age_band: float = 0.2
    over: float = 0.9
    recency: float = 0.35
    confidence: float = 0.2
    quality: float = 0.12
    access: float = 0.08
    length: float = 0.03
    frequency: float = 0.04
    coactivation: float = 0.06
    importance: float = 0.1


@dataclass(frozen=True, slots=True)
class WalkWeights:
    """A walk along relations starts from the ``seeds`` best fragments. Of what flows into a document, as a share of the
    most, raised to ``power``, a hit of score s gains ``gain`` (1 - s), and what comes in gets ``newcomer`` of the score
    of what it was reached from. With a gain of 0.1 hits of BEAM's chats that answer were lost."""

    seeds: int = 10
    gain: float = 0.02
    newcomer: float = 0.6
    power: float = 1.0


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Confidence that the first fragment answers is logistic in the evidence (``slope``; one half at ``middle``) and in
    how much better that fragment matches than any other document (``ahead``). Evidence is the mean of the coverage of
    the question by one of the best fragments, counting ``meaning`` times of the probability that the nearest one is
    relevant (``unread`` for what the vectors' model does not know of the question, ``unasked`` where no vectors are
    asked) and counting ``strength`` times of the fused score of the best one. It is ``names`` more where the best
    fragments hold every name in the question, as much less where they hold none, and ``many`` less for each e-fold of
    more than ``fragments`` that there are to find something by chance."""

    meaning: float = 1.2
    unread: float = 0.8
    unasked: float = 0.65
    strength: float = 0.9
    names: float = 0.05
    many: float = 0.015
    fragments: int = 700
    slope: float = 5.5
    middle: float = 0.54
    ahead: float = 6.1


@dataclass(frozen=True, slots=True)
class CutWeights:
    """An answer is confident from a confidence of ``floor``. Whoever asks gets what scores at least ``ratio`` times the
    best and ``least`` (``merged`` times the best where the parts of a prompt are answered apart). A fragment that
    scores ``fair`` is an answer by itself, one below ``weak`` is none."""

    floor: float = 0.5
    fair: float = 0.36
    weak: float = 0.15
    ratio: float = 0.25
    least: float = 0.1
    merged: float = 0.5


@dataclass(frozen=True, slots=True)
class DiversityWeights:
    """Beside another fragment of its document, a fragment is worth ``document`` times its share of it less. Shared
    words of fragments of different documents count ``elsewhere``."""

    document: float = 0.5
    elsewhere: float = 0.5


@dataclass(frozen=True, slots=True)
class PackWeights:
    """What a unit's own words add to its window's score, the better unit beside it, and that it says how to act from
    now on. When lines of a note are chosen to be shown, a word of the question that is in its title counts ``titled``
    times any other."""

    own: float = 0.2
    titled: float = 0.1
    beside: float = 0.3
    standing: float = 0.2


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """``fused`` is the share of the fused score, the rest the reranker's. At most ``candidates`` texts are read, each
    of at most ``text`` tokens, against ``question`` tokens of the question and ``intent`` of the intent. A word of the
    intent counts ``hint`` times one of the question."""

    fused: float = 0.1
    candidates: int = 30
    text: int = 300
    question: int = 96
    intent: int = 48
    hint: float = 0.5


@dataclass(frozen=True, slots=True)
class NewestWeights:
    """Of two statements the newer one stands first where it scores ``as_well`` times the older one; or ``near`` times,
    and both name things of one kind or their cosine is ``close``; or ``same`` times, and both settle the same thing or
    the newer one names what the older one chose. From a cosine of ``beside`` on it is brought along without being put
    first. Nothing takes the place of what scores less than ``answers`` times the best, and what scores less than
    ``least`` times it is not read."""

    as_well: float = 0.85
    near: float = 0.3
    close: float = 0.4
    same: float = 0.15
    beside: float = 0.33
    answers: float = 0.25
    least: float = 0.06


KEYWORD = KeywordWeights()
BRIDGE = BridgeWeights()
FUSION = FusionWeights()
PRIOR = PriorWeights()
CONFIDENCE = ConfidenceWeights()
CUT = CutWeights()
DIVERSITY = DiversityWeights()
PACK = PackWeights()
NEWEST = NewestWeights()
RERANK = RerankWeights()
WALK = WalkWeights()
VOICE = 0.6
"""What the score of an assistant's words, and of frontmatter, is multiplied by: what the person said is the
evidence."""
REFERENCE = 0.85
"""What the score of a page of reference is multiplied by where own notes may answer as well. Of questions about the
examples beside 2,290 command pages, and about these pages, what comes first is right in 26 and 56 without it."""

SPOKEN = 0.85
"""The same for translations, where the one in the question's language answers about as well. Of 952 questions of XQuAD
in four languages, over one vault of all four, 891 find their own article first by keyword, and 876 without it."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """One word of the question: any of ``ids`` counts as it; ``idf`` carries its share of the question. Where a
    fragment has none of them, the heaviest of ``bridges`` (term, weight) that it has counts instead."""

    ids: tuple[int, ...]
    idf: float
    bridges: tuple[tuple[int, float], ...] = ()


class Relevance(NamedTuple):
    """``raw`` is BM25; ``share`` is it relative to the best that any fragment could reach for this question;
    ``coverage`` the part of the question's idf mass whose words occur at all."""

    raw: float
    share: float
    coverage: float

    @property
    def score(self) -> float:
        """Calibrated to [0, 1]: partly how much is covered, mostly how strongly."""
        mix = KEYWORD.coverage * self.coverage + (1 - KEYWORD.coverage) * self.share
        return mix if mix < 1.0 else 1.0


def idf(frequency: float, total: float) -> float:
    """Robertson-Sparck Jones idf, kept positive."""
    return math.log1p((total - frequency + 0.5) / (frequency + 0.5))


def list_terms(words: Iterable[Weighted]) -> frozenset[int]:
    """All terms that count for any of the words."""
    words = list(words)
    bridges = (term for word in words for term, _ in word.bridges)
    return frozenset((*(term for word in words for term in word.ids), *bridges))


def count_occurrences(packed: bytes, wanted: frozenset[int]) -> dict[int, float]:
    """How often a fragment has each of the ``wanted`` terms in it, weighted by field."""
    return sum_counts(packed, wanted, KEYWORD.heading, KEYWORD.meta)


def count_all_occurrences(packed: Sequence[bytes], wanted: frozenset[int]) -> list[dict[int, float]]:
    """As ``count_occurrences`` of each."""
    return sum_all_counts(packed, wanted, KEYWORD.heading, KEYWORD.meta)


def relevance(occurrences: Mapping[int, float], length: float, words: Sequence[Weighted], mass: float) -> Relevance:
    """``length`` is relative to the mean; ``mass`` is the idf sum over the whole question, words that the index lacks
    included."""
    norm = KEYWORD.k1 * (1 - KEYWORD.b + KEYWORD.b * length)
    raw = covered = 0.0
    for word in words if occurrences else ():
        tf, weight = 0.0, word.idf
        for term in word.ids:
            if term in occurrences:
                tf += occurrences[term]
        if not tf:
            for term, strength in word.bridges:
                if term in occurrences and (tf := occurrences[term]):
                    weight = strength
                    break
        if tf:
            raw += weight * tf * (KEYWORD.k1 + 1) / (tf + norm)
            covered += weight
    if mass <= 0:
        return Relevance(0.0, 0.0, 0.0)
    return Relevance(raw, min(1.0, raw / (mass * (KEYWORD.k1 + 1))), covered / mass)


def temper(curve: Curve, power: float) -> Curve:
    """The curve whose odds are those of ``curve`` to the power of ``power``: below 1 for evidence that others give,
    too, and that must not be counted twice."""
    return Curve(curve.slope * power, curve.intercept * power)


def probability(curve: Curve, cosine: Vectors) -> Vectors:
    """P(relevant) for cosines of a question and fragments: float32, same shape, in [0, 1], rising with the cosine."""
    import numpy as np

    odds = np.asarray(cosine, dtype=np.float32) * np.float32(curve.slope) + np.float32(curve.intercept)
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)), dtype=np.float32)


# Scores nearer to 0 or 1 than this are equal: below it a broken model's noise begins.
_EDGE = 1e-6


def log_odds(score: float) -> float:
    """ln(s / (1 - s)) of a score in [0, 1], within about +-13.8."""
    kept = min(1 - _EDGE, max(_EDGE, score))
    return math.log(kept / (1 - kept))


def platt_probability(curve: Curve, value: float) -> float:
    """P(relevant) at one value, in [0, 1]."""
    return 0.5 * (1 + math.tanh(0.5 * (curve.slope * value + curve.intercept)))
