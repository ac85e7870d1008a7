"""The question as vectors: in the space that answers, and in the static one for the fragments that this space lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hearth.core.document import Curve
from hearth.core.errors import BadReply, Guidance, Unavailable
from hearth.core.lazy import dataclass
from hearth.core.query import Query
from hearth.ports import Reader, Rows, VectorIndex
from hearth.recall.ranking.weights import FUSION, probability, temper
from hearth.vault import ledger
from hearth.vault.ledger import FAILURES, MODEL_SECONDS, UNMEASURED, Model, Space, SpaceInfo, Spaces

if TYPE_CHECKING:
    from hearth.ports import Vectors

# Of a query's deadline a model gets this part.
_SHARE = 3
# A model that knows a question only this well is no better in its language than the built-in table; from the second
# value on it is fluent. MiniLM knows .68 of Spanish questions, and mostly .84 and more of English ones.
_FOREIGN, _FLUENT = 0.72, 0.8


@dataclass(frozen=True)
class QueryVector:
    """A question's vector against one index. ``trust`` is how far the space counts for this question: 1 for the static
    table if it knows every word. A ``contextual`` space reads words in their context; others know little more than the
    words, which the keyword lane judges already. ``say`` is the weight of the space beside that lane if it knows the
    whole question."""

    query: Vectors
    index: VectorIndex
    curve: Curve
    trust: float
    contextual: bool = False
    say: float = FUSION.vector

    @property
    def weight(self) -> float:
        """Its weight beside the keyword lane."""
        return self.trust * self.say

    def probabilities(self, cosines: Sequence[float]) -> list[float]:
        import numpy as np

        curve = self.curve if self.contextual else temper(self.curve, FUSION.temper)
        return [float(value) for value in probability(curve, np.asarray(cosines, dtype=np.float32))]


class Near(NamedTuple):
    """A fragment's cosine to the vector that judges it, and what that makes of it: P(relevant)."""

    fragment: int
    cosine: float
    probability: float
    by: QueryVector


@dataclass(frozen=True)
class QuestionVectors:
    """The question as of one transaction. A fragment is judged by the space that has it: by ``rest`` where the space
    that answers lacks it."""

    static: Space
    text: str
    main: QueryVector
    rest: QueryVector | None = None

    def nearest(self, count: int, rows: Rows | None) -> list[Near]:
        """The most probable first."""
        found = [
            near for vector in self._all() for near in _judge(vector, vector.index.search(vector.query, count, rows))
        ]
        if self.rest is not None:
            found.sort(key=lambda near: (-near.probability, near.fragment))
        return found[:count]

    def judge(self, fragments: Sequence[int]) -> list[Near]:
        """The fragments among them that have a vector."""
        return [
            near
            for vector in self._all()
            for near in _judge(vector, vector.index.scores(vector.query, fragments).items())
        ]

    def nearness(self, texts: Sequence[str], about: str = "") -> list[float]:
        """Cosines of texts that are in no index, negative ones as 0, to the question or what it is ``about``; by the
        static table, which costs microseconds."""
        query = self.static.question(about or self.text)
        if query is None:
            return [0.0] * len(texts)
        return [max(0.0, float(value)) for value in self.static.load().embed(texts, "document") @ query]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts that are in no index, by the static table."""
        return self.static.load().embed(texts, "document")

    @property
    def trust(self) -> float:
        """The part of the question that the space which answers knows, at most 1."""
        return min(1.0, self.main.trust)

    def _all(self) -> tuple[QueryVector, ...]:
        return (self.main,) if self.rest is None else (self.main, self.rest)


def embed(
    query: Query, spaces: Spaces | None, reader: Reader, native: float = 1.0
) -> tuple[QuestionVectors | None, tuple[str, ...]]:
    """``None`` where the static table knows no word of the query and no model does better; and what could not answer.
    The static table knows one language: it has a say in the ``native`` part of a question. A model that can't is named
    with the reason, and the static space answers; ``Spaces.strict`` raises it."""
    if spaces is None:
        return None, ("vector",)
    missing: tuple[str, ...] = ()
    try:
        if spaces.model is not None:
            try:
                found = _embed_by_model(spaces, spaces.model, query, reader)
                if found.main.query.any():
                    return found, missing
            except FAILURES as error:
                if spaces.strict:
                    raise
                missing = (Guidance.behind(f"{spaces.model.label}: ", error.said),)
        vector = _embed_by_static(spaces.static, query.text, reader.vector_index)
        if vector is None:
            return None, missing
        return QuestionVectors(spaces.static, query.text, replace(vector, trust=vector.trust * native)), missing
    except (Unavailable, BadReply) as error:
        if spaces.strict:
            raise
        return None, (*missing, Guidance.behind("vector: ", error.said))


def _judge(vector: QueryVector, cosines: Iterable[tuple[int, float]]) -> list[Near]:
    found = list(cosines)
    probabilities = vector.probabilities([cosine for _, cosine in found])
    return [
        Near(fragment, cosine, value, vector) for (fragment, cosine), value in zip(found, probabilities, strict=True)
    ]


def _embed_by_model(spaces: Spaces, model: Model, query: Query, reader: Reader) -> QuestionVectors:
    seconds = MODEL_SECONDS if query.deadline_ms is None else query.deadline_ms / 1000 / _SHARE
    facts, embedder, vector = model.question(query.text, ledger.read(reader), seconds)
    curve = embedder.curve or facts.curve or UNMEASURED
    index = reader.vector_index(facts.name)
    known = embedder.coverage(query.text)

    def rest(name: str) -> VectorIndex | None:
        found = reader.vector_index(name, facts.name)
        return found if len(found) else None

    main = QueryVector(vector, index, curve, known * facts.weight, facts.contextual, weigh_space(facts, known))
    return QuestionVectors(spaces.static, query.text, main, _embed_by_static(spaces.static, query.text, rest))


def weigh_space(facts: SpaceInfo, known: float) -> float:
    """The weight of a model's space. It exceeds the built-in one's as far as the model reads words in context, tells
    the vault's fragments apart, and knows the question's language (``known``)."""
    if not facts.contextual:
        return FUSION.vector
    fluent = min(1.0, max(0.0, (known - _FOREIGN) / (_FLUENT - _FOREIGN)))
    return FUSION.vector + (FUSION.contextual * facts.spread_or_usual - FUSION.vector) * fluent


def _embed_by_static(static: Space, text: str, opened: Callable[[str], VectorIndex | None]) -> QueryVector | None:
    embedder = static.load()
    index = opened(embedder.fingerprint)
    query = None if index is None else static.question(text)
    if index is None or query is None:
        return None
    return QueryVector(query, index, static.curve(), embedder.coverage(text))
