"""What may be changed about a document: pin, snooze, forget and the rest. Its file stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from hearth.core.errors import Conflict, UsageError
from hearth.core.instants import DAY_MS, show_date_or_none
from hearth.core.journal import MAX_REASON_CHARS, Changed
from hearth.core.lazy import dataclass
from hearth.operations import render
from hearth.operations.arguments import Arguments, about, text, whole
from hearth.operations.operation import A, Operation, Request, Route, Row, Tool
from hearth.operations.shapes import INSTANT, TEXT, WHOLE, instant, listed, maybe, obj, ref
from hearth.ports import StoredDocument
from hearth.vault.history import list_forgotten

SNOOZE_DAYS = 30
_LISTED, _SHOWN = 500, 50
_TARGET = "Which document: its docid (#… from any result), collection/path, or a description that fits no other."
CONFIRM = about("Do it; else only show what would be done (default false).")
TARGET = text(_TARGET, 4_096)
_REASON = text(f"Why (up to {MAX_REASON_CHARS} characters); recorded in the journal.", MAX_REASON_CHARS)


class Reasoned(Arguments):
    reason: Annotated[str | None, _REASON] = None


class DryRun(Reasoned):
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


class McpUndo(Reasoned):
    event: Annotated[str, text("The event, from events of the answer to the change.", 64)]


class Target(Reasoned):
    reference: Annotated[str, TARGET]


class Pin(Target):
    unpin: Annotated[bool, about("Take the pin back (default false).")] = False


class Snooze(Target):
    """Where ``must`` it says one of the three, else it lasts 30 days."""

    until: Annotated[str | None, text("Until then: YYYY-MM-DD or ISO 8601.", 40, format="date-time")] = None
    days: Annotated[int | None, whole("For this many days.", 1, 36_500)] = None
    end: Annotated[bool, about("End a snooze now (default false).")] = False


class Forget(Target):
    confirm: Annotated[bool, CONFIRM] = True


class McpForget(Forget):
    confirm: Annotated[bool, CONFIRM] = False


class Supersede(Target):
    by: Annotated[str, text("The other document.", 4_096)]


class Undo(Reasoned):
    event: Annotated[str | None, text("The event, from events of the answer to the change.", 64)] = None


@dataclass(frozen=True, slots=True)
class Change:
    """``preview`` is the document that a change was asked for and not confirmed, ``would`` what would be done."""

    done: Changed
    title: str | None = None
    preview: StoredDocument | None = None
    would: str = ""

    def to_dict(self) -> dict[str, Any]:
        action = {} if self.preview is None else {"action": "preview"}
        return self.done.to_dict() | action | {"title": self.title}


def _list_forgotten(call: Request, given: Arguments) -> Row:
    call.vault.state.prepare()
    found = list_forgotten(call.vault.store, call.vault.state.history)
    return Row({"documents": found[:_LISTED], "total": len(found)})


def render_forgotten(result: Row, given: Arguments) -> str:
    rows, total = result.data["documents"], result.data["total"]
    if not rows:
        return "Nothing is forgotten."
    lines = list(map(_say_forgotten, rows[:_SHOWN]))
    if total > _SHOWN:
        lines.append(f"and {total - _SHOWN:,} more")
    return "\n".join([*lines, "To bring one back: restore with its docid as reference"])


def _say_forgotten(row: dict[str, Any]) -> str:
    about = f"{render.place(row['collection'], row['path'])} | {render.line(row['title'])} (#{row['docid']})"
    why = f": {render.line(row['reason'])}" if row["reason"] else ""
    return f"{about}, forgotten {show_date_or_none(row['forgotten_at'])}{why}"


def _snooze(call: Request, given: Snooze) -> Change:
    vault = call.vault
    given_ends = [
        name for name, one in (("until", given.until), ("days", given.days), ("end", given.end or None)) if one
    ]
    if len(given_ends) > 1 or not (given_ends or not call.describes):
        if call.describes:
            raise UsageError("say one of until, days, end: true")
        raise UsageError("unsnooze ends a snooze, until sets one; give one of them")
    if given.end:
        return _apply(call, given, vault.state.unsnooze)
    until = instant(given.until, "until", vault.zone)
    if until is None:
        until = vault.clock() + (given.days or SNOOZE_DAYS) * DAY_MS
    return _apply(call, given, lambda reference, **more: vault.state.snooze(reference, until, **more))


def _forget(call: Request, given: Forget) -> Change:
    would = "hide it from every search; its file stays"
    return confirmed(call, given, call.vault.state.forget, would, confirm=given.confirm)


def _supersede(call: Request, given: Supersede) -> Change:
    return _apply(call, given, lambda reference, **more: call.vault.state.supersede(reference, given.by, **more))


def _undo(call: Request, given: Undo) -> Change:
    """Once more is no error: a client that heard no answer asks again."""
    try:
        return titled(call, call.vault.state.undo(given.event, reason=given.reason, actor=call.actor))
    except Conflict:
        log = call.vault.state.history.log
        wanted = (given.event or "").strip().upper()
        undoing = next((event for event in log.newest(own=False) if event.data.get("undoes") == wanted), None)
        if undoing is None:
            raise
    with call.vault.store.read() as reader:
        stored = reader.document(str(undoing.doc))
    place = ("", undoing.path or "") if stored is None else (stored.document.collection, stored.document.path)
    return titled(call, Changed("unchanged", str(undoing.doc), *place, note="that was taken back already"))


def confirmed(
    call: Request, given: Target, change: Callable[..., Changed], would: str, *, confirm: bool, hidden: bool = False
) -> Change:
    """Changes the document where that is confirmed, else shows which it would be."""
    if confirm:
        return _apply(call, given, change, hidden=hidden)
    stored = call.vault.state.targets.one(given.reference, hidden=hidden)
    document = stored.document
    shown = Changed("unchanged", document.docid, document.collection, document.path)
    return Change(shown, document.title, stored, would)


def _apply(call: Request, given: Target, change: Callable[..., Changed], *, hidden: bool = False) -> Change:
    """A program names what it changes: what only describes a document is refused where it can't be shown first."""
    reference = given.reference
    if not call.describes:
        reference = "#" + call.vault.state.targets.one(reference, hidden=hidden, described=False).document.docid
    return titled(call, change(reference, reason=given.reason, actor=call.actor))


