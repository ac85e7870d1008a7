"""Status of a vault's documents in one pass, and what sweeps and restores report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, Protocol

from hearth.core.document import Document, is_session_note
from hearth.core.instants import DAY_MS, show_date, zone_of
from hearth.core.lazy import dataclass
from hearth.memory.archive import Best, Op, Policy, Since, active, documents, planned, since, snoozed
from hearth.ports import DocumentReader, Filter, Reader, StoredDocument
from hearth.vault.changes import is_purged
from hearth.vault.usage_statistics import origins

PIN_RECALLS = 3
PIN_DIVERSITY = 0.4
PIN_SPACING = 0.5
SNOOZE_SURFACED = 5
SNOOZE_SHARE = 0.2
"""Brought up so often, and referenced in less than this share of them."""


AdviceAction = Literal["pin", "snooze"]


class Uses(Protocol):
    """How a document was used: counts, and diversity and spacing of its recalls in [0, 1]."""

    @property
    def surfaced(self) -> int: ...
    @property
    def referenced(self) -> int: ...
    @property
    def recalled(self) -> int: ...
    @property
    def diversity(self) -> float: ...
    @property
    def spacing(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Advice:
    """``weight`` orders advice of one kind, the strongest first."""

    action: AdviceAction
    docid: str
    collection: str
    path: str
    title: str
    why: str
    weight: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "title": self.title,
            "why": self.why,
        }


def advise(stored: StoredDocument, uses: Uses, now: int) -> Advice | None:
    """At most one thing, for what is in sight and neither pinned nor snoozed. What we noted of a session is no page to
    pin."""
    state, document = stored.state, stored.document
    if not active(state) or state.pinned or snoozed(state, now):
        return None
    who = (document.docid, document.collection, document.path, document.title)
    often = uses.recalled >= PIN_RECALLS and uses.diversity >= PIN_DIVERSITY and uses.spacing >= PIN_SPACING
    if often and not is_session_note(document):
        why = f"recalled {uses.recalled:,} times, on different days"
        return Advice("pin", *who, why, uses.recalled * uses.diversity * uses.spacing)
    if uses.surfaced >= SNOOZE_SURFACED and uses.referenced < SNOOZE_SHARE * uses.surfaced:
        why = f"brought up in {uses.surfaced:,} turns, used in {uses.referenced:,}"
        return Advice("snooze", *who, why, uses.surfaced - uses.referenced)
    return None


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


SHOWN = 20
COUNTS = (
    "documents",
    "active",
    "archived",
    "forgotten",
    "superseded",
    "invalidated",
    "pinned",
    "snoozed",
    "never_accessed",
    "stale",
    "governed",
    "due",
    "purgeable",
)


class StatusCount:
    """``uses`` tells how a document was used."""

    def __init__(
        self, reader: Reader, policy: Policy, now: int, zone: str, uses: Callable[[Reader, str], Uses]
    ) -> None:
        self._reader = reader
        self._policy = policy
        self._now = now
        self._today = today(now, zone)
        self._uses = uses
        self._since: Since = since(reader)
        self._moved = origins(reader)
        self._counts: Counter[str] = Counter()
        self._oldest: int | None = None
        self._pins: Best[Advice] = Best(SHOWN)
        self._snoozes: Best[Advice] = Best(SHOWN)
        self._stale: Best[StaleNote] = Best(SHOWN)

    def report(self) -> LifecycleStatus:
        known = self._reader.collections()
        for stored in documents(self._reader, known):
            if not is_purged(stored.document):
                self._count(stored)
        named = (*self._policy.exempt, *self._policy.collections)
        return LifecycleStatus(
            counts={name: self._counts[name] for name in COUNTS},
            oldest_access=self._oldest,
            policy=self._policy,
            recommended={"pin": self._pins.count, "snooze": self._snoozes.count},
            advice=(*self._pins.items, *self._snoozes.items),
            stale=self._stale.items,
            unknown=tuple(name for name in dict.fromkeys(named) if name not in known),
        )

    def _count(self, stored: StoredDocument) -> None:
        state, counts = stored.state, self._counts
        counts["documents"] += 1
        counts.update(state.veils)
        counts["pinned"] += state.pinned
        counts["snoozed"] += snoozed(state, self._now)
        used = state.last_accessed_at
        if used is not None and (self._oldest is None or used < self._oldest):
            self._oldest = used
        for op in planned((stored,), self._policy, self._now, self._since):
            counts["due" if op.action == "archive" else "purgeable"] += 1
        if active(state):
            self._count_active(stored)

    def _count_active(self, stored: StoredDocument) -> None:
        document = stored.document
        self._counts["active"] += 1
        self._counts["governed"] += self._policy.governs(document)
        self._counts["never_accessed"] += stored.state.access_count == 0
        if stale(document, self._today):
            self._counts["stale"] += 1
            self._stale.add((document.review_by or 0, document.docid), StaleNote.of(document, self._now))
        # Most documents were never used at all, which one look tells.
        if document.docid in self._moved or self._reader.subject(document.docid).members:
            found = advise(stored, self._uses(self._reader, document.docid), self._now)
            if found is not None:
                into = self._pins if found.action == "pin" else self._snoozes
                into.add((-found.weight, found.docid), found)


def find_stale_notes(reader: DocumentReader, now: int, zone: str, limit: int) -> list[StaleNote]:
    """What is in sight, not snoozed, and past its review date, the longest overdue first."""
    day = today(now, zone)
    found: list[StaleNote] = []
    due = reader.each_document(Filter(include_hidden=True, review_before=now + DAY_MS))
    for stored in sorted(due, key=lambda one: (one.document.review_by, one.document.docid)):
        document, shown = stored.document, active(stored.state) and not stored.vanished
        if shown and stale(document, day) and not snoozed(stored.state, now):
            found.append(StaleNote.of(document, now))
            if len(found) == limit:
                break
    return found


def stale(document: Document, day: str) -> bool:
    """Whether its review date is before ``day``: dates are compared as dates, in the user's zone."""
    return document.review_by is not None and show_date(document.review_by) < day


def today(now: int, zone: str) -> str:
    return show_date(now, zone_of(zone))
