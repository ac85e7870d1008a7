"""The registry of content types: what kind of document it is decides how it ages and how the engine writes it."""

from __future__ import annotations

from enum import StrEnum

from hearth.core.lazy import dataclass


class Merge(StrEnum):
    """What the engine does with a new memory beside those that are there.

    ``NEVER`` types are written by people alone. ``NEW`` always makes a file. ``SKIP`` makes one unless a near-identical
    memory is there. ``SUBJECT`` rewrites the memory about the same subject, ``ONE`` does so where a subject is named.
    ``GATHER`` adds a dated line to the memory about the same subject and replaces nothing. ``RECENT`` merges into a
    similar memory of the last days. ``SESSION`` rewrites the session's own. ``APPEND`` adds to the file of the day.
    """

    NEVER = "never"
    NEW = "new"
    SKIP = "skip"
    SUBJECT = "subject"
    ONE = "one"
    GATHER = "gather"
    RECENT = "recent"
    SESSION = "session"
    APPEND = "append"


@dataclass(frozen=True, slots=True)
class ContentType:
    """``half_life_days`` is ``None`` where a document never ages; ``baseline`` is its confidence in [0, 1];
    ``folder`` is where the engine puts memories of this type, below the memory folder."""

    name: str
    half_life_days: float | None
    baseline: float
    merge: Merge
    folder: str | None
    attention_decay: bool = False


def _table(*rows: ContentType) -> dict[str, ContentType]:
    return {row.name: row for row in rows}


CONTENT_TYPES = _table(
    ContentType("decision", None, 0.85, Merge.SKIP, "agent/decisions"),
    ContentType("deduction", None, 0.85, Merge.SKIP, "agent/deductions"),
    ContentType("hub", None, 0.80, Merge.NEVER, None),
    ContentType("preference", None, 0.80, Merge.SUBJECT, "user/preferences"),
    ContentType("antipattern", None, 0.75, Merge.RECENT, "agent/antipatterns"),
    ContentType("problem", 60, 0.75, Merge.NEW, "agent/problems"),
    ContentType("research", 90, 0.70, Merge.NEVER, None),
    ContentType("milestone", 60, 0.70, Merge.NEW, "agent/milestones"),
    ContentType("project", 120, 0.65, Merge.NEVER, None, attention_decay=True),
    ContentType("handoff", 30, 0.60, Merge.SESSION, "agent/handoffs", attention_decay=True),
    ContentType("conversation", 45, 0.55, Merge.NEVER, None),
    ContentType("progress", 45, 0.50, Merge.NEVER, None, attention_decay=True),
    ContentType("entity", None, 0.75, Merge.GATHER, "user/entities"),
    ContentType("principle", None, 0.75, Merge.SUBJECT, "agent/principles"),
    ContentType("skill", None, 0.75, Merge.SUBJECT, "agent/skills"),
    ContentType("correction", None, 0.75, Merge.SUBJECT, "agent/corrections"),
    ContentType("observation", None, 0.65, Merge.SKIP, "agent/observations"),
    ContentType("fact", None, 0.65, Merge.SKIP, "agent/facts"),
    ContentType("relationship", None, 0.65, Merge.GATHER, "agent/relationships"),
    ContentType("bead", None, 0.65, Merge.SKIP, "agent/beads"),
    ContentType("commitment", 90, 0.70, Merge.NEW, "agent/commitments"),
    ContentType("question", 30, 0.50, Merge.NEW, "agent/questions"),
    ContentType("moment", 120, 0.60, Merge.NEW, "agent/moments"),
    ContentType("profile", None, 0.80, Merge.NEVER, None),
    ContentType("summary", 180, 0.60, Merge.ONE, "agent/summaries"),
    ContentType("meeting", 120, 0.60, Merge.NEVER, None),
    ContentType("runbook", None, 0.70, Merge.NEVER, None),
    ContentType("postmortem", None, 0.70, Merge.NEVER, None),
    ContentType("rfc", None, 0.70, Merge.NEVER, None),
    ContentType("weekly", 60, 0.50, Merge.NEVER, None),
    ContentType("daily", 30, 0.50, Merge.APPEND, "daily"),
    ContentType("note", 60, 0.50, Merge.NEW, "agent/notes", attention_decay=True),
)
DEFAULT_TYPE = "note"
ENTITY = "entity"
"""What is known of somebody or something, a file each."""
CONVERSATION = "conversation"
"""What sessions said, as it was said."""
STATEMENTS = (
    "decision", "preference", "fact", "correction", "principle", "skill", "observation", "deduction", "note",
)  # fmt: skip
"""Types of memory that say how one thing is: a milestone is true of its day for ever, an entity's file gathers much."""
RULES = ("preference", "correction", "antipattern", "principle")
"""How a person wants things done."""
DERIVED = ("profile", "summary", "question")
"""Made of memories and of sessions, which are read themselves."""

SURFACES = ("project", "asked", "always", "never")
"""For which prompts a collection is brought up unasked: for any in its project, and elsewhere where the prompt asks
something of memory; only where it asks; for any; for none."""
