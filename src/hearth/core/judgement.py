"""How two statements stand to each other, and what says so."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from hearth.core.lazy import dataclass

SURE = 0.9
"""From here on the older of two statements gives way by itself."""
LIKELY = 0.5
"""From here on a person is asked; below it nothing happens."""

Side = Literal["older", "newer"]


class Relation(StrEnum):
    """``same``: the newer one says nothing else. ``refines``: it adds to the older one, and both hold. ``update``: what
    the older one says was so and has changed. ``contradiction``: both can't hold. ``unrelated``: neither bears on the
    other, be they ever so alike."""

    SAME = "same"
    REFINES = "refines"
    UPDATE = "update"
    CONTRADICTION = "contradiction"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement: ``at`` (ms UTC) is when it began to hold, ``content_type`` what kind it is, ``subject`` what it is
    about where that was given."""

    text: str
    content_type: str = "note"
    subject: str | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """Words of one of the two statements, as they stand there."""

    side: Side
    quote: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """``current`` is the statement that holds, ``both`` where neither gives way; ``confidence`` lies in [0, 1].
    ``reason`` is one line for people, ``spans`` are the words that it rests on, ``path`` is ``rules`` or names the
    model, ``attribute`` is what the two give different values, where that is known."""

    relation: Relation
    confidence: float
    current: Side | Literal["both"] = "both"
    reason: str = ""
    spans: tuple[Cited, ...] = ()
    attribute: str | None = None
    path: str = "rules"

    @property
    def replaces(self) -> bool:
        """Whether the older statement gives way to the newer one without anybody being asked."""
        clashes = self.relation in (Relation.UPDATE, Relation.CONTRADICTION)
        return clashes and self.current == "newer" and self.confidence >= SURE

    @property
    def doubtful(self) -> bool:
        """Whether a person is asked: the two clash, and confidence is too low that the older one gives way."""
        clashes = self.relation in (Relation.UPDATE, Relation.CONTRADICTION)
        return clashes and self.confidence >= LIKELY and not self.replaces

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "relation": self.relation.value,
            "confidence": self.confidence,
            "current": self.current,
            "reason": self.reason,
            "spans": [{"side": span.side, "quote": span.quote} for span in self.spans],
            "attribute": self.attribute,
            "path": self.path,
        }
