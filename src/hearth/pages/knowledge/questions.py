"""A document line by line, each once though windows overlap, with who says it; code is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Unpack

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.instants import DAY_MS
from hearth.core.journal import Action, Changed, Draft
from hearth.core.lazy import dataclass, regex
from hearth.core.memory import NewMemory
from hearth.core.query import RemarkOptions
from hearth.core.types import CONVERSATION
from hearth.memory.history.history import History
from hearth.memory.history.validity import COMMITMENT
from hearth.memory.state import changes
from hearth.memory.state.changes import Remarks
from hearth.memory.writing.memories import Memories
from hearth.pages.knowledge.asked import PAGE, SessionQuestion, asked
from hearth.pages.knowledge.page import key_of
from hearth.ports import Clock, Reader, StoredDocument
from hearth.text.lines import FENCE
from hearth.truth.commitments import draft_fulfilment

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
            found = asked(reader, self.clock(), self.memories.writer.zone)
        return [one for one in found if status in ("all", one.status)]

    def due(self) -> list[SessionQuestion]:
        """Open questions that a session may begin with: brought up less than three times, and not for a week."""
        if not self.enabled:
            return []
        now = self.clock()
        with self.history.store.read() as reader:
            found = [
                one
                for one in asked(reader, now, self.memories.writer.zone)
                if one.status == "open" and one.kind != COMMITMENT
            ]
            told = [reader.members(one.docid).get(_TOLD, (0, 0)) for one in found]
        return [
            one
            for one, (times, last) in zip(found, told, strict=True)
            if times < _MOST_TIMES and (not times or now - last >= _PAUSE_MS)
        ]

    def answer(self, reference: str, text: str | None = None, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Keeps the answer as a fact and settles the question; a commitment is kept by it, and needs no words. Raises
        ``NotFound``, ``UsageError`` for a question without an answer, ``Conflict`` for what is not open."""
        data = Remarks(**remarks).data()
        one = self._find(reference)
        if one.kind != COMMITMENT and not (text or "").strip():
            raise UsageError("a question needs its answer; or dismiss it")
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
                known = self.history.registers(reader, one.docid)
                ops = changes.plan(
                    known, lambda field: reader.set_by(one.docid, field), {"invalidated_at": self.clock()}
                )
                drafts = changes.of(stored.document, ops, data)
        return self._changed("dismissed", stored, drafts)

    def _find(self, reference: str) -> SessionQuestion:
        every = self.show("all")
        open_ones = [one for one in every if one.status == "open"]
        name = reference.strip().lstrip("#").lower()
        if name.isdigit() and 0 < int(name) <= len(open_ones):
            return open_ones[int(name) - 1]
        found = next((one for one in every if one.docid == name), None)
        if found is None:
            raise NotFound(f"no question {reference[:40]!r}; list them to see their numbers")
        if found.status != "open":
            raise Conflict(f"the question #{found.docid} is {found.status} already")
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
