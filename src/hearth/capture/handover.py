"""Turns that a client hands over, and which memory a person means when they ask to forget one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from hearth.core.document import INTERNAL, Document
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.core.memory import is_of_project
from hearth.core.session import Sighting, name_handover
from hearth.language.asking import weigh_fact
from hearth.memory.session_record import SessionLog, TurnState
from hearth.ports import Clock, Inbox, Redactor, Store, StoredDocument
from hearth.transcripts.transcripts import line
from hearth.truth.acts import Rivals

MOST = 3
"""So many of which any may be meant are named."""


@dataclass(frozen=True)
class MemoryFinder:
    """Finds memories by what somebody says of them."""

    store: Store
    clock: Clock

    def find(self, fact: str, project: str | None, until: int) -> list[StoredDocument]:
        """The memories that say what is named, of this project or of none, said up to the moment ``until`` (ms UTC):
        those that name it most clearly. One means that it is clear."""
        found = Rivals(self.store, None, self.clock)("", fact, pending=True)
        allowed = [one for one in found if _is_allowed(one.document, project, until)]
        with self.store.read() as reader:
            texts = {one.id: "\n".join(part.text for part in reader.fragments_of(one.id)) for one in allowed}
        clear = {one.id: weigh_fact(fact, texts[one.id]) for one in allowed}
        best = max(clear.values(), default=0)
        return [one for one in allowed if best and clear[one.id] == best]


def _is_allowed(document: Document, project: str | None, until: int) -> bool:
    mine = document.collection == INTERNAL and is_of_project(document.facts.get("project"), project)
    return mine and (document.authored_at or 0) <= until


MAX_TURNS = 200
MAX_TURN_BYTES = 256 * 1024
"""Of one call that hands turns over, and of each of them in UTF-8."""


@dataclass(frozen=True, slots=True)
class TurnText:
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

    def take(
        self,
        sighting: Sighting,
        turns: Sequence[TurnText],
        *,
        end: bool,
        turn: str | None = None,
        urgent: bool = False,
    ) -> str:
        """Gives the session's name; the turns are on the disk then, without secrets. What the client hands over again
        because it did not hear the answer bears the same name ``turn`` and is there already. Raises ``UsageError`` for
        a session without a name, no turns, too many or too long ones."""
        _check(turns)
        session = self.sessions.seen(sighting)
        now = self.clock()
        data = b"".join(line(one.role, self.redact(one.text).text, one.at or now) for one in turns)
        with self.exclusive():
            if turn is None or not self.sessions.is_last_turn(session, turn):
                place, size = self.inbox.append(name_handover(session), str(now), data)
                state: TurnState = "urgent" if urgent else "ended"
                self.sessions.turn_ended(session, place, size, turn or f"inbox-{size}", state=state)
        if end:
            self.sessions.ended(session, "handed over")
        return session

    def drop(self, captured: Mapping[str, int]) -> None:
        """Removes files that were captured up to these bytes, unless more came. The others are left as they are."""
        for place in self.inbox.places():
            if place in captured:
                with self.exclusive():
                    self.inbox.remove(place, captured[place])


def _check(turns: Sequence[TurnText]) -> None:
    if not 0 < len(turns) <= MAX_TURNS:
        raise UsageError(f"{len(turns)} turns are out of range; send 1 to {MAX_TURNS} per call")
    for number, one in enumerate(turns, 1):
        if one.role not in ("user", "assistant"):
            raise UsageError(f"turn {number} has the role {one.role[:40]!r}; it is user or assistant")
        size = len(one.text.encode("utf-8", "replace"))
        if size > MAX_TURN_BYTES:
            raise UsageError(f"turn {number} takes {size:,} bytes, over the limit of {MAX_TURN_BYTES:,}; shorten it")
