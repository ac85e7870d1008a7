"""The session lane: where the last session stopped, by the session log, hand-offs and saved states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hearth.core.document import INTERNAL
from hearth.core.memory import is_of_project
from hearth.memory.history.validity import may_rule
from hearth.memory.sessions.view import sessions
from hearth.ports import Filter, StoredDocument
from hearth.recall.candidates import Context
from hearth.recall.interfaces import IndexedPassage, Lane, Vote
from hearth.recall.ranking.diversify import STATES, is_session_note
from hearth.recall.ranking.gate import is_eligible
from hearth.recall.ranking.weights import FUSION

# What is told of: the latest hand-offs and states, each a little less than the one before it.
_NOTES = 3
_STEP = 0.1
# Sessions looked at for a hand-off, the present one among them.
_SESSIONS = 10


class SessionLane(Lane):
    """It speaks only for these notes, and only where a question asks for nothing else."""

    name = "session"

    def __init__(self, context: Context) -> None:
        self._context = context
        asked = context.question.only == "session"
        self._places = {row: place for place, row in enumerate(_find_notes(context))} if asked else {}

    def find(self) -> Iterable[int]:
        for row in self._places:
            yield from (fragment.id for fragment in self._context.reader.fragments_of(row))

    def judge(self, passages: Sequence[IndexedPassage]) -> Sequence[Vote]:
        if not self._places:
            return super().judge(passages)
        return [self._vote(self._places.get(passage.posting.document)) for passage in passages]

    def _vote(self, place: int | None) -> Vote:
        return Vote() if place is None else Vote(1 / (1 + _STEP * place), FUSION.name, 1.0, leads=True)


def _find_notes(context: Context) -> list[int]:
    """Of other sessions than the one under way, in its project; the newest first, and what the log names before it."""
    where, within = context.place, context.question.within
    known = [*_log(context), *sorted(_write(context), key=lambda stored: stored.document.newest_first)]
    allowed = context.reader.rows(within)
    found: dict[int, None] = {}
    for stored in known:
        if (allowed is None or allowed.admits(stored.id)) and is_eligible(stored, context.query.at, where):
            found[stored.id] = None
    return list(found)[:_NOTES]


def _log(context: Context) -> Iterator[StoredDocument]:
    """The hand-off of the newest session that has one."""
    where = context.place
    for session in sessions(context.reader, _SESSIONS):
        ours = where.other_projects or is_of_project(session.project, where.project)
        if session.id != where.session and session.handoff and ours:
            stored = context.reader.document(session.handoff)
            if stored is not None:
                yield stored
                return


def _write(context: Context) -> Iterator[StoredDocument]:
    reader = context.reader
    handed = reader.find_documents(Filter(types=("handoff",)))
    yield from (stored for stored in handed if may_rule(stored.document))
    states = reader.find_documents(Filter(collections=(INTERNAL,), paths=(STATES,)))
    yield from (stored for stored in states if is_session_note(stored.document))
