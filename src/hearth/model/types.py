"""The registry of content types: what kind of document it is decides how it ages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContentType:
    """``half_life_days`` is ``None`` where a document never ages; ``baseline`` is its confidence in [0, 1]."""

    name: str
    half_life_days: float | None
    baseline: float
    attention_decay: bool = False


def _table(*rows: ContentType) -> dict[str, ContentType]:
    return {row.name: row for row in rows}


CONTENT_TYPES = _table(
    ContentType("decision", None, 0.85),
    ContentType("deduction", None, 0.85),
    ContentType("hub", None, 0.80),
    ContentType("preference", None, 0.80),
    ContentType("antipattern", None, 0.75),
    ContentType("problem", 60, 0.75),
    ContentType("research", 90, 0.70),
    ContentType("milestone", 60, 0.70),
    ContentType("project", 120, 0.65, attention_decay=True),
    ContentType("handoff", 30, 0.60, attention_decay=True),
    ContentType("conversation", 45, 0.55),
    ContentType("progress", 45, 0.50, attention_decay=True),
    ContentType("entity", None, 0.75),
    ContentType("principle", None, 0.75),
    ContentType("skill", None, 0.75),
    ContentType("correction", None, 0.75),
    ContentType("observation", None, 0.65),
    ContentType("fact", None, 0.65),
    ContentType("relationship", None, 0.65),
    ContentType("bead", None, 0.65),
    ContentType("commitment", 90, 0.70),
    ContentType("moment", 120, 0.60),
    ContentType("summary", 180, 0.60),
    ContentType("daily", 30, 0.50),
    ContentType("note", 60, 0.50, attention_decay=True),
)
DEFAULT_TYPE = "note"
