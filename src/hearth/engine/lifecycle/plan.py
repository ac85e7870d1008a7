"""The plan of a sweep: what is archived and what is purged, and why. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any, Literal

from hearth.engine.history.validity import COMMITMENT
from hearth.engine.lifecycle.policy import Policy
from hearth.engine.state.purged import is_purged
from hearth.lazy import dataclass
from hearth.model import instants
from hearth.model.document import DocumentState
from hearth.ports import StoredDocument

Since = Callable[[str], int | None]
"""When somebody last archived or restored a document, by its docid; ms UTC."""


@dataclass(frozen=True, slots=True)
class Op:
    """One document that a sweep archives or purges; ``why`` is for people and for the journal."""

    action: Literal["archive", "purge"]
    docid: str
    collection: str
    path: str
    title: str
    content_type: str
    why: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def plan(documents: Iterable[StoredDocument], policy: Policy, now: int, since: Since) -> list[Op]:
    """What is due at ``now`` (ms UTC), in the order of the documents. ``since`` is asked only of what would be due."""
    return list(planned(documents, policy, now, since))


def planned(documents: Iterable[StoredDocument], policy: Policy, now: int, since: Since) -> Iterator[Op]:
    """``plan`` without holding it."""
    governed = frozenset(policy.governed)
    for stored in documents:
        if stored.document.collection in governed and not (stored.vanished or is_purged(stored.document)):
            found = _due(stored, policy, now, since)
            if found is not None:
                yield found


def active(state: DocumentState) -> bool:
    return not state.hidden


def snoozed(state: DocumentState, now: int) -> bool:
    return (state.snoozed_until or 0) > now


def _due(stored: StoredDocument, policy: Policy, now: int, since: Since) -> Op | None:
    state = stored.state
    if state.pinned or state.forgotten:
        return None
    if state.archived:
        why = _purgeable(stored, policy, now, since)
        return None if why is None else _op("purge", stored, why)
    if not active(state) or snoozed(state, now):
        return None
    why = _explain_expiry(stored, now) or _explain_disuse(stored, policy, now, since)
    return None if why is None else _op("archive", stored, why)


def _explain_expiry(stored: StoredDocument, now: int) -> str | None:
    """A guess that nobody confirmed, or a commitment that is kept or lapsed."""
    document, end = stored.document, stored.state.ends_at
    if end is None or end > now:
        return None
    if document.content_type != COMMITMENT:
        return f"a guess that expired on {instants.show_date(end)}"
    ended = "was kept" if stored.state.fulfilled_at is not None else "lapsed"
    return f"a commitment that {ended} on {instants.show_date(end)}"


def _explain_disuse(stored: StoredDocument, policy: Policy, now: int, since: Since) -> str | None:
    document, limit = stored.document, policy.limit(stored.document.content_type)
    if limit is None:
        return None
    touched = max(document.modified_at, document.authored_at or 0, stored.state.last_accessed_at or 0)
    if now - touched <= limit * instants.DAY_MS:
        return None
    touched = max(touched, since(document.docid) or 0)
    if now - touched <= limit * instants.DAY_MS:
        return None
    days = (now - touched) // instants.DAY_MS
    return f"unused and unchanged for {days:,} days, over the limit of {limit:,} for {document.content_type}"


def _purgeable(stored: StoredDocument, policy: Policy, now: int, since: Since) -> str | None:
    limit = policy.purge_after_days
    archived = None if limit is None else since(stored.document.docid)
    if limit is None or archived is None or now - archived <= limit * instants.DAY_MS:
        return None
    return f"archived for {(now - archived) // instants.DAY_MS:,} days, over the limit of {limit:,}"


def _op(action: Literal["archive", "purge"], stored: StoredDocument, why: str) -> Op:
    document = stored.document
    return Op(action, document.docid, document.collection, document.path, document.title, document.content_type, why)
