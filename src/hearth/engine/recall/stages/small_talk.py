"""The stage that keeps out what a prompt brings up whose words say too little."""

from __future__ import annotations

from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.question import is_question
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.cut import holds_identifier
from hearth.lazy import dataclass
from hearth.ranking.weights import CUT
from hearth.text.background import is_listed


@dataclass(frozen=True)
class SmallTalkStage(Stage):
    """Nothing is left where even the best passage accounts for little information: less than ``nats`` times what a
    prompt must tell, unless the vectors are asked and it is a question that tells much. idf is the surprise of a
    word in nats. A prompt that asks for memory may be short, and so may one that is nothing but what a document is
    called."""

    name: ClassVar[str] = "small-talk"
    nats: float = 1.0

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = max(candidate.relevance for candidate in pool.candidates)
        least = CUT.asked_nats if is_question(context.query.text) else CUT.told_nats
        question, holds = context.question, context.lexicon.mass * best
        asks = context.conversation.asks or bool(question.only) or question.any_of_kind
        asks = asks or any(c.lane("name") for c in pool.candidates)
        tells = asks or holds >= self.nats * least or _says_much(context)
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


def _is_bare(context: Context) -> bool:
    """Whether it tells nothing but one ordinary word: "commit this" is said in any project."""
    question = context.question
    words = [word for word in question.words if word.asked and word.surface]
    ordinary = len(words) == 1 and any(map(is_listed, words[0].variants))
    return ordinary and not question.tokens and not is_question(context.query.text)
