"""The stage that leaves what a prompt may want where nobody asked for anything."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.lanes.kinds import KIND_BY_MEANING
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.cut import MOST_NAMED, MOST_OF_KIND, MOST_RULES, governs, holds_identifier
from hearth.language.prompts import asks_memory
from hearth.language.words import cues
from hearth.lazy import dataclass, regex
from hearth.markdown.head.status import read_status
from hearth.model.document import OVER
from hearth.ranking.bm25 import Weighted
from hearth.ranking.gate import Features, estimate
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CONFIDENCE
from hearth.text.background import background_share
from hearth.text.packed import Packed
from hearth.text.stopwords import is_stop_word
from hearth.text.terms import terms

READ = 16
"""So many of the best passages are looked at."""
# How likely what is brought has to be; what lies elsewhere; and, where nothing is, what answers a question in its own
# words, or what a prompt brings that asks for memory by name.
_FLOOR, _ELSEWHERE, _HELD = 0.5, 0.6, 0.2
# Such a passage holds so much of what a question asks, or a name in it and half of the rest, and tells so much: of
# "why?" any note holds all.
_MOST, _HALF, _LEAST_NATS = 0.68, 0.5, 3.5
# What scores so much of the best answers about as well.
_AS_WELL = 0.85
# What is, or scores, less than this share of the best is no company for it.
_RATIO = 0.5
_STEP = 1e-4
# What counts as all that can be shared, and as a prompt that tells much.
_MOST_NATS, _MOST_TOLD = 20.0, 100.0
# So much of a passage is weighed against the prompt.
_MOST_CHARS = 6_000
# A remark that stands alone in its line is no longer, and a text beside links that says nothing.
_REMARK_WORDS, _STUB_WORDS = 4, 2
_LINK = regex(r"!?\[\[[^\]\n]*\]\]")
_WORD = regex(r"[^\W_]+")


class Reading:
    """What a question says of each of the passages found for it."""

    def __init__(self, context: Context, candidates: Sequence[Candidate]) -> None:
        lexicon, question = context.lexicon, context.question
        self._words = lexicon.words if lexicon.mass else lexicon.tokens
        self._mass = max(lexicon.mass or lexicon.token_mass, 1e-9)
        self._names = lexicon.names
        self._variants = frozenset(variant for word in question.words for variant in word.variants)
        self._asks = asks_memory(question.gist)
        self._best: dict[str, float] = {}
        for one in candidates:
            docid = one.document.document.docid
            self._best[docid] = max(self._best.get(docid, 0.0), one.relevance)

    def read(self, candidate: Candidate) -> Features:
        document = candidate.document.document
        there = frozenset(Packed(candidate.packed).ids())
        held = sum(word.idf for word in self._words if _holds(there, word))
        reverse, _ = self._find_held(candidate.fragment.text[:_MOST_CHARS], document.language)
        named, told = self._find_held(document.title, document.language)
        others = (value for docid, value in self._best.items() if docid != document.docid)
        return Features(
            share=min(1.0, held / self._mass),
            nats=min(1.0, held / _MOST_NATS),
            reverse=reverse,
            called=named * min(1.0, told / _MOST_NATS),
            near=candidate.lane("vector") or 0.0,
            ahead=max(0.0, candidate.relevance - max(others, default=0.0)),
            told=min(1.0, self._mass / _MOST_TOLD),
            nameless=float(bool(self._names) and all(name.isdisjoint(there) for name in self._names)),
            question=float(self._asks),
        )

    def _find_held(self, text: str, language: str) -> tuple[float, float]:
        """What the prompt holds of what a text's words tell: its share, and how much that is."""
        told = {term: -math.log(background_share(term)) for term in set(terms(text, language)) if term[0] != "="}
        held = sum(value for term, value in told.items() if term in self._variants)
        return held / sum(told.values()) if told else 0.0, held


def _holds(there: frozenset[int], word: Weighted) -> bool:
    """Whether it has the word, or one across a bridge."""
    return not there.isdisjoint(word.ids) or any(term in there for term, _ in word.bridges)


