"""Status: one pass over all documents that counts what there is, what is due and what is worth a thought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hearth.core.document import Document
from hearth.core.instants import DAY_MS, show_date, zone_of
from hearth.memory.lifecycle.archive import Best, documents, since
from hearth.memory.lifecycle.plan import Policy, Since, active, planned, snoozed
from hearth.memory.lifecycle.report import Advice, LifecycleStatus, StaleNote, Uses, advise
from hearth.memory.state.purged import is_purged
from hearth.memory.usage.statistics import origins
from hearth.ports import DocumentReader, Reader, StoredDocument

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
        if document.docid in self._moved or self._reader.members(document.docid):
            found = advise(stored, self._uses(self._reader, document.docid), self._now)
            if found is not None:
                into = self._pins if found.action == "pin" else self._snoozes
                into.add((-found.weight, found.docid), found)


def find_stale_notes(reader: DocumentReader, now: int, zone: str, limit: int) -> list[StaleNote]:
    """What is in sight, not snoozed, and past its review date, the longest overdue first."""
    day = today(now, zone)
    found: list[StaleNote] = []
    for stored in reader.reviewable(now + DAY_MS):
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
