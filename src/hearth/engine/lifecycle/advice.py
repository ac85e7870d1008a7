"""Advice from how documents were used: what deserves a pin, and what is brought up in vain."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from hearth.engine.lifecycle.plan import active, snoozed
from hearth.lazy import dataclass
from hearth.ports import StoredDocument
from hearth.ranking.echo import is_session_note

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
