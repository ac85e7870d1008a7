"""What is known of the vector spaces, and the proof that their vectors are what models gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hearth.core.lazy import dataclass, library
from hearth.ports import Embedder, Reader
from hearth.vault.spaces import ledger
from hearth.vault.spaces.embedding import MAX_TRIES, Filler
from hearth.vault.spaces.ledger import SpaceInfo
from hearth.vault.spaces.spaces import FAILURES, Spaces

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


_REASONS = 5


@dataclass(frozen=True, slots=True)
class SpaceStatus:
    """A vector space. ``role``: static, model, filling (a model's that is not complete), doubted (it must not answer)
    or former (of a model that is not configured any more). ``missing`` fragments are to be embedded; ``failed`` ones
    were refused, for ``reasons`` with how often. ``serves``: it answers. ``facts`` are what was measured of it."""

    name: str
    role: str
    serves: bool
    vectors: int
    missing: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    facts: SpaceInfo | None = None


def status_of(spaces: Spaces, reader: Reader) -> tuple[SpaceStatus, ...]:
    """The static space first. The model is opened for its name; where it can't be, its spaces count as filling."""
    static = spaces.static.load().fingerprint
    known = ledger.read(reader)
    fingerprint = _model_fingerprint(spaces)
    found = [_space(reader, static, "static", None, own=True)]
    for name in sorted({*known, *reader.spaces()} - {static}):
        facts = known.get(name)
        own = facts is not None and spaces.model is not None and fingerprint in (None, facts.fingerprint)
        found.append(_space(reader, name, _role(facts, own=own), facts, own=own))
    if fingerprint is not None and not any(space.facts and space.role != "former" for space in found):
        found.append(SpaceStatus(fingerprint, "filling", False, 0, reader.statistics().fragments))
    return tuple(found)


def _model_fingerprint(spaces: Spaces) -> str | None:
    try:
        return None if spaces.model is None else spaces.model.load().fingerprint
    except FAILURES:
        return None


def _space(reader: Reader, name: str, role: str, facts: SpaceInfo | None, *, own: bool) -> SpaceStatus:
    failures = reader.failures(name)
    given_up = {failure.fragment for failure in failures if failure.tries >= MAX_TRIES}
    missing = [fragment for fragment in reader.lacking(name) if fragment not in given_up] if own else []
    reasons = Counter(failure.error for failure in failures).most_common(_REASONS)
    serves = role == "static" or (own and facts is not None and facts.serves)
    count = reader.vector_count(name)
    return SpaceStatus(name, role, serves, count, len(missing), len(failures), tuple(reasons), facts)


def _role(facts: SpaceInfo | None, *, own: bool) -> str:
    if facts is None or not own:
        return "former"
    if facts.doubt is not None or facts.spoiled:
        return "doubted"
    return "model" if facts.complete is not None else "filling"
