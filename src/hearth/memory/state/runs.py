"""Runs: what one sweep, consolidation or capture did, or what was noticed of a new memory, taken back in one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hearth.core.errors import Conflict, NotFound
from hearth.core.journal import Changed, Draft, Event
from hearth.core.lazy import dataclass
from hearth.memory.history.history import History
from hearth.memory.state import changes, undo
from hearth.ports import Reader

_BATCH = 500
NIGHT = "dream-"
"""What the runs that dream are called."""
WROTE = "wrote"
"""The edge from a memory to the run that wrote it."""


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
    history: History, run: str, remarks: Mapping[str, Any], retract: Callable[[str], Sequence[Changed]]
) -> UndoneRun:
    """Takes back the changes of a run, newest first. Of a capture, whose run is its event ``captured``, ``retract``
    takes back what it wrote. Raises ``NotFound`` where nothing of the run is left to take back."""
    drafts: list[Draft] = []
    left: list[str] = []
    with history.store.read() as reader:
        found = _events(history, run)
        for event in found.changes:
            try:
                drafts += undo.plan([event], reader, history, {**remarks, "run": run})
            except Conflict as error:
                left.append(str(error))
        for docid in found.wrote:
            drafts += _forget(history, reader, docid, {**remarks, "run": run})
    changed: list[Changed] = []
    if found.piece is not None:
        with suppress(NotFound):  # it left no memory
            changed = [one for one in retract(found.piece) if one.action != "unchanged"]
    if not drafts and not left and not changed:
        raise NotFound(f"nothing of a run {run[:64]!r} is there to be undone")
    events = [
        event for start in range(0, len(drafts), _BATCH) for event in history.record(drafts[start : start + _BATCH])
    ]
    events += [event for one in changed for event in one.events]
    return UndoneRun(run, len(drafts) + len(changed), tuple(left), tuple(events))


@dataclass(frozen=True, slots=True)
class _RunEvents:
    """``changes`` are still to be taken back, newest first; ``wrote`` names memories, ``piece`` what was captured."""

    changes: list[Event]
    wrote: list[str]
    piece: str | None


def _events(history: History, run: str) -> _RunEvents:
    log = history.log
    every = list(log.newest(own=False, naming=(run, run.upper(), "undoes")))
    captured = next((event for event in every if event.id == run.upper() and event.kind == "captured"), None)
    said = () if captured is None else tuple(map(str, captured.data.get("docs", ())))
    # What was noticed of a memory is the run that is called like it.
    runs = {run, *said}
    if said:
        every = list(log.newest(own=False, naming=(*runs, "undoes")))
    undone = {event.data.get("undoes") for event in every}
    mine = [event for event in every if event.data.get("run") in runs and event.data.get("undoes") is None]
    changes = [event for event in mine if event.id not in undone and undo.undoable(event)]
    wrote = [str(event.doc) for event in mine if event.data.get("type") == WROTE]
    return _RunEvents(changes, wrote, None if captured is None else captured.id)


def _forget(history: History, reader: Reader, docid: str, remarks: Mapping[str, Any]) -> list[Draft]:
    stored = reader.document(docid)
    if stored is None:
        return []
    known = history.registers(reader, docid)
    ops = changes.plan(known, lambda field: reader.set_by(docid, field), {"forgotten": True})
    return changes.of(stored.document, ops, remarks)
