"""How memories end: what lies unused is archived, and brought back."""

from __future__ import annotations

from typing import Annotated, Any

from hearth.core.document import INTERNAL
from hearth.core.errors import UsageError
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass
from hearth.memory.status import LifecycleStatus, Restored, Swept
from hearth.operations import render, state
from hearth.operations.arguments import Arguments, about, existing, text, whole
from hearth.operations.operation import Operation, Request, Result, Route, Tool
from hearth.operations.search import QUERY
from hearth.operations.shapes import (
    ANYTHING,
    COUNTS,
    DATE,
    FLAG,
    INSTANT,
    TEXT,
    TEXTS,
    WHOLE,
    instant,
    listed,
    maybe,
    obj,
)


class Restore(state.Reasoned):
    """``reference`` is for one document, whatever hides it; the rest is for archived ones."""

    reference: Annotated[str | None, state.TARGET] = None
    query: Annotated[str | None, QUERY] = None
    collection: Annotated[str | None, text("Everything archived from this collection.", 64)] = None
    since: Annotated[str | None, text(f"Everything archived since: {DATE}.", 40, format="date-time")] = None
    all: Annotated[bool, about("All archived ones (default false).")] = False
    limit: Annotated[int | None, whole("With query: at most this many.", 1, 1_000)] = None
    confirm: Annotated[bool, state.CONFIRM] = False
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


class McpRestore(Restore):
    limit: Annotated[int, whole("With query: at most this many (default 10).", 1, 100)] = 10


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """One document, by its name."""

    change: state.Change

    def to_dict(self) -> dict[str, Any]:
        done = self.change.done
        row = {"docid": done.docid, "collection": done.collection, "path": done.path, "title": self.change.title}
        some = int(done.action != "unchanged")
        preview = self.change.preview is not None
        counts = {"restored": some, "candidates": int(preview) + some, "not_listed": 0, "left": 0}
        return {"dry_run": preview, **counts, "documents": [row], "last_event": next(iter(done.events[-1:]), None)}


def _restore(call: Request, given: Restore) -> Result:
    apply = given.confirm or not given.dry_run
    fitting: dict[str, Any] = {"collection": given.collection} if given.collection is not None else {}
    if given.since is not None:
        fitting["since"] = instant(given.since, "since", call.vault.zone)
    if given.all:
        fitting["everything"] = True
    if call.describes and (given.reference is None) == (not fitting and given.query is None):
        raise UsageError("give reference for one document; or query, collection, since or all for archived ones")
    if given.reference is not None:
        target = state.Target(reference=given.reference, reason=given.reason)
        would, change = "bring it back into searches", call.vault.state.restore
        return BroughtBack(state.confirmed(call, target, change, would, confirm=apply, hidden=True))
    existing(call.vault, (given.collection,) if given.collection is not None else ())
    if given.limit is not None and given.query is not None:
        fitting["limit"] = given.limit
    return call.vault.lifecycle.restore(given.query, apply=apply, reason=given.reason, actor=call.actor, **fitting)


_DOCUMENTS = {"documents": listed(ANYTHING, "The first 100."), "not_listed": WHOLE}


_SHOWN = 20


def render_status(result: LifecycleStatus, given: Arguments) -> str:
    policy = result.policy
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in result.counts.items() if count)
    governed = ", ".join("memories" if name == INTERNAL else name for name in policy.governed) or "nothing"
    lines = [
        f"Counts: {counts or 'no documents'}",
        f"The sweep looks after {governed}; unused for {policy.archive_after_days} days: archived.",
    ]
    if result.oldest_access is not None:
        lines.append(f"Least recent use: {show_date(result.oldest_access)}")
    lines += [f"Consider {a.action}: {render.place(a.collection, a.path)} (#{a.docid}): {render.line(a.why)}"
              for a in result.advice[:_SHOWN]]  # fmt: skip
    lines += [f"Review overdue {n.overdue_days:,} days: {render.place(n.collection, n.path)} (#{n.docid})"
              for n in result.stale[:_SHOWN]]  # fmt: skip
    return "\n".join(lines)


