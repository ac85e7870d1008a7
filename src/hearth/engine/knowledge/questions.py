"""Open questions, and what a person says to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from hearth.engine.history.history import History
from hearth.engine.history.validity import COMMITMENT
from hearth.engine.knowledge.asked import PAGE, SessionQuestion, asked
from hearth.engine.state import changes
from hearth.engine.state.changes import Remarks
from hearth.engine.truth.commitments import draft_fulfilment
from hearth.engine.writing.memories import Memories
from hearth.errors import Conflict, NotFound, UsageError
from hearth.extract.pages.page import key_of
from hearth.lazy import dataclass
from hearth.model.instants import DAY_MS
from hearth.model.journal.change import Action, Changed
from hearth.model.journal.event import Draft
from hearth.model.memory import NewMemory
from hearth.model.options import RemarkOptions
from hearth.ports import Clock, StoredDocument

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