def titled(call: Request, done: Changed) -> Change:
    with call.vault.store.read() as reader:
        stored = reader.document(done.docid)
    return Change(done, None if stored is None else stored.document.title)


def _operation(
    name: str, title: str, summary: str, takes: type[A], run: Callable[[Request, A], Change], **flags: Any
) -> Operation[A]:
    return Operation(name, title, summary, takes, ref("Changed"), run, writes=True, **flags)


def render_change(result: Change, given: Arguments) -> str:
    done = result.done
    if result.preview is not None:
        shown = render.document_line(result.preview.document)
        again = f"To do it, call again with reference #{done.docid} and confirm true."
        return f"Preview, nothing changed. This would {result.would}:\n{shown}\n{again}"
    text = f"{done.action}: {render.place(done.collection, done.path)} (#{done.docid})"
    if done.note:
        text += f"\n{render.word_message(done.note)}"
    if done.events:
        text += f"\nTo take it back: memory_undo with event {done.events[-1]}"
    return text


PIN = _operation(
    "pin",
    "Pin a document",
    "Put a document first among equals in searches, or take that back.",
    Pin,
    lambda call, given: _apply(call, given, call.vault.state.unpin if given.unpin else call.vault.state.pin),
    words=render_change,
    tools=(
        Tool(
            "memory_pin",
            "reference unpin reason",
            described="Rank a document first among equally relevant ones, or remove that pin. For what must not be "
            "missed.",
            in_brief="reference unpin",
        ),
    ),
    routes=(Route("POST", "/documents/{docid}/pin"),),
)
SNOOZE = _operation(
    "snooze",
    "Snooze a document",
    "Keep hooks from showing a document for a while; searches still find it.",
    Snooze,
    _snooze,
    words=render_change,
    tools=(
        Tool(
            "memory_snooze",
            "reference until days end reason",
            in_brief="reference until days end",
        ),
    ),
    routes=(Route("POST", "/documents/{docid}/snooze", "reference until end=unsnooze reason"),),
)
FORGOTTEN = Operation(
    "forgotten",
    "What is forgotten",
    "List the documents that were forgotten, newest first; restore brings each back.",
    Arguments,
    obj(
        {
            "documents": listed(
                obj(
                    {
                        "docid": TEXT,
                        "collection": TEXT,
                        "path": TEXT,
                        "title": TEXT,
                        "forgotten_at": maybe(INSTANT),
                        "reason": maybe(TEXT),
                    }
                ),
                "The newest 500, newest first.",
            ),
            "total": WHOLE | {"description": "All that are forgotten."},
        }
    ),
    _list_forgotten,
    words=render_forgotten,
    routes=(Route("GET", "/forgotten"),),
    command="forget",
)
FORGET = _operation(
    "forget",
    "Forget a document",
    "Hide a document from every search, for what is wrong or unwanted; its file stays.",
    Forget,
    _forget,
    destructive=True,
    words=render_change,
    tools=(
        Tool(
            "memory_forget",
            "reference confirm reason",
            takes=McpForget,
            described="Hide a document from every search, for what is wrong or unwanted. Without confirm it only shows "
            "which. The file stays; memory_undo takes it back.",
            in_brief="reference confirm",
        ),
    ),
    routes=(Route("POST", "/documents/{docid}/forget", "reference reason"),),
)
RESTORE = _operation(
    "restore",
    "Bring a document back",
    "Bring back what is forgotten, archived, superseded or invalid.",
    Target,
    lambda call, given: _apply(call, given, call.vault.state.restore, hidden=True),
    words=render_change,
    routes=(Route("POST", "/documents/{docid}/restore"),),
)
INVALIDATE = _operation(
    "invalidate",
    "Mark a document untrue",
    "Mark a document as no longer true.",
    Target,
    lambda call, given: _apply(call, given, call.vault.state.invalidate),
    words=render_change,
    routes=(Route("POST", "/documents/{docid}/invalidate"),),
)
SUPERSEDE = _operation(
    "supersede",
    "Replace a document",
    "Mark a document as superseded by another.",
    Supersede,
    _supersede,
    words=render_change,
    routes=(Route("POST", "/documents/{docid}/supersede"),),
)
UNDO = _operation(
    "undo",
    "Take a change back",
    "Take a change back: an event, else the last change made here.",
    Undo,
    _undo,
    words=render_change,
    tools=(
        Tool(
            "memory_undo",
            "event reason",
            takes=McpUndo,
            described="Undo a pin, snooze, forget, restore or another change of a document's state, by its event. What "
            "changed again since is left alone.",
        ),
    ),
    routes=(Route("POST", "/undo"),),
)