@dataclass(frozen=True)
class GateStage(Stage):
    """Keeps what is more likely wanted than not, in its order; the score then says how likely. What lies elsewhere has
    to be likelier than what is at home, unless the prompt asks. What governs an instruction, is of the kind that a
    question asks for, or has a rare name in code that the prompt mentions, needs no such likeness."""

    name: ClassVar[str] = "gate"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        judged = _judge_all(context, pool)
        likely = _choose(context, pool, judged)
        sure = _find_sure(context, pool)
        kept = [one for one in pool.candidates if id(one) in likely.keys() | sure]
        least = _RATIO * max((one.score for one in kept), default=0.0)
        found, last, before = [], 1.0, 0.0
        least_sure = 0.0 if likely else _FLOOR
        for one in kept:
            if one.score >= least or id(one) in sure:
                # The order says more than the score: what is newer stands first, among other questions' finds, too.
                step = _STEP if one.score < before else 0.0
                value = max(one.score, least_sure) if id(one) in sure else likely[id(one)]
                last, before = min(last - step, value), one.score
                found.append(one.move(self.name, last, "how likely it is wanted"))
        best = max(likely.values(), default=0.0)
        return replace(pool.hold(found, "nothing is likely to be wanted"), confidence=best, confident=bool(found))


def _judge_all(context: Context, pool: Pool) -> dict[int, float]:
    """By the id of each of the best candidates: how likely it is wanted. Of those that answer about as well as the
    first, one that holds the question answers it, where there are few: among thousands chance brings such a one."""
    read = pool.candidates[:READ]
    reading = Reading(context, read)
    found = {id(one): _judge(context, reading, one) for one in read}
    bar = _AS_WELL * max((one.score for one in read), default=0.0)
    best = (one for one in read if one.score >= bar and found[id(one)] >= _HELD)
    held = next((one for one in best if _is_held(context, reading.read(one))), None)
    if held is not None and context.statistics.fragments <= CONFIDENCE.passages:
        found[id(held)] = max(found[id(held)], _FLOOR)
    return found


def _choose(context: Context, pool: Pool, likely: Mapping[int, float]) -> dict[int, float]:
    """Those that are likely enough; what was rejected or superseded only where nothing that holds is."""
    asks = context.conversation.asks or asks_memory(context.question.gist)
    read = pool.candidates[:READ]
    welcome = {id(one) for one in read if asks or _is_at_home(context, one)}
    bar = max([_ELSEWHERE, *(value for one, value in likely.items() if one in welcome and value >= _FLOOR)])
    found = {one: value for one, value in likely.items() if value >= (_FLOOR if one in welcome else bar)}
    least = _RATIO * max(found.values(), default=0.0)
    found = {one: value for one, value in found.items() if value >= least}
    over = {id(one) for one in read if id(one) in found and _is_over(one)}
    if found.keys() <= over or cues("tense", "over").search(context.question.text):
        return found
    return {one: value for one, value in found.items() if one not in over}


def _is_over(candidate: Candidate) -> bool:
    """By its status, or by a first line that says nothing else."""
    first = next((line for line in candidate.fragment.text.split("\n") if line.strip() and line[0] != "#"), "")
    told = read_status(first) if len(first.split()) <= _REMARK_WORDS else None
    return candidate.document.document.status in OVER or told in OVER


def _is_stub(candidate: Candidate) -> bool:
    """Whether it is hardly more than links to notes: it is called something, and says nothing of it."""
    said = "\n".join(line for line in candidate.fragment.text.split("\n") if not line.startswith("#"))
    rest, links = _LINK.subn(" ", said)
    return links > 0 and len(_WORD.findall(rest)) <= _STUB_WORDS


def _is_at_home(context: Context, candidate: Candidate) -> bool:
    here = context.conversation.here
    return here is None or candidate.document.document.collection in here


def _find_sure(context: Context, pool: Pool) -> set[int]:
    ruling = [one for one in pool.candidates if governs(one)]
    named = [one for one in pool.candidates if holds_identifier(context, one)]
    most = MOST_RULES if context.question.any_of_kind or not context.question.kind else MOST_OF_KIND
    return {id(one) for one in (*ruling[:most], *named[:MOST_NAMED])}


def _judge(context: Context, reading: Reading, candidate: Candidate) -> float:
    if _is_stub(candidate) and not context.conversation.asks:
        return 0.0
    if candidate.reread is not None:
        return candidate.reread
    if candidate.lane("name") or (candidate.lane("kind") or 0.0) > KIND_BY_MEANING:
        return 1.0
    if context.question.only:
        return candidate.relevance
    likely = estimate(reading.read(candidate), by_meaning=context.vectors is not None)
    return max(likely, _FLOOR) if context.conversation.asks and likely >= _HELD else likely


def _is_held(context: Context, found: Features) -> bool:
    """Whether a passage holds most of a question, or a name in it and half of the rest, in its own words."""
    told = any(
        word.asked and not is_stop_word(word.surface, ("en",)) for word in context.question.words if word.surface
    )
    most = told and found.share >= (_HALF if context.lexicon.names else _MOST)
    return bool(found.question) and most and not found.nameless and found.nats * _MOST_NATS >= _LEAST_NATS
