"""The time and session lanes: documents near a time that the question names, and of the last session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from hearth.core.document import INTERNAL, STATES, is_session_note
from hearth.core.instants import DAY_MS
from hearth.core.memory import is_of_project
from hearth.core.query import LaneScore
from hearth.memory.session_log import sessions
from hearth.ports import Filter, StoredDocument
from hearth.recall.interfaces import CandidateColumns, Context, Lane, Vote, Votes
from hearth.recall.lexicon import MATCHED
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.weights import FUSION
from hearth.text.time_expressions import TimeRange
from hearth.vault.validity import may_rule

# How many of the latest hand-offs and session states are found, each scored a little lower than the one before.
_NOTES = 3
_STEP = 0.1
# Sessions searched for a hand-off, including the present one.
_SESSIONS = 10


class SessionLane(Lane):
    """Votes only for hand-offs and session states, and only where a question asks for nothing else."""

    name = "session"

    def __init__(self, context: Context) -> None:
        self._context = context
        asked = context.question.only == "session"
        self._places = {row: place for place, row in enumerate(_find_notes(context))} if asked else {}

    def find(self) -> Iterable[int]:
        for row in self._places:
            yield from (fragment.id for fragment in self._context.reader.fragments_of(row))

    def judge(self, columns: CandidateColumns) -> Votes | None:
        if not self._places:
            return None
        return Votes.collect(self._vote(self._places.get(row)) for row in columns.documents)

    def _vote(self, place: int | None) -> Vote:
        return Vote() if place is None else Vote(1 / (1 + _STEP * place), FUSION.name, 1.0, leads=True)


def _find_notes(context: Context) -> list[int]:
    """Notes on other sessions of the present one's project, newest first; the hand-off that the log names comes before
    them."""
    known = [*_log(context), *sorted(_write(context), key=lambda stored: stored.document.newest_first)]
    return list(dict.fromkeys(stored.id for stored in context.keep_visible(known)))[:_NOTES]


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
    handed = reader.each_document(Filter(types=("handoff",)))
    yield from (stored for stored in handed if may_rule(stored.document))
    states = reader.each_document(Filter(collections=(INTERNAL,), paths=(STATES,)))
    yield from (stored for stored in states if is_session_note(stored.document))


# Most documents dated inside one time; they come before all others, whatever they say.
_LEADING = 2_000
# For how many documents the first fragments are candidates; all fragments, up to a limit, where only the time is asked
# for.
_DOCUMENTS = 20
_PER_DOCUMENT = 3
_FRAGMENTS = 200
# Documents from a time longer than this come newest first, others nearest its middle first.
_SHORT_MS = 3 * DAY_MS
# How much lower each document scores than the one before, where only the time is asked for.
_TIME_STEP = 0.01
# How often the span to search for a neighbour in time is doubled: up to 358 years.
_DOUBLINGS = 17


class TimeLane(Lane):
    name = "time"

    def __init__(self, context: Context) -> None:
        self._context = context
        self._times = context.question.times
        self._only = context.question.only == "time"
        self._rows = dict.fromkeys(row for time in self._times if time.inside for row in self._find_dated(time))
        self._places = {row: place for place, row in enumerate(self._rows)}
        self._near = self._nearest() if self._only and not self._rows else ()

    def find(self) -> Iterable[int]:
        """The first fragments of documents dated inside a time, and the fragments inside it that the words match. Where
        nothing else is asked for, all fragments of these documents, or of the nearest ones before and after if there
        are none."""
        reader = self._context.reader
        if not self._times:
            return
        if not self._only:
            for row in list(self._rows)[: _DOCUMENTS * len(self._times)]:
                yield from (fragment.id for fragment in reader.fragments_of(row)[:_PER_DOCUMENT])
            yield from self._match()
            return
        rows = list(self._rows)[: max(_DOCUMENTS, self._context.query.limit)] or self._near
        yield from islice((fragment.id for row in rows for fragment in reader.fragments_of(row)), _FRAGMENTS)

    def judge(self, columns: CandidateColumns) -> Votes | None:
        """Votes for documents dated inside, and against those that are only near."""
        if not self._rows and not self._near:
            return None
        return Votes.collect(map(self._vote, columns.documents))

    def boost(self, candidate: Candidate) -> Candidate:
        if not self._times:
            return candidate
        near = score_nearness(self._times, candidate.document)
        raised = candidate.score + FUSION.time * near.score * (1 - candidate.score)
        return replace(candidate, lanes=(*candidate.lanes, near), score=raised, fused=raised)

    def _vote(self, row: int) -> Vote:
        if row in self._near:
            return Vote(weight=FUSION.name, leads=True)
        place = self._places.get(row)
        if place is None or not self._only:
            return Vote(leads=place is not None)
        return Vote(1 / (1 + _TIME_STEP * place), FUSION.name, leads=True)

    def _find_dated(self, time: TimeRange) -> Sequence[int]:
        reader, within = self._context.reader, self._context.question.within
        rows = reader.documents_between(time.start, time.end, within, _LEADING)
        if not self._only or time.end - time.start <= _SHORT_MS:
            return rows
        known = reader.documents(rows)
        return sorted(rows, key=lambda row: known[row].document.newest_first)

    def _match(self) -> Iterator[int]:
        plan = self._context.lexicon.plan
        for time in self._times:
            if plan and time.inside and self._rows:
                yield from self._context.reader.match(plan, _between(self._context.question.within, time), MATCHED)

    def _nearest(self) -> Sequence[int]:
        """The last document before each time, and the first after it."""
        reader, within = self._context.reader, self._context.question.within
        found: dict[int, None] = {}
        for time in self._times:
            middle = (time.start + time.end) // 2
            for power in range(_DOUBLINGS):
                reach = time.end - time.start + (DAY_MS << power)
                if rows := reader.documents_between(middle - reach, middle + reach, within, 1):
                    found |= {stored.id: None for stored in reader.neighbours(rows[0], 1, 1, within)}
                    break
        return list(found)


def _between(within: Filter, time: TimeRange) -> Filter:
    since = time.start if within.since is None else max(within.since, time.start)
    until = time.end if within.until is None else min(within.until, time.end)
    return replace(within, since=since, until=until)


def score_nearness(times: Sequence[TimeRange], document: StoredDocument) -> LaneScore:
    """1 inside a named range, halving with each length of it (a day at least) beyond: events are often told the next
    day. A document without a date is near no time."""
    dated = document.document.dated_at
    if dated is None:
        return LaneScore("time", 0.0, 0.0)
    best = 0.0
    for time in times:
        away = max(time.start - dated, dated - time.end + 1, 0)
        best = max(best, 0.5 ** (away / max(time.end - time.start, DAY_MS)))
    return LaneScore("time", best, best)
