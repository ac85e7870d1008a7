"""What agents may change about a document: pin, snooze, forget. The file stays as it is."""

from __future__ import annotations

from collections.abc import Callable

from hearth.errors import Conflict, UsageError
from hearth.model.instants import DAY_MS
from hearth.model.journal.change import Changed
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common
from hearth.server.moments import instant
from hearth.server.remedies import MCP, worded
from hearth.server.schema import flag, inputs, text, whole

ACTOR = "agent"
TARGET = text(
    "Which document: its docid (#… from any result), collection/path, or a description that fits no other.",
    longest=4_096,
)


def _pin(call: Call) -> Answer:
    change = call.vault.state.unpin if call["unpin"] else call.vault.state.pin
    return _done(call, change(call["reference"], reason=call["reason"], actor=ACTOR))


def _snooze(call: Call) -> Answer:
    vault, reference, said = call.vault, call["reference"], {"reason": call["reason"], "actor": ACTOR}
    if sum(call[name] is not None for name in ("until", "days")) + call["end"] != 1:
        raise UsageError("say one of until, days, end: true")
    if call["end"]:
        return _done(call, vault.state.unsnooze(reference, **said))
    until = instant(call["until"], "until", vault.zone)
    if until is None:
        until = vault.clock() + call["days"] * DAY_MS
    return _done(call, vault.state.snooze(reference, until, **said))


def _undo(call: Call) -> Answer:
    """Once more is no error: a client that heard no answer asks again."""
    try:
        return _done(call, call.vault.state.undo(call["event"], reason=call["reason"], actor=ACTOR))
    except Conflict:
        log = call.vault.state.history.log
        wanted = call["event"].strip().upper()
        undoing = next((event for event in log.newest(own=False) if event.data.get("undoes") == wanted), None)
        if undoing is None:
            raise
    with call.vault.store.read() as reader:
        stored = reader.document(str(undoing.doc))
    place = ("", undoing.path or "") if stored is None else (stored.document.collection, stored.document.path)
    return _done(call, Changed("unchanged", str(undoing.doc), *place, note="that was taken back already"))


def _forget(call: Call) -> Answer:
    return confirmed(call, call.vault.state.forget, "hide it from every search; its file stays", hidden=False)


def confirmed(call: Call, change: Callable[..., Changed], would: str, *, hidden: bool) -> Answer:
    """Changes the document where the call confirms it, else shows which it would be."""
    if call["confirm"]:
        return _done(call, change(call["reference"], reason=call["reason"], actor=ACTOR))
    stored = call.vault.state.targets.one(call["reference"], hidden=hidden)
    row = render.document_row(stored.document)
    said = f"Preview, nothing changed. This would {would}:\n{render.document_line(stored.document)}"
    kept = {name: row[name] for name in ("docid", "collection", "path", "title")}
    return Answer(f"{said}\nTo do it, call again with reference #{row['docid']} and confirm true.",
                  {"action": "preview", **kept, "events": []})  # fmt: skip


def _done(call: Call, done: Changed) -> Answer:
    place = f"{render.name(done.collection)}/{render.name(done.path)}"
    said = f"{done.action}: {place} (#{done.docid})"
    if done.note:
        said += f"\n{render.line(worded(done.note, MCP))}"
    if done.events:
        said += f"\nTo take it back: memory_undo with event {done.events[-1]}"
    data = {"action": done.action, "docid": done.docid, "collection": done.collection, "path": done.path}
    return Answer(said, data | {"title": common.titled(call.vault, done.docid), "events": done.events})


TOOLS = (
    Tool(
        name="memory_pin",
        title="Pin a document",
        description="Put a document first among equals in searches, or take that back. For what must not be missed.",
        takes=inputs(
            "reference",
            reference=TARGET,
            unpin=flag("Take the pin back (default false).", default=False),
            reason=common.REASON,
        ),
        gives=common.CHANGED,
        run=_pin,
        core=True,
        writes=True,
    ),
    Tool(
        name="memory_snooze",
        title="Snooze a document",
        description="Keep a document from being brought up unasked for a while; searches still find it.",
        takes=inputs(
            "reference",
            reference=TARGET,
            until=text("Until then: YYYY-MM-DD or ISO 8601.", longest=40),
            days=whole("For so many days.", 1, 36_500),
            end=flag("End a snooze now (default false).", default=False),
            reason=common.REASON,
        ),
        gives=common.CHANGED,
        run=_snooze,
        writes=True,
    ),
    Tool(
        name="memory_forget",
        title="Forget a document",
        description=(
            "Hide a document from every search, for what is wrong or unwanted. Without confirm it only shows which. "
            "The file stays; memory_undo takes it back."
        ),
        takes=inputs(
            "reference",
            reference=TARGET,
            confirm=flag("Do it; else only show what would be done (default false).", default=False),
            reason=common.REASON,
        ),
        gives=common.CHANGED,
        run=_forget,
        core=True,
        writes=True,
        destructive=True,
    ),
    Tool(
        name="memory_undo",
        title="Take a change back",
        description=(
            "Take back a pin, snooze, forget, restore or another change of a document's state, by its event. A change "
            "that was changed again since is left alone."
        ),
        takes=inputs(
            "event",
            event=text("The event, from events of the answer to the change.", longest=64),
            reason=common.REASON,
        ),
        gives=common.CHANGED,
        run=_undo,
        core=True,
        writes=True,
    ),
)
