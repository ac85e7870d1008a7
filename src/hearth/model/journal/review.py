"""Questions about two documents that a person is to settle."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from hearth.lazy import dataclass
from hearth.model.instants import DAY_MS

Decision = Literal["keep-new", "keep-old", "both", "merge"]
REVIEW_DAYS = 90
"""So long after it was asked, a question that nobody answered is answered with ``both``."""


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """What the ``newer`` document may be to the ``older`` one (docids): ``relation`` as ``update`` or
    ``contradiction``, how sure that is, ``why`` and ``evidence`` in words. Instants are ms UTC. ``decision`` is what a
    person decided, or what time did."""

    newer: str
    older: str
    relation: str
    asked_at: int
    confidence: float | None = None
    why: str = ""
    evidence: str = ""
    decision: Decision | None = None
    decided_at: int | None = None

    @property
    def id(self) -> str:
        """The same on every machine and whichever of the two was noticed."""
        pair = ":".join(sorted((self.newer, self.older)))
        return hashlib.sha256(pair.encode()).hexdigest()[:8]

    @property
    def open(self) -> bool:
        return self.decision is None


def read_review(opened: Mapping[str, Any], decision: Mapping[str, Any] | None, now: int) -> ReviewEntry:
    """From the two registers of a question."""
    asked = int(opened["at"])
    decided: Decision | None = None if decision is None else decision["decision"]
    at = None if decision is None else int(decision["at"])
    end = asked + REVIEW_DAYS * DAY_MS
    if decided is None and now >= end:
        decided, at = "both", end
    confidence = opened.get("confidence")
    return ReviewEntry(
        newer=opened["newer"],
        older=opened["older"],
        relation=opened["relation"],
        asked_at=asked,
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        why=str(opened.get("why", "")),
        evidence=str(opened.get("evidence", "")),
        decision=decided,
        decided_at=at,
    )
