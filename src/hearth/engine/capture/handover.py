"""Turns that a client hands over, where no transcript holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from hearth.engine.sessions.record import SessionLog
from hearth.errors import UsageError
from hearth.extract.inbox import line
from hearth.lazy import dataclass
from hearth.model.host.session import Sighting, hashed
from hearth.ports import Clock, Inbox, Redactor

MAX_TURNS = 200
MAX_TURN_BYTES = 256 * 1024
"""Of one call that hands turns over, and of each of them in UTF-8."""
_ID_CHARS = 16


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """One side's turn as a client hands it over: ``role`` is ``user`` or ``assistant``, ``at`` ms UTC, the present
    moment where it is not given."""

    role: str
    text: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Handover:
    """``exclusive`` keeps writers of one vault apart."""

    inbox: Inbox
    sessions: SessionLog
    redact: Redactor
    exclusive: Callable[[], AbstractContextManager[None]]
    clock: Clock

    def take(self, sighting: Sighting, turns: Sequence[SaidTurn], *, end: bool) -> str:
        """Gives the session's name; the turns are on the disk then, without secrets. Raises ``UsageError`` for a
        session without a name, no turns, too many or too long ones."""
        _check(turns)
        session = self.sessions.seen(sighting)
        now = self.clock()
        data = b"".join(line(one.role, self.redact(one.text).text, one.at or now) for one in turns)
        with self.exclusive():
            place, size = self.inbox.append(hashed(session)[:_ID_CHARS], str(now), data)
            self.sessions.turn_ended(session, place, size, f"inbox-{size}")
        if end:
            self.sessions.ended(session, "handed over")
        return session

    def done(self, place: str, size: int) -> None:
        """Removes what was captured up to here, unless more came."""
        if self.inbox.holds(place):
            with self.exclusive():
                self.inbox.remove(place, size)


def _check(turns: Sequence[SaidTurn]) -> None:
    if not 0 < len(turns) <= MAX_TURNS:
        raise UsageError(f"{len(turns)} turns are out of range; hand over 1 to {MAX_TURNS} at once")
    for number, one in enumerate(turns, 1):
        if one.role not in ("user", "assistant"):
            raise UsageError(f"turn {number} has the role {one.role[:40]!r}; it is user or assistant")
        size = len(one.text.encode("utf-8", "replace"))
        if size > MAX_TURN_BYTES:
            raise UsageError(f"turn {number} takes {size:,} bytes, over the limit of {MAX_TURN_BYTES:,}; shorten it")
