"""What sessions left open, and what a person says to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.errors import UsageError
from hearth.lazy import dataclass
from hearth.server.operations.arguments import Arguments, OneOf
from hearth.server.operations.arguments import text as a_text
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import ANYTHING, WHOLE, listed, maybe, obj
from hearth.server.operations.state import Reasoned

if TYPE_CHECKING:
    from hearth.engine.knowledge.asked import SessionQuestion
    from hearth.model.journal.change import Changed

_STATUSES = ("open", "answered", "dismissed", "lapsed", "all")
_MOST = 50


class Listed(Arguments):
    status: Annotated[str, OneOf(*_STATUSES), a_text("Which (default open).", 16)] = "open"


class Questions(Reasoned):
    status: Annotated[str, OneOf(*_STATUSES), a_text("Which are listed (default open).", 16)] = "open"
    answer: Annotated[str | None, a_text("Which one the person answered: its number or docid.", 32)] = None
    text: Annotated[
        str | None, a_text("With answer: what they answered; a promise that was kept needs none.", 2_000)
    ] = None
    dismiss: Annotated[str | None, a_text("Which one the person does not want: its number or docid.", 32)] = None


@dataclass(frozen=True, slots=True)
class QuestionsReply:
    """``total`` counts all of the status, ``found`` are the first of them."""

    total: int
    found: tuple[SessionQuestion, ...]
    changed: Changed | None = None

    def to_dict(self) -> dict[str, Any]:
        done = self.changed
        listed = [one.to_dict() for one in self.found]
        return {"total": self.total, "questions": listed, "changed": None if done is None else done.to_dict()}


def _run(call: Request, given: Questions) -> QuestionsReply:
    asked = call.vault.knowledge.questions
    if given.answer is not None and given.dismiss is not None:
        raise UsageError("answer names one question and dismiss another; one call does one of both")
    done = None
    if given.answer is not None:
        done = asked.answer(given.answer, given.text, reason=given.reason, actor=call.actor)
    elif given.dismiss is not None:
        done = asked.dismiss(given.dismiss, reason=given.reason, actor=call.actor)
    elif given.text is not None:
        raise UsageError("text needs answer: which question it answers")
    return _listed(call, given.status, done)


def _listed(call: Request, status: str, done: Changed | None = None) -> QuestionsReply:
    found = call.vault.knowledge.questions.show(status)
    return QuestionsReply(len(found), tuple(found[:_MOST]), done)


_GIVES = obj(
    {
        "total": WHOLE,
        "questions": listed(ANYTHING, "The newest first, 50 at most; then promises that are overdue."),
        "changed": maybe({"type": "object"}) | {"description": "What was done, with the events to take it back."},
    }
)
LIST = Operation(
    "questions",
    "What is open",
    "Questions that sessions left open, and promises overdue.",
    Listed,
    _GIVES,
    lambda call, given: _listed(call, given.status),
)
QUESTIONS = Operation(
    "settle_question",
    "What is open",
    "List the questions that sessions left open and the promises that are overdue; keep the person's answer to one, or "
    "dismiss it, as they say.",
    Questions,
    _GIVES,
    _run,
    writes=True,
)
