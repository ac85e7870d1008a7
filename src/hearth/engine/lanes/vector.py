"""The vector lane: passages near the question in meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hearth.engine.spaces import Space
from hearth.ports import Reader
from hearth.ranking.calibration import probability

if TYPE_CHECKING:
    from hearth.ports import Vectors


@dataclass(frozen=True)
class Embedded:
    """The question as a vector, against one space as of one transaction."""

    space: Space
    query: Vectors
    index: Any
    trust: float

    @classmethod
    def of(cls, space: Space, text: str, reader: Reader, generation: int) -> Embedded | None:
        embedder = space.load()
        index = space.index(reader, embedder.fingerprint, generation)
        query = space.question(text)
        if query is None:
            return None
        return cls(space, query, index, embedder.coverage(text))

    def nearest(self, count: int, rows: Any) -> list[tuple[int, float]]:
        found: list[tuple[int, float]] = self.index.search(self.query, count, rows)
        return found

    def scores(self, fragments: Sequence[int]) -> dict[int, float]:
        found: dict[int, float] = self.index.scores(self.query, fragments)
        return found

    def nearness(self, texts: Sequence[str]) -> list[float]:
        """Cosines of texts that are in no index, negative ones as 0."""
        vectors = self.space.load().embed(texts, "document")
        return [max(0.0, float(value)) for value in vectors @ self.query]

    def calibrated(self, cosines: Mapping[int, float]) -> dict[int, float]:
        import numpy as np

        given = np.fromiter(cosines.values(), dtype=np.float32, count=len(cosines))
        values = probability(self.space.curve(), given)
        return {fragment: float(value) for fragment, value in zip(cosines, values, strict=True)}
