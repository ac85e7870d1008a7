"""The session log: which conversations there were, and what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from hearth.lazy import dataclass
from hearth.model.host.session import Session
from hearth.server.operations import rows
from hearth.server.operations.arguments import Arguments, text, whole
from hearth.server.operations.operation import Operation, Request, Row
from hearth.server.operations.pages import CURSOR, NEXT, cursor, key
from hearth.server.operations.shapes import listed, obj, ref

_ALL = 1_000_000


class SessionLogArguments(Arguments):
    limit: Annotated[int, whole("At most so many.", 1, 200)] = 20
    project: Annotated[str | None, text("Only of this project, as the log names it.", 1_000)] = None
    cursor: Annotated[str | None, CURSOR] = None


class One(Arguments):
    session: Annotated[str, text("A session, or the beginning of its name.", 4_096)]


@dataclass(frozen=True, slots=True)
class Logged:
    sessions: Sequence[Session]
    next: str | None

    def to_dict(self) -> dict[str, Any]:
        return {"sessions": [rows.session(one) for one in self.sessions], "next": self.next}


def _log(call: Request, given: SessionLogArguments) -> Logged:
    after = key(given.cursor, int, str)
    wanted = given.limit + 1 if after is None else _ALL
    found = call.vault.sessions.recent(wanted, given.project, empty=False)
    if after is not None:
        found = [one for one in found if _key(one) > (-int(after[0]), str(after[1]))]
    page = found[: given.limit]
    return Logged(page, cursor((page[-1].began, page[-1].id)) if len(found) > given.limit else None)


def _key(session: Session) -> tuple[int, str]:
    """The order of the log."""
    return (-session.began, session.id)


LOG = Operation(
    "sessions",
    "List past sessions",
    "List the last sessions with agents: when, where, how long, their hand-offs and what was said.",
    SessionLogArguments,
    obj({"sessions": listed(ref("Session"), "Newest first; handoff and conversation are docids."), "next": NEXT}),
    _log,
    core=True,
)
ONE = Operation(
    "session",
    "Read a session",
    "A session turn by turn, and what was shown in each.",
    One,
    ref("SessionDetail"),
    lambda call, given: Row(rows.session(call.vault.sessions.get(given.session))),
)
