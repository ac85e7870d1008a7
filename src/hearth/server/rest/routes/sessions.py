"""The session log."""

from __future__ import annotations

from typing import Any

from hearth.model.host.session import Session
from hearth.server.rest import rows
from hearth.server.rest.pages import CURSOR, NEXT, cursor, key
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import listed, obj, ref
from hearth.server.schema import text, whole

_ALL = 1_000_000


def _sessions(asked: Asked) -> dict[str, Any]:
    after = key(asked["cursor"], int, str)
    limit = asked["limit"]
    wanted = limit + 1 if after is None else _ALL
    found = asked.vault.sessions.recent(wanted, asked["project"])
    if after is not None:
        found = [one for one in found if _key(one) > (-int(after[0]), str(after[1]))]
    page = found[:limit]
    ahead = cursor((page[-1].began, page[-1].id)) if len(found) > limit else None
    return {"sessions": [rows.session(one) for one in page], "next": ahead}


def _key(session: Session) -> tuple[int, str]:
    """The order of the log."""
    return (-session.began, session.id)


def _session(asked: Asked) -> dict[str, Any]:
    return rows.session(asked.vault.sessions.get(asked["session"]))


ROUTES = (
    Route(
        "sessions",
        "GET",
        "/sessions",
        "The session log, newest first, page by page.",
        _sessions,
        obj({"sessions": listed(ref("Session")), "next": NEXT}),
        query={
            "limit": whole("Sessions on a page.", 1, 200, 20),
            "project": text("Only of this project.", longest=1_000),
            "cursor": CURSOR,
        },
        reads=True,
    ),
    Route(
        "session",
        "GET",
        "/sessions/{session}",
        "A session turn by turn, and what was shown in each.",
        _session,
        ref("SessionDetail"),
        reads=True,
    ),
)
