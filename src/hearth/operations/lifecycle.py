"""How memories end: what lies unused is archived, and brought back."""

from __future__ import annotations

from typing import Annotated, Any

from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.operations import state
from hearth.operations.arguments import Arguments, about, text, whole
from hearth.operations.folders import existing
from hearth.operations.operation import Operation, Request, Result
from hearth.operations.rows import DATE, instant
from hearth.operations.search import QUERY
from hearth.operations.shapes import ANYTHING, COUNTS, FLAG, INSTANT, TEXT, TEXTS, WHOLE, listed, maybe, obj


class Sweep(state.Reasoned):
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


class Restore(state.Reasoned):
    """``reference`` is for one document, whatever hides it; the rest is for archived ones."""

    reference: Annotated[str | None, state.TARGET] = None
    query: Annotated[str | None, QUERY] = None
    collection: Annotated[str | None, text("All archived ones of this collection.", 64)] = None
    since: Annotated[str | None, text(f"Those archived since: {DATE}.", 40, format="date-time")] = None
    all: Annotated[bool, about("All archived ones (default false).")] = False
    limit: Annotated[int | None, whole("With query: at most so many.", 1, 1_000)] = None
    confirm: Annotated[bool, state.CONFIRM] = False
    dry_run: Annotated[bool, about("Only show what would be done (default true).")] = True


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

STATUS = Operation(
    "lifecycle_status",
    "How memories age",
    "Count what is active, archived, stale and due to be archived, and advise what to pin or snooze.",
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
)
SWEEP = Operation(
    "lifecycle_sweep",
    "Archive what lies unused",
    "Archive what lay unused for too long; unless dry_run is false, only say what would be.",
    Sweep,
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
)
