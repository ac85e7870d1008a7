"""Which documents a sweep looks after, and what of them is archived or purged, and why. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, field
from typing import Any, Literal

from hearth.core import instants
from hearth.core.document import INTERNAL, Document, DocumentState
from hearth.core.lazy import dataclass
from hearth.core.types import CONTENT_TYPES, DEFAULT_TYPE
from hearth.memory.history.validity import COMMITMENT
from hearth.memory.state.purged import is_purged
from hearth.ports import StoredDocument


@dataclass(frozen=True, slots=True)
class Policy:
    """``overrides`` are limits in days by content type, ``None`` for never. ``collections`` opted in; what the engine
    wrote is always looked after. ``dry_run``: a sweep only says what it would do unless told to apply."""

    archive_after_days: int = 90
    overrides: Mapping[str, int | None] = field(default_factory=dict)
    purge_after_days: int | None = None
    exempt: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    dry_run: bool = True

    @property
    def governed(self) -> tuple[str, ...]:
        """The collections that the sweep looks at."""
        return tuple(name for name in (INTERNAL, *self.collections) if name not in self.exempt)

    def governs(self, document: Document) -> bool:
        return document.collection in self.governed

    def limit(self, content_type: str) -> int | None:
        """Days that a type may lie unused; ``None`` for never. What does not age is exempt unless it has a limit of
        its own."""
        if content_type in self.overrides:
            return self.overrides[content_type]
        kind = CONTENT_TYPES.get(content_type, CONTENT_TYPES[DEFAULT_TYPE])
        return None if kind.half_life_days is None else self.archive_after_days

    def to_dict(self) -> dict[str, Any]:
        """``limits`` has every content type."""
        return {
            "archive_after_days": self.archive_after_days,
            "limits": {name: self.limit(name) for name in CONTENT_TYPES},
            "purge_after_days": self.purge_after_days,
            "collections": list(self.governed),
            "exempt_collections": list(self.exempt),
            "dry_run": self.dry_run,
        }


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
