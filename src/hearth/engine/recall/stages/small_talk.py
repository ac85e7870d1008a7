"""The stage that keeps out what a prompt brings up whose words say too little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.question import is_question
from hearth.engine.recall.stage import Pool, Stage
from hearth.ranking.weights import CUT


@dataclass(frozen=True)
class SmallTalkStage(Stage):
    """Nothing is left where even the best passage accounts for little information: less than ``nats`` times what a
    prompt must tell. idf is the surprise of a word in nats. A prompt that asks for memory may be short, and so may one
    that is nothing but what a document is called."""

    name: ClassVar[str] = "small-talk"
    nats: float = 1.0

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.relevance for candidate in pool.candidates)
        least = CUT.asked_nats if is_question(context.query.text) else CUT.told_nats
        asks = context.conversation.asks or bool(context.question.only) or any(c.lane("name") for c in pool.candidates)
        tells = asks or context.lexicon.mass * best >= self.nats * least
        # What governs a short instruction need not share its words.
        kept = pool.candidates if tells else [c for c in pool.candidates if c.lane("rule")]
        return pool.hold(kept, "the prompt's words say too little to go by")
