"""Questions that sessions left open: which wait for a person, and which words of theirs answer one. The open ones of a
project are its newest; what is older has lapsed, as has what nobody answered in 30 days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Literal, get_args

from hearth.core import instants, subjects
from hearth.core.document import INTERNAL
from hearth.core.lazy import dataclass
from hearth.core.memory import captured_turn
from hearth.core.transcript import Turn
from hearth.memory.history.validity import COMMITMENT, OPEN_MS, QUESTION, is_memory
from hearth.pages.knowledge.page import key_of
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.lines import split_sentences
from hearth.text.similarity import names, overlap, shared
from hearth.truth.commitments import commitments
from hearth.truth.review import beginning

PAGE = "questions"
MOST = 20
"""Of one project are open at a time."""
_SAME, _ANSWERED = 0.8, 0.7
_CHARS = 300
_ASKS = ("?", "？")

QuestionStatus = Literal["open", "answered", "dismissed", "lapsed"]
STATUSES: tuple[str, ...] = get_args(QuestionStatus)


@dataclass(frozen=True, slots=True)
class SessionQuestion:
    """``kind`` is ``question``, or ``commitment`` for one that is overdue; ``asked_at`` (ms UTC) is when it was asked
    or due, ``answer`` the docid of what answered it."""

    docid: str
    kind: str
    text: str
    status: QuestionStatus
    project: str | None
    session: str | None
    asked_at: int | None
    answer: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return asdict(self)


def asked(reader: Reader, now: int, zone: str) -> list[SessionQuestion]:
    """Every question that is not forgotten, the newest first, then the commitments that are overdue in ``zone``, the
    longest first."""
    found, open_ones = [], Counter[str | None]()
    for stored in sorted(_stored(reader), key=lambda one: one.document.newest_first):
        document = stored.document
        project, status = document.facts.get("project"), _status(stored, now)
        open_ones[project] += status == "open"
        if status == "open" and open_ones[project] > MOST:
            status = "lapsed"
        found.append(
            SessionQuestion(
                document.docid,
                QUESTION,
                said(reader, stored),
                status,
                project,
                document.facts.get("session"),
                document.dated_at,
                stored.state.fulfilled_by,
            )
        )
    return found + _overdue(reader, now, zone)


def said(reader: Reader, stored: StoredDocument) -> str:
    return beginning(reader, stored, _CHARS) or stored.document.title


def is_asked(reader: Reader, text: str, project: str | None, now: int, *, but: str) -> bool:
    """Whether a question in nearly the same words was asked in the project in the last 30 days, answered or not, by
    another document than ``but``."""
    return any(
        overlap(said(reader, stored), text) >= _SAME
        for stored in _stored(reader, since=now - OPEN_MS)
        if stored.document.docid != but and stored.document.facts.get("project") == project
    )


def answered(
    reader: Reader, turns: Sequence[Turn], first: int, session: str, project: str | None, now: int
) -> list[StoredDocument]:
    """Open questions that the person's turns after the ordinal ``first`` answer: whatever they say right after an agent
    stopped with one, later and elsewhere in the project a sentence that shares most of its words and a name."""
    told = {turn.ordinal: [prompt.text for prompt in turn.prompts] for turn in turns if turn.ordinal > first}
    sentences = [one for text in told.values() for one in _sentences(text)]
    found = []
    for stored in _stored(reader):
        facts = stored.document.facts
        if facts.get("project") != project or _status(stored, now) != "open":
            continue
        turn = captured_turn(facts.get("source", ""), "rules")
        here = facts.get("session") == session and turn is not None
        after = turn if here and turn is not None else -1
        if (here and any(told.get(after + 1, ()))) or _is_answered(said(reader, stored), sentences):
            found.append(stored)
    return found


def dismissed_commitments(reader: Reader) -> frozenset[str]:
    """Keys of the overdue commitments that a person does not want to be asked about."""
    registers = reader.registers(subjects.name_page(PAGE), subjects.DISMISSED)
    return frozenset(map(subjects.read_dismissed, registers))


def _is_answered(question: str, sentences: Iterable[str]) -> bool:
    named = names(question)
    return bool(named) and any(shared(question, one) >= _ANSWERED and named & names(one) for one in sentences)


def _sentences(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        yield from (one for one in split_sentences(text) if not one.rstrip().endswith(_ASKS))


def _stored(reader: Reader, since: int | None = None) -> list[StoredDocument]:
    """Questions that the engine wrote, hidden ones too, but for what is forgotten or gone."""
    within = Filter((INTERNAL,), (QUESTION,), since=since, include_hidden=True)
    found = reader.find_documents(within)
    return [
        one
        for one in found
        if is_memory(one.document) and not (one.vanished or one.state.forgotten) and one.document.trust != "external"
    ]


def _status(stored: StoredDocument, now: int) -> QuestionStatus:
    state = stored.state
    if state.fulfilled_at is not None:
        return "answered"
    if state.invalidated_at is not None:
        return "dismissed"
    return "lapsed" if state.expired(now) or state.hidden else "open"


def _overdue(reader: Reader, now: int, zone: str) -> list[SessionQuestion]:
    dismissed = dismissed_commitments(reader)
    found = []
    for one in commitments(reader, now, zone, due=0):
        stored = reader.document(one.docid)
        if one.due_at is None or stored is None or not one.overdue:
            continue
        facts = stored.document.facts
        status: QuestionStatus = "dismissed" if key_of(one.docid) in dismissed else "open"
        text = f"Due {instants.show_date(one.due_at)}, is it done? {one.said}"
        found.append(
            SessionQuestion(one.docid, COMMITMENT, text, status, facts.get("project"), facts.get("session"), one.due_at)
        )
    return found
