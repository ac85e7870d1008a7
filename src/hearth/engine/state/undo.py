"""Undo: an event that reverts another one, as long as nothing changed the field since."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hearth.engine.history.fold import primitives
from hearth.engine.history.history import History
from hearth.engine.state import changes
from hearth.engine.state.changes import NOTHING, FieldChange
from hearth.engine.usage import identities
from hearth.errors import Conflict, NotFound, Remedy
from hearth.model.journal.event import Draft, Event
from hearth.model.journal.state import Register
from hearth.ports import EventLog, Reader

_FIELDS = frozenset(NOTHING)
_PURGE = "purge"
_HOPS = 32


def together(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts of one wish, marked so that they are undone together; each counts those that follow it."""
    last = len(drafts) - 1
    return [replace(d, data={**d.data, "more": last - i}) if last > i else d for i, d in enumerate(drafts)]


def chosen(log: EventLog, identity: str | None, actor: str) -> list[Event]:
    """The events to revert: the one named, else the actor's last on this machine that is not undone yet, with those of
    the same wish, newest first. Raises ``NotFound``."""
    found = _last(log.newest(own=True), actor) if identity is None else _named(log, identity.strip().upper())
    if found:
        return found
    if identity is None:
        raise NotFound(
            f"there is nothing to undo: no change by {actor} on this machine",
            Remedy("journal show", "events", "", " lists all"),
        )
    raise NotFound(f"there is no event {identity[:64]!r}", Remedy("journal show --json", "events", "", " lists them"))


def plan(events: Sequence[Event], reader: Reader, history: History, remarks: Mapping[str, Any]) -> list[Draft]:
    """Raises ``Conflict`` for what can't be undone or was changed since."""
    drafts: list[Draft] = []
    for event in events:
        field = _field(event)
        docid = _present(event, field, reader, history)
        after = reader.set_by(docid, field)
        stored = reader.document(docid)
        path, body_hash = event.path, event.body_hash
        if stored is not None:
            path, body_hash = stored.document.path, stored.document.body_hash
        value = event.data.get("was", NOTHING[field])
        now = history.registers(reader, docid).get(field)
        data = {**remarks, "undoes": event.id, "reinstates": event.data.get("after")}
        drafts += changes.drafts(docid, path, body_hash, [FieldChange(field, value, now, after)], data)
    return together(drafts)


def _last(events: Iterable[Event], actor: str) -> list[Event]:
    undone: set[str] = set()
    stream = iter(events)
    for event in stream:
        target = event.data.get("undoes")
        if event.id in undone:
            continue  # undoing an undo leaves in force what that had undone
        if isinstance(target, str):
            undone.add(target)
        elif event.data.get("actor") == actor and (event.kind == _PURGE or _sets(event)):
            return _wish(event, (), stream)
    return []


def _named(log: EventLog, identity: str) -> list[Event]:
    later: deque[Event] = deque(maxlen=len(_FIELDS))
    stream = log.newest(own=False)
    for event in stream:
        if event.id == identity:
            return _wish(event, later, stream)
        later.append(event)
    return []


def _wish(event: Event, later: Iterable[Event], earlier: Iterable[Event]) -> list[Event]:
    """The event with those journaled together with it, newest first."""
    following = _following(event)
    newer = [other for other in later if other.machine == event.machine][-following:] if following else []
    found = [*newer, event]
    for other in earlier:
        if other.machine != event.machine or _following(other) != len(found):
            break
        found.append(other)
    return found


def _following(event: Event) -> int:
    count = event.data.get("more", 0)
    return count if type(count) is int and 0 <= count < len(_FIELDS) else 0


def _sets(event: Event) -> list[Register]:
    items = primitives(event)
    return [item for item in items if isinstance(item, Register) and item.field in _FIELDS]


def _field(event: Event) -> str:
    if event.kind == _PURGE:
        why = "what it erased is gone" if event.data.get("at", 0) is not None else "purge the document again instead"
        raise Conflict(f"event {event.id} is about a purge, which can't be undone: {why}")
    found = _sets(event)
    if not found:
        raise Conflict(f"event {event.id} ({event.kind}) is no change of state that could be undone")
    return found[0].field


def _in_force(wanted: str, current: str | None, log: EventLog) -> bool:
    """Whether a field has its value from an event, or from an undo of all that came after."""
    for _ in range(_HOPS):
        if current in (wanted, None):
            break
        found = next((event for event in log.newest(own=False) if event.id == current), None)
        current = None if found is None else found.data.get("reinstates")
    return current == wanted


def _present(event: Event, field: str, reader: Reader, history: History) -> str:
    """The document's present identity. Raises ``Conflict`` where the field was changed since."""
    docid = str(event.doc)
    bearers = identities.bearers(reader, [docid])
    later = [other for other in bearers if other != docid and reader.set_by(other, field) is not None]
    if later or not _in_force(event.id, reader.set_by(docid, field), history.log):
        name = event.path or docid
        raise Conflict(f"{name} was changed again since event {event.id} ({event.kind}); nothing was undone")
    return next((other for other in bearers if reader.document(other) is not None), docid)
