"""How memories end: what lies unused is archived, and brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hearth.errors import UsageError
from hearth.model.identity import INTERNAL
from hearth.model.instants import show_date
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common, state
from hearth.server.moments import instant
from hearth.server.schema import flag, inputs, outputs, rows, text, value, whole

if TYPE_CHECKING:
    from hearth.engine.lifecycle.report import LifecycleStatus, Restored, Swept

_SHOWN = 20
_LISTED = 100
_ROW = {"docid": "string", "collection": "string", "path": "string", "title": "string"}
_PLACE = tuple(_ROW)


def _status(call: Call) -> Answer:
    status = call.vault.lifecycle.status()
    found = status.to_dict()
    data = {
        "counts": dict(status.counts),
        "oldest_access": status.oldest_access,
        "policy": found["policy"],
        "recommended": found["recommended"],
        "recommendations": [_titled(row) for row in found["recommendations"]],
        "stale_notes": [_titled(row) for row in found["stale_notes"]],
    }
    return Answer("\n".join(_status_lines(status)), data)


def _status_lines(status: LifecycleStatus) -> list[str]:
    policy = status.policy
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in status.counts.items() if count)
    governed = ", ".join("memories" if name == INTERNAL else name for name in policy.governed) or "nothing"
    lines = [
        f"Counts: {counts or 'no documents'}",
        f"The sweep looks after {governed}; unused for {policy.archive_after_days} days: archived.",
    ]
    if status.oldest_access is not None:
        lines.append(f"Least recent use: {show_date(status.oldest_access)}")
    lines += [f"Consider {a.action}: {_place(a.collection, a.path)} (#{a.docid}): {render.line(a.why)}"
              for a in status.advice[:_SHOWN]]  # fmt: skip
    lines += [f"Review overdue {note.overdue_days:,} days: {_place(note.collection, note.path)} (#{note.docid})"
              for note in status.stale[:_SHOWN]]  # fmt: skip
    return lines


def _sweep(call: Call) -> Answer:
    swept = call.vault.lifecycle.sweep(not call["dry_run"], reason=call["reason"], actor=state.ACTOR)
    found = swept.to_dict()
    data = {key: found[key] for key in ("dry_run", "candidates", "archived", "purged", "kept", "pending")}
    documents = [{key: row[key] for key in (*_PLACE, "action", "why")} for row in found["documents"][:_LISTED]]
    return Answer("\n".join(_sweep_lines(swept)), data | {"documents": [_titled(row) for row in documents]})


def _sweep_lines(swept: Swept) -> list[str]:
    ops = (*swept.archived, *swept.purged)
    if not ops:
        return ["Nothing is due."]
    head = f"{'Archived' if swept.applied else 'Preview, nothing changed. This would archive'} {len(swept.archived):,}"
    if swept.purged:
        head += f" and {'purged' if swept.applied else 'purge'} {len(swept.purged):,}"
    lines = [
        head + ":",
        *(f"- {_place(op.collection, op.path)} (#{op.docid}): {render.line(op.why)}" for op in ops[:_SHOWN]),
    ]
    if len(ops) > _SHOWN:
        lines.append(f"and {len(ops) - _SHOWN:,} more")
    lines.append("lifecycle_restore brings archived ones back." if swept.applied else "To do it: dry_run false.")
    return lines + ([render.line(swept.pending)] if swept.pending else [])


def _restore(call: Call) -> Answer:
    given = call.given("query", "collection") | ({"everything": True} if call["all"] else {})
    if call["since"] is not None:
        given["since"] = instant(call["since"], "since", call.vault.zone)
    if (call["reference"] is None) == (not given):
        raise UsageError("give reference for one document; or query, collection, since or all for archived ones")
    if call["reference"] is not None:
        done = state.confirmed(call, call.vault.state.restore, "bring it back into searches", hidden=True)
        row = {key: done.data[key] for key in _PLACE if done.data.get(key) is not None}
        some = done.data["action"] not in ("preview", "unchanged")
        return Answer(done.text, {"dry_run": not call["confirm"], "restored": int(some), "documents": [row], "left": 0})
    if call["collection"] is not None:
        common.collections(call)
    limit = {"limit": call["limit"]} if call["query"] is not None else {}
    restored = call.vault.lifecycle.restore(
        given.pop("query", None), apply=call["confirm"], reason=call["reason"], actor=state.ACTOR, **given, **limit
    )
    found = restored.to_dict()
    data: dict[str, Any] = {key: found[key] for key in ("dry_run", "restored", "left")}
    documents = [_titled(row) for row in found["documents"][:_LISTED]]
    return Answer("\n".join(_restore_lines(restored)), data | {"documents": documents})


def _restore_lines(restored: Restored) -> list[str]:
    if not restored.documents:
        return ["Nothing archived fits."]
    head = "Restored" if restored.applied else "Preview, nothing changed. This would restore"
    lines = [f"{head} {len(restored.documents):,}:"]
    lines += [
        f"- {_place(d.collection, d.path)} | {render.line(d.title)} (#{d.docid})" for d in restored.documents[:_SHOWN]
    ]
    if len(restored.documents) > _SHOWN:
        lines.append(f"and {len(restored.documents) - _SHOWN:,} more")
    if restored.left:
        lines.append(f"{restored.left:,} more fit, beyond the limit.")
    return lines if restored.applied else [*lines, "To do it: confirm true."]


def _place(collection: str, path: str) -> str:
    return f"{render.name(collection)}/{render.name(path)}"


def _titled(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"title": render.line(row["title"])}


TOOLS = (
    Tool(
        name="lifecycle_status",
        title="How memories age",
        description="Count what is active, archived, stale and due to be archived, and advise what to pin or snooze.",
        takes=inputs(),
        gives=outputs(
            counts=value("object", "State -> number of documents."),
            oldest_access=value("integer?", "ms UTC."),
            policy=value("object", "When what is archived."),
            recommended=value("object", "Advice -> how often."),
            recommendations=rows("The strongest.", **_ROW, action="string", why="string"),
            stale_notes=rows("Past their review date.", **_ROW, review_by="integer", overdue_days="integer"),
        ),
        run=_status,
    ),
    Tool(
        name="lifecycle_sweep",
        title="Archive what lies unused",
        description="Take memories that lay unused for too long out of searches; lifecycle_restore brings them back.",
        takes=inputs(dry_run=flag("Only show what would be done (default true).", default=True), reason=common.REASON),
        gives=outputs(
            dry_run=value("boolean"),
            candidates=value("integer"),
            archived=value("integer"),
            purged=value("integer"),
            kept=value("integer", "Changed meanwhile and left alone."),
            pending=value("string?"),
            documents=rows("The first 100.", **_ROW, action="string", why="string"),
        ),
        run=_sweep,
        writes=True,
        destructive=True,
    ),
    Tool(
        name="lifecycle_restore",
        title="Bring documents back",
        description=(
            "Bring back a document that is forgotten, archived, superseded or invalid (reference), or archived ones "
            "(query, collection, since or all). Without confirm it only shows which."
        ),
        takes=inputs(
            reference=state.TARGET,
            query=common.QUERY,
            collection=text("All archived ones of this collection.", longest=64),
            since=text("Those archived since: YYYY-MM-DD or ISO 8601.", longest=40),
            all=flag("All archived ones (default false).", default=False),
            limit=whole("With query: at most so many (default 10).", 1, 100, 10),
            confirm=flag("Do it; else only show what would be done (default false).", default=False),
            reason=common.REASON,
        ),
        gives=outputs(
            dry_run=value("boolean"),
            restored=value("integer"),
            left=value("integer", "More that fit, beyond the limit."),
            documents=rows("The first 100.", docid="string", collection="string", path="string", title="string?"),
        ),
        run=_restore,
        writes=True,
    ),
)
