"""The vector lane: passages near the question in meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hearth.engine import ledger
from hearth.engine.spaces import FAILURES, MODEL_SECONDS, UNMEASURED, Space, Spaces
from hearth.model.curve import Curve
from hearth.model.query import Query
from hearth.ports import Reader, Rows, VectorIndex
from hearth.ranking.calibration import probability
from hearth.ranking.weights import FUSION

if TYPE_CHECKING:
    from hearth.ports import Vectors


@dataclass(frozen=True)
class Sight:
    """A question's vector against one index. ``trust`` is the say that the space has in this question: 1 for the
    static table where it knows every word."""

    query: Vectors
    index: VectorIndex
    curve: Curve
    trust: float

    def probabilities(self, cosines: Sequence[float]) -> list[float]:
        import numpy as np

        return [float(value) for value in probability(self.curve, np.asarray(cosines, dtype=np.float32))]


@dataclass(frozen=True)
class Embedded:
    """The question as of one transaction: against the space that answers, and against the static vectors of the
    fragments that this space lacks (``rest``). A fragment is judged by the space that has it."""

    static: Space
    text: str
    sight: Sight
    rest: Sight | None = None
    by_rest: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, spaces: Spaces, query: Query, reader: Reader, generation: int, missing: list[str]) -> Embedded | None:
        """``None`` where the static table knows no word of the query and no model does better. A model that can't
        answer is named in ``missing`` with the reason, and the static space answers; ``Spaces.strict`` raises it."""
        if spaces.model is not None:
            try:
                found = _by_model(spaces, query, reader, generation)
            except FAILURES as error:
                if spaces.strict:
                    raise
                missing.append(f"{spaces.model.label}: {error}")
            else:
                if found.sight.query.any():
                    return found
        sight = _by_static(spaces.static, query.text, lambda name: spaces.static.index(reader, name, generation))
        return None if sight is None else cls(spaces.static, query.text, sight)

    @property
    def trust(self) -> float:
        return self.sight.trust

    @property
    def rest_trust(self) -> float:
        return self.rest.trust if self.rest is not None else self.sight.trust

    def nearest(self, count: int, rows: Rows | None) -> list[tuple[int, float]]:
        """(fragment, cosine in its space), the most probable first."""
        found = self.sight.index.search(self.sight.query, count, rows)
        if self.rest is None:
            return found
        others = self.rest.index.search(self.rest.query, count, rows)
        self.by_rest.update(fragment for fragment, _ in others)
        ranked = [
            (probability, fragment, cosine)
            for sight, part in ((self.sight, found), (self.rest, others))
            for probability, (fragment, cosine) in zip(
                sight.probabilities([cosine for _, cosine in part]), part, strict=True
            )
        ]
        ranked.sort(key=lambda item: (-item[0], item[1]))
        return [(fragment, cosine) for _, fragment, cosine in ranked[:count]]

    def scores(self, fragments: Sequence[int]) -> dict[int, float]:
        found = self.sight.index.scores(self.sight.query, fragments)
        if self.rest is None:
            return found
        others = self.rest.index.scores(self.rest.query, fragments)
        self.by_rest.update(others)
        return {**others, **found}

    def calibrated(self, cosines: Mapping[int, float]) -> dict[int, float]:
        """P(relevant) of cosines that ``nearest`` or ``scores`` gave."""
        found: dict[int, float] = {}
        for sight, chosen in ((self.sight, False), (self.rest, True)):
            part = [fragment for fragment in cosines if (fragment in self.by_rest) == chosen]
            if sight is not None and part:
                found.update(zip(part, sight.probabilities([cosines[f] for f in part]), strict=True))
        return found

    def nearness(self, texts: Sequence[str]) -> list[float]:
        """Cosines of texts that are in no index, negative ones as 0; by the static table, which costs microseconds."""
        query = self.static.question(self.text)
        if query is None:
            return [0.0] * len(texts)
        return [max(0.0, float(value)) for value in self.static.load().embed(texts, "document") @ query]


def _by_model(spaces: Spaces, query: Query, reader: Reader, generation: int) -> Embedded:
    assert spaces.model is not None
    seconds = MODEL_SECONDS if query.deadline_ms is None else query.deadline_ms / 3000
    facts, embedder, vector = spaces.model.question(query.text, ledger.read(reader), seconds)
    curve = embedder.curve or facts.curve or UNMEASURED
    index = spaces.static.index(reader, facts.name, generation)
    said = embedder.coverage(query.text) * facts.weight * (FUSION.contextual if facts.contextual else 1.0)
    sight = Sight(vector, index, curve, said)

    def rest(name: str) -> VectorIndex | None:
        return None if spaces.rest is None else spaces.rest(reader, name, facts.name, generation)

    return Embedded(spaces.static, query.text, sight, _by_static(spaces.static, query.text, rest))


def _by_static(static: Space, text: str, opened: Callable[[str], VectorIndex | None]) -> Sight | None:
    embedder = static.load()
    index = opened(embedder.fingerprint)
    query = None if index is None else static.question(text)
    return None if index is None or query is None else Sight(query, index, static.curve(), embedder.coverage(text))
