"""What is no longer used: its state, archiving it, and bringing it back."""

from __future__ import annotations

from typing import Any

from hearth.server.moments import instant
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.routes.state import ACTOR
from hearth.server.rest.shapes import ANYTHING, FLAG, INSTANT, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.server.schema import flag, text, whole


def _status(asked: Asked) -> dict[str, Any]:
    return asked.vault.lifecycle.status().to_dict()


def _sweep(asked: Asked) -> dict[str, Any]:
    """Never more than a look unless it was said."""
    return asked.vault.lifecycle.sweep(not asked["dry_run"], actor=ACTOR).to_dict()


def _restore(asked: Asked) -> dict[str, Any]:
    fitting = {name: asked[name] for name in ("collection", "limit") if asked[name] is not None}
    if asked["since"] is not None:
        fitting["since"] = instant(asked["since"], "since", asked.vault.zone)
    if asked["all"]:
        fitting["everything"] = True
    return asked.vault.lifecycle.restore(asked["query"], apply=not asked["dry_run"], actor=ACTOR, **fitting).to_dict()


_DRY = {"dry_run": flag("Only say what would be done.", default=True)}
_COUNTED = ("active", "archived", "forgotten", "pinned", "snoozed")
_DOCUMENTS = {"documents": listed(ANYTHING), "not_listed": WHOLE}

ROUTES = (
    Route(
        "lifecycle_status",
        "GET",
        "/lifecycle/status",
        "What is active, archived, stale and due, and the policy.",
        _status,
        obj(
            {
                **dict.fromkeys(_COUNTED, WHOLE),
                "oldest_access": maybe(INSTANT),
                "policy": ANYTHING,
                "recommended": {"type": "object", "additionalProperties": WHOLE},
                "recommendations": listed(ANYTHING),
                "stale_notes": listed(ANYTHING),
                "unknown_collections": TEXTS,
            }
        ),
        reads=True,
    ),
    Route(
        "lifecycle_sweep",
        "POST",
        "/lifecycle/sweep",
        "Archive what lay unused for too long; unless dry_run is false, only say what would be.",
        _sweep,
        obj(
            {
                "dry_run": FLAG,
                "candidates": WHOLE,
                "archived": WHOLE,
                "purged": WHOLE,
                **_DOCUMENTS,
                "kept": WHOLE,
                "deferred_purges": WHOLE,
                "started_at": INSTANT,
                "last_event": maybe(TEXT),
                "pending": maybe(TEXT),
            }
        ),
        body=_DRY,
        reads=True,
    ),
    Route(
        "lifecycle_restore",
        "POST",
        "/lifecycle/restore",
        "Bring back what is archived and fits; unless dry_run is false, only say what would be.",
        _restore,
        obj(
            {
                "dry_run": FLAG,
                "restored": WHOLE,
                "candidates": WHOLE,
                **_DOCUMENTS,
                "left": WHOLE,
                "last_event": maybe(TEXT),
            }
        ),
        body={
            "query": text("The best that fit.", longest=10_000),
            "collection": text("Only from this collection.", longest=64),
            "since": text("Archived since: YYYY-MM-DD or ISO 8601.", longest=40, format="date-time"),
            "limit": whole("With query: so many.", 1, 1_000),
            "all": flag("Everything; has to be said where nothing else is.", default=False),
            **_DRY,
        },
        reads=True,
    ),
)
