"""Commitments: what was promised, by whom, until when, and whether it was kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from hearth.engine.history.history import History
from hearth.engine.history.validity import COMMITMENT, due_at, may_rule
from hearth.engine.state import changes
from hearth.engine.truth.review import beginning
from hearth.lazy import dataclass
from hearth.model import instants
from hearth.model.instants import DAY_MS
from hearth.model.journal.event import Draft
from hearth.model.memory import OWNERS
from hearth.ports import Filter, Reader, StoredDocument

CommitmentState = Literal["open", "fulfilled", "expired"]
SOON_DAYS = 3
"""So long before its day a commitment is brought up."""
_SAID_CHARS = 300


@dataclass(frozen=True, slots=True)
class Commitment:
    """``owner`` is who owes it, where that is known: ``user``, ``agent`` or ``other``; ``overdue`` says that the day by
    which it was to be kept is over where the person is. Instants are ms UTC."""

    docid: str
    collection: str
    path: str
    said: str
    state: CommitmentState
    owner: str | None
    due_at: int | None
    made_at: int | None
    fulfilled_at: int | None = None
    fulfilled_by: str | None = None
    overdue: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {name: getattr(self, name) for name in self.__slots__}


def commitments(
    reader: Reader, now: int, zone: str = "UTC", *, due: int | None = None, closed: bool = False
) -> list[Commitment]:
    """Those that are open, the most urgent first; with ``due`` only those due today, within so many days or overdue,
    with ``closed`` also those kept and lapsed. Due is a whole day, and today that of ``zone``. What is forgotten,
    archived or replaced is none any more, and what others promise each other is none of the person's."""
    found = [one for one in reader.find_documents(Filter(types=(COMMITMENT,))) if may_rule(one.document)]
    where = instants.zone_of(zone)
    today = instants.show_date(now, where)
    listed = [_commitment(reader, stored, now, today) for stored in found if closed or not stored.state.expired(now)]
    if due is not None:
        last = instants.show_date(now + due * DAY_MS, where)
        listed = [one for one in listed if one.due_at is not None and instants.show_date(one.due_at) <= last]
    return sorted(listed, key=lambda one: (one.due_at is None, one.due_at or 0, one.docid))


def draft_fulfilment(
    reader: Reader, history: History, stored: StoredDocument, at: int, by: str | None, said: Mapping[str, Any]
) -> list[Draft]:
    """The event that says that a commitment was kept; ``by`` is the docid of what says so."""
    docid = stored.document.docid
    known = history.registers(reader, docid)
    ops = changes.plan(known, lambda field: reader.set_by(docid, field), {"fulfilled_at": at})
    if by is not None:
        ops = [changes.along(op, {"by": by}) for op in ops]
    return changes.of(stored.document, ops, said)


def _commitment(reader: Reader, stored: StoredDocument, now: int, today: str) -> Commitment:
    document, state = stored.document, stored.state
    status: CommitmentState = "open"
    if state.fulfilled_at is not None:
        status = "fulfilled"
    elif state.expired(now):
        status = "expired"
    owner, due = document.facts.get("owner"), due_at(document)
    return Commitment(
        docid=document.docid,
        collection=document.collection,
        path=document.path,
        said=beginning(reader, stored, _SAID_CHARS) or document.title,
        state=status,
        owner=owner if owner in OWNERS else None,
        due_at=due,
        made_at=document.valid_from,
        fulfilled_at=state.fulfilled_at,
        fulfilled_by=state.fulfilled_by,
        overdue=due is not None and instants.show_date(due) < today,
    )