def render_sweep(result: Swept, given: Arguments) -> str:
    ops = (*result.archived, *result.purged)
    if not ops:
        return "Nothing is due."
    head = "Archived" if result.applied else "Preview, nothing changed. This would archive"
    head += f" {len(result.archived):,}"
    if result.purged:
        head += f" and {'purged' if result.applied else 'purge'} {len(result.purged):,}"
    lines = [f"- {render.place(op.collection, op.path)} (#{op.docid}): {render.line(op.why)}" for op in ops[:_SHOWN]]
    if len(ops) > _SHOWN:
        lines.append(f"and {len(ops) - _SHOWN:,} more")
    lines.append("lifecycle_restore brings archived ones back." if result.applied else "To do it: dry_run false.")
    return "\n".join([head + ":", *lines, *([render.word_message(result.pending)] if result.pending else [])])


def render_restored(result: BroughtBack | Restored, given: Arguments) -> str:
    if isinstance(result, BroughtBack):
        return state.render_change(result.change, given)
    if not result.documents:
        return "Nothing archived fits."
    head = "Restored" if result.applied else "Preview, nothing changed. This would restore"
    lines = [f"{head} {len(result.documents):,}:"]
    lines += [
        f"- {render.place(d.collection, d.path)} | {render.line(d.title)} (#{d.docid})"
        for d in result.documents[:_SHOWN]
    ]
    if len(result.documents) > _SHOWN:
        lines.append(f"and {len(result.documents) - _SHOWN:,} more")
    if result.left:
        lines.append(f"{result.left:,} more fit, beyond the limit.")
    return "\n".join(lines if result.applied else [*lines, "To do it: confirm true."])


STATUS = Operation(
    "lifecycle_status",
    "How memories age",
    "Count active, archived, stale and due documents; suggest what to pin or snooze.",
    Arguments,
    obj(
        {
            **dict.fromkeys(("active", "archived", "forgotten", "pinned", "snoozed"), WHOLE),
            "oldest_access": maybe(INSTANT),
            "policy": ANYTHING | {"description": "When what is archived."},
            "recommended": COUNTS | {"description": "Advice -> how often."},
            "recommendations": listed(ANYTHING, "The strongest."),
            "stale_notes": listed(ANYTHING, "Past their review date."),
            "unknown_collections": TEXTS,
        }
    ),
    lambda call, given: call.vault.lifecycle.status(),
    words=render_status,
    tools=(Tool("lifecycle_status"),),
    routes=(Route("GET", "/lifecycle/status"),),
    command="lifecycle",
)
SWEEP = Operation(
    "lifecycle_sweep",
    "Archive what lies unused",
    "Archive what lay unused for too long; unless dry_run is false, only say what would be.",
    state.DryRun,
    obj(
        {
            "dry_run": FLAG,
            "candidates": WHOLE,
            "archived": WHOLE,
            "purged": WHOLE,
            **_DOCUMENTS,
            "kept": WHOLE | {"description": "Changed meanwhile and left alone."},
            "deferred_purges": WHOLE,
            "started_at": INSTANT,
            "last_event": maybe(TEXT),
            "pending": maybe(TEXT),
            "run": maybe(TEXT) | {"description": "Takes it all back: undo with run."},
        }
    ),
    lambda call, given: call.vault.lifecycle.sweep(not given.dry_run, reason=given.reason, actor=call.actor),
    writes=True,
    destructive=True,
    words=render_sweep,
    tools=(
        Tool(
            "lifecycle_sweep",
            "dry_run reason",
            described="Archive memories that were unused for too long; lifecycle_restore brings them back.",
        ),
    ),
    routes=(Route("POST", "/lifecycle/sweep", "dry_run"),),
    command="lifecycle",
)
RESTORE = Operation(
    "lifecycle_restore",
    "Bring documents back",
    "Bring back what is archived and fits; unless dry_run is false, only say what would be.",
    Restore,
    obj(
        {
            "dry_run": FLAG,
            "restored": WHOLE,
            "candidates": WHOLE,
            **_DOCUMENTS,
            "left": WHOLE | {"description": "More that fit, beyond the limit."},
            "last_event": maybe(TEXT),
        }
    ),
    _restore,
    writes=True,
    words=render_restored,
    tools=(
        Tool(
            "lifecycle_restore",
            "reference query collection since all limit confirm reason",
            takes=McpRestore,
            described="Bring back a document that is forgotten, archived, superseded or invalid (reference), or"
            " archived ones (query, collection, since or all). Without confirm it only shows which.",
        ),
    ),
    routes=(Route("POST", "/lifecycle/restore", "query collection since limit all dry_run"),),
    command="lifecycle",
)
