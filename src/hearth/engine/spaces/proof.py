"""What vectors have to be: proof that those of the index are still what models gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hearth.engine.spaces.embedding import Filler
from hearth.lazy import dataclass, library
from hearth.ports import Embedder

if TYPE_CHECKING:
    import numpy as np

    from hearth.ports import Bytes
else:
    np = library("numpy")

# Two computations of one vector may round to neighbouring steps.
_STEPS = 1
_SCALES = 1e-3


@dataclass(frozen=True, slots=True)
class Proof:
    """``filler`` knows what models gave; the built-in one, ``static``, is asked again for what is not known."""

    filler: Filler
    static: Callable[[], Embedder]

    def expect(self, space: str, texts: Sequence[str]) -> dict[int, tuple[Bytes, float]]:
        """Position in ``texts`` -> int8 vector and scale, of those that can be told."""
        cache = self.filler.cache
        found = {} if cache is None else cache.get(space, texts)
        static = self.static()
        fresh = [at for at in range(len(texts)) if at not in found] if space == static.fingerprint else []
        if fresh:
            rows, scales = self.filler.quantize(static.embed([texts[at] for at in fresh], "document"))
            found |= {at: (rows[i], float(scales[i])) for i, at in enumerate(fresh)}
        return found


def same(one: tuple[Bytes, float], other: tuple[Bytes, float]) -> bool:
    """But for rounding."""
    if one[0].shape != other[0].shape or not np.isclose(one[1], other[1], rtol=_SCALES, atol=0):
        return False
    return bool((np.abs(one[0].astype(np.int16) - other[0]) <= _STEPS).all())
