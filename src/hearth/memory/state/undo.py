"""Undo: an event that reverts another one, as long as nothing changed the field since."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hearth.core import subjects
from hearth.core.errors import Conflict, NotFound, Remedy
from hearth.core.journal import Draft, Event, Register
from hearth.memory.history.fold import primitives
from hearth.memory.history.history import History
from hearth.memory.state import changes
from hearth.memory.state.changes import NOTHING, FieldChange
from hearth.memory.usage import statistics
from hearth.ports import EventLog, Reader

_FIELDS = frozenset(NOTHING)
_PURGE = "purge"
_OF_QUESTIONS = ("relation", "confidence", "why", "evidence", "decision", "reason", "actor")
_HOPS = 32


def together(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts of one wish, marked so that they are undone together; each counts those that follow it."""
    last = len(drafts) - 1
    return [replace(d, data={**d.data, "more": last - i}) if last > i else d for i, d in enumerate(drafts)]


def chosen(log: EventLog, identity: str | None, actor: str) -> list[Event]:
    """The events to revert: the one named, else the actor's last on this machine that is not undone yet, with those of
    the same wish, newest first. Raises ``NotFound``."""
    found = _last(log.newest(own=True), actor) if identity is None else _list_named(log, identity.strip().upper())
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
    return together([_inverse(event, reader, history, remarks) for event in events])


def undoable(event: Event) -> bool:
    """Whether it is a change that has an inverse."""
    return _slot(event) is not None


def _inverse(event: Event, reader: Reader, history: History, remarks: Mapping[str, Any]) -> Draft:
    slot = _check(event)
    data = {**remarks, "undoes": event.id, "reinstates": event.data.get("after")}
    if slot.field not in _FIELDS:
        return _taken_back(event, slot, reader, history, data)
    field = slot.field
    docid = _present(event, field, reader, history)
    after = reader.set_by(docid, field)
    stored = reader.document(docid)
    path, body_hash = event.path, event.body_hash
    if stored is not None:
        path, body_hash = stored.document.path, stored.document.body_hash
    value = event.data.get("was", NOTHING[field])
    registers = history.registers(reader, docid)
    along = event.data.get("was_along") or {}
    op = FieldChange(field, value, registers.get(field), after, along, changes.beside(registers, field))
    [draft] = changes.drafts(docid, path, body_hash, [op], data)
    return draft


def _taken_back(event: Event, slot: Register, reader: Reader, history: History, data: Mapping[str, Any]) -> Draft:
    """Of an edge between documents, a question about two of them, what a name means: what was there, else nothing."""
    current = reader.set_by(slot.subject, slot.field)
    if not _in_force(event.id, current, history.log):
        raise _changed_again(event)
    was, now = event.data.get("was"), reader.registers(slot.subject).get(slot.field)
    told = {**data, "was": now, "after": current}
    if slot.field.startswith(subjects.RELATION):
        kind, target = subjects.read_relation(slot.field)
        payload: dict[str, Any] = {"type": kind, "target": target}
        if not isinstance(was, dict):
            hide = {"hide": True} if was is False else {}
            return Draft("unrelate", event.doc, event.path, event.body_hash, {**payload, **hide, **told})
        return Draft("relate", event.doc, event.path, event.body_hash, {**was, **payload, **told})
    if event.kind == "alias":
        meant = {"name": event.data["name"], "of": None if was is None else was["of"]}
        return Draft("alias", event.doc, event.path, event.body_hash, {**meant, **told})
    name = "relation" if event.kind == "review" else "decision"
    before = {} if was is None else {key: was[key] for key in _OF_QUESTIONS if key in was}
    asked = {"older": event.data.get("older"), name: None, **before}
    return Draft(event.kind, event.doc, event.path, event.body_hash, {**asked, **told})


def _last(events: Iterable[Event], actor: str) -> list[Event]:
    undone: set[str] = set()
    stream = iter(events)
    for event in stream:
        target = event.data.get("undoes")
        if event.id in undone:
            continue  # undoing an undo leaves in force what that had undone
        if isinstance(target, str):
            undone.add(target)
        elif event.data.get("actor") == actor and (event.kind == _PURGE or undoable(event)):
            return _wish(event, (), stream)
    return []


def _list_named(log: EventLog, identity: str) -> list[Event]:
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


def _slot(event: Event) -> Register | None:
    """The register that an event is about, of those that may be taken back."""
    items = [item for item in primitives(event) if isinstance(item, Register)]
    return next((item for item in items if item.field in _FIELDS or _is_shared(item)), None)


def _is_shared(item: Register) -> bool:
    """Whether it is about two documents, or about a name."""
    if item.subject == subjects.ENTITIES:
        return True
    return item.field.startswith(subjects.RELATION) or subjects.is_review(item.subject)


def _check(event: Event) -> Register:
    if event.kind == _PURGE:
        why = "what it erased is gone" if event.data.get("at", 0) is not None else "purge the document again instead"
        raise Conflict(f"event {event.id} is about a purge, which can't be undone: {why}")
    found = _slot(event)
    if found is None:
        raise Conflict(f"event {event.id} ({event.kind}) is no change of state that could be undone")
    return found


def _changed_again(event: Event) -> Conflict:
    name = event.path or event.doc or event.data.get("name")
    return Conflict(f"{name} was changed again since event {event.id} ({event.kind}); nothing was undone")


def _in_force(wanted: str, current: str | None, log: EventLog) -> bool:
    """Whether a field has its value from an event, or from an undo of all that came after."""
    for _ in range(_HOPS):
        if current is None or current == wanted:
            break
        found = next((event for event in log.newest(own=False, naming=(current,)) if event.id == current), None)
        current = None if found is None else found.data.get("reinstates")
    return current == wanted


def _present(event: Event, field: str, reader: Reader, history: History) -> str:
    """The document's present identity. Raises ``Conflict`` where the field was changed since."""
    docid = str(event.doc)
    bearers = statistics.bearers(reader, [docid])
    later = [other for other in bearers if other != docid and reader.set_by(other, field) is not None]
    if later or not _in_force(event.id, reader.set_by(docid, field), history.log):
        raise _changed_again(event)
    return next((other for other in bearers if reader.document(other) is not None), docid)
