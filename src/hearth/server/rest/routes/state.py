"""What people and programs may change about a document; its file stays as it is."""

from __future__ import annotations

from typing import Any

from hearth.errors import UsageError
from hearth.model.instants import DAY_MS
from hearth.model.journal.change import MAX_REASON_CHARS, Changed
from hearth.server.moments import instant
from hearth.server.remedies import REST, worded
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import ref
from hearth.server.schema import flag, text

ACTOR = "rest"
_SNOOZE_DAYS = 30


def _pin(asked: Asked) -> dict[str, Any]:
    change = asked.vault.state.unpin if asked["unpin"] else asked.vault.state.pin
    return _row(change(_named(asked), **_remarks(asked)))


def _snooze(asked: Asked) -> dict[str, Any]:
    vault = asked.vault
    if asked["unsnooze"]:
        if asked["until"] is not None:
            raise UsageError("unsnooze ends a snooze, until sets one; give one of them")
        return _row(vault.state.unsnooze(_named(asked), **_remarks(asked)))
    until = instant(asked["until"], "until", vault.zone)
    if until is None:
        until = vault.clock() + _SNOOZE_DAYS * DAY_MS
    return _row(vault.state.snooze(_named(asked), until, **_remarks(asked)))


def _forget(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.state.forget(_named(asked), **_remarks(asked)))


def _restore(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.state.restore(_named(asked, hidden=True), **_remarks(asked)))


def _invalidate(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.state.invalidate(_named(asked), **_remarks(asked)))


def _supersede(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.state.supersede(_named(asked), asked["by"], **_remarks(asked)))


def _undo(asked: Asked) -> dict[str, Any]:
    return _row(asked.vault.state.undo(asked["event"], **_remarks(asked)))


def _row(done: Changed) -> dict[str, Any]:
    return done.to_dict() | {"note": worded(done.note, REST) if done.note else None}


def _named(asked: Asked, *, hidden: bool = False) -> str:
    """A program names what it changes; what only describes a document is refused."""
    targets = asked.vault.state.targets
    return "#" + targets.one(asked["docid"], hidden=hidden, described=False).document.docid


def _remarks(asked: Asked) -> dict[str, Any]:
    return {"reason": asked["reason"], "actor": ACTOR}


_REASON = {"reason": text("Why; kept in the journal.", longest=MAX_REASON_CHARS)}


def _route(name: str, summary: str, run: Any, body: dict[str, Any] | None = None, *required: str) -> Route:
    path = "/undo" if name == "undo" else f"/documents/{{docid}}/{name}"
    return Route(
        name,
        "POST",
        path,
        summary,
        run,
        ref("Changed"),
        body={**(body or {}), **_REASON},
        required=required,
        reads=True,
    )


ROUTES = (
    _route("pin", "Put a document first among equals.", _pin, {"unpin": flag("Take the pin back.", default=False)}),
    _route(
        "snooze",
        "Keep a document from being brought up unasked; searches still find it.",
        _snooze,
        {
            "until": text("Until then; else for 30 days.", longest=40, format="date-time"),
            "unsnooze": flag("End a snooze.", default=False),
        },
    ),
    _route("forget", "Hide a document from every search; its file stays.", _forget),
    _route("restore", "Bring back what is forgotten, archived, superseded or invalid.", _restore),
    _route("invalidate", "Say that a document is not true any more.", _invalidate),
    _route(
        "supersede",
        "Say that another document replaces a document.",
        _supersede,
        {"by": text("The other document.", longest=4_096)},
        "by",
    ),
    _route(
        "undo",
        "Take a change back: an event, else the last change made by REST on this machine.",
        _undo,
        {"event": text("The event, from events of the answer to a change.", longest=64)},
    ),
)
