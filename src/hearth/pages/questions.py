"""Questions that sessions left open: which are still open, and which of the person's words answer one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal, Unpack, get_args

from hearth.core import instants, subjects
from hearth.core.document import INTERNAL
from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.journal import Action, Changed, Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import CONVERSATION, NewMemory, captured_turn
from hearth.core.query import RemarkOptions
from hearth.core.transcript import Turn
from hearth.markdown.owned_lines import key_of
from hearth.memory.memories import Memories
from hearth.ports import Clock, Filter, Reader, StoredDocument
from hearth.text.lines import FENCE, split_sentences
from hearth.text.similarity import names, overlap, shared
from hearth.truth.commitments import commitments, draft_fulfilment
from hearth.vault.changes import Remarks
from hearth.vault.documents import read_beginning
from hearth.vault.history import History
from hearth.vault.validity import COMMITMENT, OPEN_MS, QUESTION, is_memory

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


def list_questions(reader: Reader, now: int, zone: str) -> list[SessionQuestion]:
    """Every question that is not forgotten, the newest first, then the commitments that are overdue in ``zone``, the
    longest first."""
    found, open_ones = [], Counter[str | None]()
    for stored in sorted(_list_stored(reader), key=lambda one: one.document.newest_first):
        document = stored.document
        project, status = document.facts.get("project"), _status(stored, now)
        open_ones[project] += status == "open"
        if status == "open" and open_ones[project] > MOST:
            status = "lapsed"
        found.append(
            SessionQuestion(
                document.docid,
                QUESTION,
                read_text(reader, stored),
                status,
                project,
                document.facts.get("session"),
                document.dated_at,
                stored.state.fulfilled_by,
            )
        )
    return found + _overdue(reader, now, zone)


def read_text(reader: Reader, stored: StoredDocument) -> str:
    return read_beginning(reader, stored, _CHARS) or stored.document.title


def is_asked(reader: Reader, text: str, project: str | None, now: int, *, but: str) -> bool:
    """Whether a question in nearly the same words was asked in the project in the last 30 days, answered or not, by
    another document than ``but``."""
    return any(
        overlap(read_text(reader, stored), text) >= _SAME
        for stored in _list_stored(reader, since=now - OPEN_MS)
        if stored.document.docid != but and stored.document.facts.get("project") == project
    )


def find_answered(
    reader: Reader, turns: Sequence[Turn], first: int, session: str, project: str | None, now: int
) -> list[StoredDocument]:
    """Open questions that the person's turns after the ordinal ``first`` answer: whatever they say right after an agent
    stopped with one, later and elsewhere in the project a sentence that shares most of its words and a name."""
    prompts = {turn.ordinal: [prompt.text for prompt in turn.prompts] for turn in turns if turn.ordinal > first}
    sentences = [one for text in prompts.values() for one in _sentences(text)]
    found = []
    for stored in _list_stored(reader):
        facts = stored.document.facts
        if facts.get("project") != project or _status(stored, now) != "open":
            continue
        turn = captured_turn(facts.get("source", ""), "rules")
        here = facts.get("session") == session and turn is not None
        after = turn if here and turn is not None else -1
        if (here and any(prompts.get(after + 1, ()))) or _is_answered(read_text(reader, stored), sentences):
            found.append(stored)
    return found


def list_dismissed_commitments(reader: Reader) -> frozenset[str]:
    """Keys of the overdue commitments that a person does not want to be asked about."""
    registers = reader.registers(subjects.name_page(PAGE), subjects.DISMISSED)
    return frozenset(map(subjects.read_dismissed, registers))


def _is_answered(question: str, sentences: Iterable[str]) -> bool:
    named = names(question)
    return bool(named) and any(shared(question, one) >= _ANSWERED and named & names(one) for one in sentences)


def _sentences(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        yield from (one for one in split_sentences(text) if not one.rstrip().endswith(_ASKS))


def _list_stored(reader: Reader, since: int | None = None) -> list[StoredDocument]:
    """Questions that the engine wrote, hidden ones too, but for what is forgotten or gone."""
    within = Filter((INTERNAL,), (QUESTION,), since=since, include_hidden=True)
    found = reader.each_document(within)
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
    dismissed = list_dismissed_commitments(reader)
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


_HEADING = regex(r"## (User|Assistant)(?: · (?:(\d{4}-\d{2}-\d{2}) )?(\d{2}):(\d{2}))?\s*")
_SILENT = frozenset({"frontmatter", "code"})


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """``number`` counts from 1. ``role`` is ``User`` or ``Assistant`` in a conversation, else ``None``; a line that
    opens a turn has its ``head``: the date and the hour and minute, as far as it names them."""

    number: int
    text: str
    role: str | None = None
    head: tuple[str | None, str | None, str | None] | None = None

    @property
    def by_person(self) -> bool:
        return self.role != "Assistant"


def spoken_lines(reader: Reader, stored: StoredDocument) -> Iterator[SpokenLine]:
    talk = stored.document.content_type == CONVERSATION
    role, fence = None, ""
    for number, text in sorted(_rows(reader, stored).items()):
        head = _HEADING.fullmatch(text) if talk else None
        if head is not None:
            role, fence = head[1], ""
            yield SpokenLine(number, text, role, (head[2], head[3], head[4]))
            continue
        mark = FENCE.match(text)
        if mark is not None and (not fence or text.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            yield SpokenLine(number, text, role)


def _rows(reader: Reader, stored: StoredDocument) -> dict[int, str]:
    """Each line once: a window repeats what stands before it, and leaves the lines between empty."""
    rows: dict[int, str] = {}
    for part in reader.fragments_of(stored.id):
        if part.kind not in _SILENT:
            for number, text in enumerate(part.text.split("\n"), part.start_line):
                rows[number] = rows.get(number) or text
    return rows


_PAUSE_MS, _MOST_TIMES = 7 * DAY_MS, 3
"""The same question is brought up at most so often, with so long between."""
_TOLD = "briefed"


@dataclass(frozen=True)
class OpenQuestions:
    """A question is named by its number among the open ones, or by its docid. What changes something journals why and
    by whom. ``prepare`` brings an index of another version up to date; unless ``enabled`` none is brought up."""

    history: History
    memories: Memories
    clock: Clock
    prepare: Callable[[], None]
    enabled: bool = True

    def show(self, status: str = "open") -> list[SessionQuestion]:
        """Those of a status, or ``all``."""
        self.prepare()
        with self.history.store.read() as reader:
            found = list_questions(reader, self.clock(), self.memories.writer.zone)
        return [one for one in found if status in ("all", one.status)]

    def due(self) -> list[SessionQuestion]:
        """Open questions that a session may begin with: brought up less than three times, and not for a week."""
        if not self.enabled:
            return []
        now = self.clock()
        with self.history.store.read() as reader:
            found = [
                one
                for one in list_questions(reader, now, self.memories.writer.zone)
                if one.status == "open" and one.kind != COMMITMENT
            ]
            shown = [reader.subject(one.docid).members.get(_TOLD, (0, 0)) for one in found]
        return [
            one
            for one, (times, last) in zip(found, shown, strict=True)
            if times < _MOST_TIMES and (not times or now - last >= _PAUSE_MS)
        ]

    def answer(self, reference: str, text: str | None = None, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Keeps the answer as a fact and settles the question; a commitment is kept by it, and needs no words. Raises
        ``NotFound``, ``UsageError`` for a question without an answer, ``Conflict`` for what is not open."""
        data = Remarks(**remarks).data()
        one = self._find(reference)
        if one.kind != COMMITMENT and not (text or "").strip():
            raise UsageError("give an answer, or dismiss the question")
        answer = None if one.kind == COMMITMENT else self._keep(one, (text or "").strip(), str(data["actor"]))
        with self.history.store.read() as reader:
            stored = _present(reader.document(one.docid))
            drafts = draft_fulfilment(reader, self.history, stored, self.clock(), answer, data)
        return self._changed("fulfilled", stored, drafts)

    def dismiss(self, reference: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Nobody is asked it again. A commitment stays one. Raises as ``answer``."""
        data = Remarks(**remarks).data()
        one = self._find(reference)
        with self.history.store.read() as reader:
            stored = _present(reader.document(one.docid))
            if one.kind == COMMITMENT:
                drafts = [Draft("dismiss", data={"page": PAGE, "statement": key_of(one.docid), **data})]
            else:
                wanted = {"invalidated_at": self.clock()}
                drafts = self.history.draft_change(reader, stored.document, wanted, data)
        return self._changed("dismissed", stored, drafts)

    def _find(self, reference: str) -> SessionQuestion:
        every = self.show("all")
        open_ones = [one for one in every if one.status == "open"]
        name = reference.strip().lstrip("#").lower()
        if name.isdigit() and 0 < int(name) <= len(open_ones):
            return open_ones[int(name) - 1]
        found = next((one for one in every if one.docid == name), None)
        if found is None:
            raise NotFound(f"no question {reference[:40]!r}; list the questions to see their numbers")
        if found.status != "open":
            raise Conflict(f"the question #{found.docid} is already {found.status}")
        return found

    def _keep(self, one: SessionQuestion, text: str, actor: str) -> str:
        wish = NewMemory(
            f"Asked “{one.text}”, the answer: {text}", "fact", project=one.project, created_by=actor,
            key=f"answer\0{one.docid}\0{text}",
        )  # fmt: skip
        return self.memories.keep(wish).docid

    def _changed(self, action: Action, stored: StoredDocument, drafts: list[Draft]) -> Changed:
        document = stored.document
        events = tuple(self.history.record(drafts))
        return Changed(action if events else "unchanged", document.docid, document.collection, document.path, events)


def _present(stored: StoredDocument | None) -> StoredDocument:
    if stored is None:
        raise NotFound("the question is gone")
    return stored
