"""What is known of the vector spaces: how full each is, what it lacks and whether it answers."""

from __future__ import annotations

from collections import Counter

from hearth.engine.spaces import ledger
from hearth.engine.spaces.embedding import MAX_TRIES
from hearth.engine.spaces.ledger import SpaceInfo
from hearth.engine.spaces.spaces import FAILURES, Spaces
from hearth.lazy import dataclass
from hearth.ports import Reader

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
