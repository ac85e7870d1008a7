"""The stage that keeps out what a prompt brings up whose words say too little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.question import is_question
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.cut import holds_identifier
from hearth.lazy import dataclass
from hearth.ranking.bm25 import Weighted
from hearth.ranking.stage import Candidate
from hearth.ranking.weights import CUT
from hearth.text.background import is_listed
from hearth.text.packed import Packed


@dataclass(frozen=True)
class SmallTalkStage(Stage):
    """Nothing is left where even the best passage accounts for little information: less than ``nats`` times what a
    prompt must tell, unless the vectors are asked and it is a question that tells much. idf is the surprise of a
    word in nats. A prompt that asks for memory may be short, and so may a question whose words one passage holds, and
    what is nothing but what a document is called."""

    name: ClassVar[str] = "small-talk"
    nats: float = 1.0

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.relevance for candidate in pool.candidates)
        least = CUT.asked_nats if is_question(context.query.text) else CUT.told_nats
        question, holds = context.question, context.lexicon.mass * best
        asks = context.conversation.asks or bool(question.only) or question.any_of_kind
        asks = asks or any(c.lane("name") for c in pool.candidates)
        tells = (
            asks
            or holds >= self.nats * least
            or _says_much(context)
            or _is_held(context, pool, self.nats * CUT.asked_nats)
        )
        # What governs a short instruction need not share its words, and what names a thing of the notes is about it.
        if not tells or (not asks and _is_bare(context)):
            kept = [c for c in pool.candidates if c.lane("rule") or c.lane("kind") or holds_identifier(context, c)]
        else:
            kept = pool.candidates
        return pool.hold(kept, "the prompt's words say too little to go by")


def _says_much(context: Context) -> bool:
    """Whether a question says so much that meaning alone may answer it: then only what is sure counts."""
    asks = context.by_meaning and is_question(context.query.text)
    return asks and context.lexicon.mass >= CUT.much_nats


def _is_held(context: Context, pool: Pool, nats: float) -> bool:
    """Whether a passage holds nearly all that a question asks, and ``nats`` of it, by its own words: "who has the
    atlas?" can tell no more than it does, however little of the best possible score that is. Of nothing but ordinary
    words ("is it done?") any note may hold all."""
    words, mass = context.lexicon.words, context.lexicon.mass
    asked = (word for word in context.question.words if word.asked and word.surface)
    telling = any(not any(map(is_listed, word.variants)) for word in asked)
    if not (mass and telling and is_question(context.query.text)):
        return False
    held = max(_sum_held(candidate, words) for candidate in pool.candidates)
    return held >= max(nats, CUT.held * mass)


def _sum_held(candidate: Candidate, words: Sequence[Weighted]) -> float:
    there = frozenset(Packed(candidate.packed).ids())
    return sum(word.idf for word in words if not there.isdisjoint(word.ids))


def _is_bare(context: Context) -> bool:
    """Whether it tells nothing but one ordinary word: "commit this" is said in any project."""
    question = context.question
    words = [word for word in question.words if word.asked and word.surface]
    ordinary = len(words) == 1 and any(map(is_listed, words[0].variants))
    return ordinary and not question.tokens and not is_question(context.query.text)
