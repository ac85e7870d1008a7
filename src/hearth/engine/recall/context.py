"""The context: one question in all its readings, and what answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hearth.engine.recall import lexicon
from hearth.engine.recall.intent import weigh_terms
from hearth.engine.recall.lexicon import Lexicon
from hearth.engine.recall.question import Question, ask
from hearth.engine.recall.settings import RankingSettings
from hearth.engine.recall.vectors import QuestionVectors, embed
from hearth.engine.spaces.spaces import Spaces
from hearth.engine.state.reviews import Doubts
from hearth.lazy import dataclass
from hearth.model.query import Conversation, Query
from hearth.ports import Reader, Statistics

if TYPE_CHECKING:
    from hearth.engine.recall.rerank import Rerank


@dataclass(frozen=True, slots=True)
class Context:
    """What all lanes and stages of one question share. ``emphasis`` maps index terms to their worth when choosing a
    part of a text; ``vectors`` is ``None`` where meaning has no say, and ``missing`` names why; ``by_meaning`` where it
    was asked."""

    query: Query
    question: Question
    lexicon: Lexicon
    emphasis: Mapping[str, float]
    reader: Reader
    statistics: Statistics
    settings: RankingSettings
    doubts: Doubts
    rerank: Rerank | None = None
    vectors: QuestionVectors | None = None
    missing: tuple[str, ...] = ()
    by_meaning: bool = False

    @property
    def min_score(self) -> float | None:
        """The least score of an answer, where the question or the settings name one."""
        return self.settings.min_score if self.query.min_score is None else self.query.min_score

    @property
    def place(self) -> Conversation:
        """Where it is asked for what was noted: whoever asks outside of a conversation asks for all projects."""
        return self.query.conversation or Conversation(other_projects=True)

    @property
    def conversation(self) -> Conversation:
        return self.query.conversation or Conversation()

    def nearness(self, texts: Sequence[str], about: str = "") -> list[float] | None:
        """Cosines of texts, which need be in no index, to the question or what it is ``about``; ``None`` where meaning
        has no say."""
        return None if self.vectors is None else self.vectors.nearness(texts, about)

    def with_vectors(self, spaces: Spaces | None) -> Context:
        """Raises what ``vectors.embed`` raises."""
        asked = replace(self.query, text=self.question.gist)
        vectors, missing = embed(asked, spaces, self.reader, self.statistics.generation, self.lexicon.native)
        return replace(self, vectors=vectors, missing=(*self.missing, *missing), by_meaning=True)


def open_context(
    query: Query, reader: Reader, settings: RankingSettings, rerank: Rerank | None, *, unasked: bool, by_meaning: bool
) -> Context:
    """The question taken apart and looked up; ``unasked`` says that nobody waits for an answer, ``by_meaning``
    that vectors have a say in it.

    Raises ``UsageError`` for a malformed operator."""
    statistics = reader.statistics()
    language = replace(settings.language, languages=statistics.languages)
    question = ask(query, language, unasked=unasked, sure=unasked and not by_meaning)
    known = lexicon.look_up(question, reader, statistics)
    emphasis = weigh_terms(query, known, language, reader, statistics)
    doubts = Doubts(reader, query.at)
    return Context(query, question, known, emphasis, reader, statistics, settings, doubts, rerank)
