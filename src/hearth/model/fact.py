"""A fact: who or what stands how to what, since when and until when, and who says so."""

from __future__ import annotations

from typing import Any

from hearth.lazy import dataclass
from hearth.model.instants import show_date

PREDICATES = (
    "adopted", "migrated_to", "deployed_to", "runs_on", "replaced", "depends_on", "integrates_with", "uses", "prefers",
    "avoids", "caused_by", "resolved_by", "owned_by", "is",
)  # fmt: skip
SINGLE = frozenset({"deployed_to", "runs_on", "owned_by"})
"""A newer value of these ends the older one."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a line of a document says; ``confidence`` lies in [0, 1], ``subject_key`` and ``object_key`` are equal for
    spellings of one name. ``within_key`` is that of the one thing for which something was replaced, empty where it was
    for all. ``said_at`` is when it was said: where ``valid_from`` is the same, nobody said since when it holds."""

    subject: str
    predicate: str
    object: str
    subject_key: str
    object_key: str
    docid: str
    collection: str
    path: str
    line: int
    quote: str
    confidence: float
    valid_from: int | None = None
    valid_to: int | None = None
    within_key: str = ""
    said_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        said = {"subject": self.subject, "predicate": self.predicate, "object": self.object}
        where = {"docid": self.docid, "collection": self.collection, "path": self.path, "line": self.line}
        since = {"valid_from": self.valid_from, "valid_to": self.valid_to}
        return said | since | {"confidence": round(self.confidence, 2), "quote": self.quote} | where

    @property
    def words(self) -> str:
        """As "larder uses PostgreSQL, from 2026-01-20 to 2026-03-01"."""
        since = "" if self.valid_from is None else f" from {show_date(self.valid_from)}"
        until = "" if self.valid_to is None else f" to {show_date(self.valid_to)}"
        return f"{self.subject} {self.predicate} {self.object}{',' if since or until else ''}{since}{until}"

    def holds(self, at: int) -> bool:
        """What nothing dates holds at any time."""
        return (self.valid_from is None or self.valid_from <= at) and (self.valid_to is None or at < self.valid_to)
