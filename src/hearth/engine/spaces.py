"""The vector space that answers: an embedder and the index of what it embedded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hearth.model.curve import Curve
from hearth.ports import Embedder, Reader, VectorIndex

if TYPE_CHECKING:
    from hearth.ports import Vectors

UNMEASURED = Curve(10.0, -5.0)


@dataclass(frozen=True)
class Space:
    """``embedder`` is loaded on first use; ``index`` gives the vectors as of a reader's transaction."""

    load: Callable[[], Embedder]
    index: Callable[[Reader, str, int], VectorIndex]

    def question(self, text: str) -> Vectors | None:
        """The query's unit vector; ``None`` where the model knows none of its words."""
        vector = self.load().embed([text], "query")[0]
        return vector if vector.any() else None

    def curve(self) -> Curve:
        """From the space's cosines to the probability that a passage answers."""
        return self.load().curve or UNMEASURED
