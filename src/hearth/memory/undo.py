"""Undo: events reverted one by one, or a whole run in one step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from hearth.core import subjects
from hearth.core.errors import Conflict, NotFound, Remedy
from hearth.core.journal import Changed, Draft, Event, Register
from hearth.core.lazy import dataclass
from hearth.ports import EventLog, Reader
from hearth.vault import changes, usage_statistics
from hearth.vault.changes import NOTHING, FieldChange
from hearth.vault.history import History, primitives

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
    raise NotFound(f"no event {identity[:64]!r}", Remedy("journal show --json", "events", "", " lists them"))


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
        return _draft_reverted(event, slot, reader, history, data)
    field = slot.field
    docid = _present(event, field, reader, history)
    after = changes.set_by(reader, docid, field)
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


def _draft_reverted(event: Event, slot: Register, reader: Reader, history: History, data: Mapping[str, Any]) -> Draft:
    """Of an edge between documents, a question about two of them, what a name means: what was there, else nothing."""
    current = changes.set_by(reader, slot.subject, slot.field)
    if not _in_force(event.id, current, history.log):
        raise _changed_again(event)
    was, now = event.data.get("was"), reader.registers(slot.subject).get(slot.field)
    event_data = {**data, "was": now, "after": current}
    if slot.field.startswith(subjects.RELATION):
        kind, target = subjects.read_relation(slot.field)
        payload: dict[str, Any] = {"type": kind, "target": target}
        if not isinstance(was, dict):
            hide = {"hide": True} if was is False else {}
            return Draft("unrelate", event.doc, event.path, event.body_hash, {**payload, **hide, **event_data})
        return Draft("relate", event.doc, event.path, event.body_hash, {**was, **payload, **event_data})
    if event.kind == "alias":
        meant = {"name": event.data["name"], "of": None if was is None else was["of"]}
        return Draft("alias", event.doc, event.path, event.body_hash, {**meant, **event_data})
    name = "relation" if event.kind == "review" else "decision"
    before = {} if was is None else {key: was[key] for key in _OF_QUESTIONS if key in was}
    asked = {"older": event.data.get("older"), name: None, **before}
    return Draft(event.kind, event.doc, event.path, event.body_hash, {**asked, **event_data})


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
        raise Conflict(f"event {event.id} ({event.kind}) is not a change that can be undone")
    return found


def _changed_again(event: Event) -> Conflict:
    name = event.path or event.doc or event.data.get("name")
    return Conflict(f"{name} has changed since event {event.id} ({event.kind}); nothing was undone")


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
    bearers = usage_statistics.bearers(reader, [docid])
    later = [other for other in bearers if other != docid and changes.set_by(reader, other, field) is not None]
    if later or not _in_force(event.id, changes.set_by(reader, docid, field), history.log):
        raise _changed_again(event)
    return next((other for other in bearers if reader.document(other) is not None), docid)


_BATCH = 500
NIGHT = "dream-"
"""What the runs that dream are called."""
WROTE = "wrote"
"""The edge from a memory to the run that wrote it."""


Revert = Callable[[Event, str], bool]
"""Gives a document the text from before an event ``revised``, unless its file has another hash than the one given."""
Remove = Callable[[Sequence[tuple[Event, str]]], list[str]]
"""Removes files that a run wrote, by the event and the hash that each was left with, from the disk and the index; gives
the docids of those that were removed."""


@dataclass(frozen=True, slots=True)
class UndoneRun:
    """``events`` are the ids of what took it back, ``left`` says what was changed since and stays."""

    run: str
    undone: int
    left: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {"run": self.run, "undone": self.undone, "left": list(self.left), "events": list(self.events)}


def undo_run(
    history: History,
    run: str,
    remarks: Mapping[str, Any],
    retract: Callable[[str], Sequence[Changed]],
    revert: Revert = lambda event, raw_hash: False,
    remove: Remove = lambda files: [],
) -> UndoneRun:
    """Takes back the changes of a run, newest first. Of a capture, whose run is its event ``captured``, ``retract``
    takes back what it wrote; ``revert`` gives a document back the text that a run replaced, ``remove`` takes the files
    that an import wrote off the disk. Raises ``NotFound`` where nothing of the run is left to take back."""
    drafts: list[Draft] = []
    left: list[str] = []
    reverted = 0
    with history.store.read() as reader:
        found = _events(history, run)
        for event in found.changes:
            try:
                drafts += plan([event], reader, history, {**remarks, "run": run})
            except Conflict as error:
                left.append(str(error))
        for event in found.wrote:
            try:
                drafts += _forget(history, reader, event, found.left_as, {**remarks, "run": run})
            except Conflict as error:
                left.append(error.said)
    for event in found.revised:
        try:
            reverted += revert(event, found.left_as.get(str(event.doc)) or "")
        except Conflict as error:
            left.append(error.said)
    changed: list[Changed] = []
    for batch in found.batches:
        with suppress(NotFound):  # it left no memory
            changed += [one for one in retract(batch) if one.action != "unchanged"]
    events = [
        event for start in range(0, len(drafts), _BATCH) for event in history.record(drafts[start : start + _BATCH])
    ]
    # Last, so that a run whose undoing was killed in between is not half there: the next undo removes the rest.
    removed = remove(_list_hidden(history, found, found.undoing.union(events)))
    if not drafts and not left and not changed and not reverted and not removed:
        raise NotFound(f"nothing of a run {run[:64]!r} is left to undo")
    events += [event for one in changed for event in one.events]
    undone = len(drafts) + len(changed) + reverted + len(set(removed) - {draft.doc for draft in drafts})
    return UndoneRun(run, undone, tuple(left), tuple(events))


def _list_hidden(history: History, found: _RunEvents, undoing: Collection[str]) -> list[tuple[Event, str]]:
    """The files that a run wrote and whose documents its undoing hid, each with the hash that it was left with."""
    with history.store.read() as reader:
        return [
            (event, found.left_as[docid])
            for event in found.wrote
            if (docid := str(event.doc)) in found.left_as and changes.set_by(reader, docid, "forgotten") in undoing
        ]


@dataclass(frozen=True, slots=True)
class _RunEvents:
    """``changes`` are still to be taken back, newest first; ``wrote`` are of documents that the run made, ``revised``
    the first change of each other one. ``left_as`` has the hashes of files as the run left them, by docid, where it
    noted them; ``batches`` name what was captured; ``undoing`` are the events that took something of the run back."""

    changes: list[Event]
    wrote: list[Event]
    revised: list[Event]
    left_as: dict[str, str]
    batches: list[str]
    undoing: frozenset[str]


def _events(history: History, run: str) -> _RunEvents:
    log = history.log
    every = list(log.newest(own=False, naming=(run, run.upper(), "undoes")))
    captured = next((event for event in every if event.id == run.upper() and event.kind == "captured"), None)
    docids = () if captured is None else tuple(map(str, captured.data.get("docs", ())))
    # What was noticed of a memory is the run that is called like it.
    runs = {run, *docids}
    if docids:
        every = list(log.newest(own=False, naming=(*runs, "undoes")))
    undone = {event.data.get("undoes") for event in every}
    mine = [event for event in every if event.data.get("run") in runs and event.data.get("undoes") is None]
    done = [event for event in mine if event.id not in undone and undoable(event)]
    changes = [event for event in done if "raw" not in event.data]  # what goes with its document needs no undoing
    wrote = {str(event.doc): event for event in mine if event.data.get("type") == WROTE}
    revised = {str(event.doc): event for event in mine if event.kind == "revised" and str(event.doc) not in wrote}
    left_as = {str(event.doc): event.data["raw"] for event in reversed(mine) if "raw" in event.data}
    batches = [event.id for event in mine if event.kind == "captured"]
    batches += [] if captured is None else [captured.id]
    undoing = frozenset(event.id for event in every if event.data.get("run") in runs and "undoes" in event.data)
    return _RunEvents(changes, list(wrote.values()), list(revised.values()), left_as, batches, undoing)


def _forget(
    history: History, reader: Reader, wrote: Event, left_as: Mapping[str, str], remarks: Mapping[str, Any]
) -> list[Draft]:
    """Of a document that a run wrote. Raises ``Conflict`` where its file was changed since."""
    docid = str(wrote.doc)
    stored = reader.document(docid)
    if stored is None:
        return []
    known = history.registers(reader, docid)
    ops = changes.plan(known, lambda field: changes.set_by(reader, docid, field), {"forgotten": True})
    if docid in left_as and ops:
        # Restored since, or written by a later run: this one was stopped before it came to that.
        begins = subjects.name_relation(WROTE, "")
        since = ["forgotten", *(name for name, value in known.items() if name.startswith(begins) and value)]
        if any((changes.set_by(reader, docid, name) or "") > wrote.id for name in since):
            return []
        if stored.document.raw_hash != left_as[docid]:
            raise Conflict(f"{stored.document.path} was changed after the run and stays as it is")
    return changes.of(stored.document, ops, {**remarks, "undoes": wrote.id})
