"""What status, sweep and restore came to, the same for every surface. Instants are ms UTC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from hearth.engine.lifecycle.advice import Advice
from hearth.engine.lifecycle.plan import Op
from hearth.engine.lifecycle.policy import Policy
from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.instants import DAY_MS

MAX_LISTED = 1_000
"""Documents that a result spells out; it always counts all."""


@dataclass(frozen=True, slots=True)
class StaleNote:
    """A note whose ``review_by`` has passed."""

    docid: str
    collection: str
    path: str
    title: str
    review_by: int
    overdue_days: int

    @classmethod
    def of(cls, document: Document, now: int) -> StaleNote:
        review_by = document.review_by or 0
        names = (document.docid, document.collection, document.path, document.title)
        return cls(*names, review_by, max(1, (now - review_by) // DAY_MS))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LifecycleStatus:
    """``counts`` are over the whole vault: ``active`` is what nothing hides, ``never_accessed`` and ``stale`` count
    among that, ``due`` is what a sweep would archive now, ``purgeable`` what it would erase. ``oldest_access`` is the
    least recent use of a document that was used at all. ``recommended`` counts advice, of which ``advice`` has the
    strongest."""

    counts: Mapping[str, int]
    oldest_access: int | None
    policy: Policy
    recommended: Mapping[str, int]
    advice: tuple[Advice, ...]
    stale: tuple[StaleNote, ...]
    unknown: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.counts,
            "oldest_access": self.oldest_access,
            "policy": self.policy.to_dict(),
            "recommended": dict(self.recommended),
            "recommendations": [one.to_dict() for one in self.advice],
            "stale_notes": [note.to_dict() for note in self.stale],
            "unknown_collections": list(self.unknown),
        }


@dataclass(frozen=True, slots=True)
class Swept:
    """``archived`` and ``purged`` are what was done, or what would be where not ``applied``. ``kept`` counts what was
    changed while the sweep ran and was left alone. ``deferred`` are purges that only an explicit ``apply`` carries
    out, ``pending`` says why erasing is not complete, ``started_at`` is the present for ``lifecycle_restore``, and
    ``run`` what ``undo_run`` takes back."""

    applied: bool
    archived: tuple[Op, ...]
    purged: tuple[Op, ...]
    started_at: int
    events: int = 0
    last_event: str | None = None
    kept: int = 0
    deferred: int = 0
    pending: str | None = None
    run: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Spells out ``MAX_LISTED`` documents."""
        ops = (*self.archived, *self.purged)
        return {
            "dry_run": not self.applied,
            "candidates": len(ops),
            "archived": len(self.archived) if self.applied else 0,
            "purged": len(self.purged) if self.applied else 0,
            "documents": [op.to_dict() for op in ops[:MAX_LISTED]],
            "not_listed": max(0, len(ops) - MAX_LISTED),
            "kept": self.kept,
            "deferred_purges": self.deferred,
            "started_at": self.started_at,
            "last_event": self.last_event,
            "pending": self.pending,
            "run": self.run,
        }


@dataclass(frozen=True, slots=True)
class Restored:
    """``documents`` are back, or would be where not ``applied``. ``left`` counts what fits and was beyond the limit."""

    applied: bool
    documents: tuple[Document, ...]
    last_event: str | None = None
    left: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Spells out ``MAX_LISTED`` documents."""
        rows = [
            {"docid": d.docid, "collection": d.collection, "path": d.path, "title": d.title}
            for d in self.documents[:MAX_LISTED]
        ]
        return {
            "dry_run": not self.applied,
            "restored": len(self.documents) if self.applied else 0,
            "candidates": len(self.documents),
            "documents": rows,
            "not_listed": max(0, len(self.documents) - MAX_LISTED),
            "left": self.left,
            "last_event": self.last_event,
        }
