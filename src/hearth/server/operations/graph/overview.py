"""What sessions talked about, thread by thread, and what the vault is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hearth.lazy import dataclass
from hearth.server.operations.arguments import Arguments, text, whole
from hearth.server.operations.operation import Operation, Request
from hearth.server.operations.shapes import ANYTHING, WHOLE, listed, obj

if TYPE_CHECKING:
    from hearth.engine.knowledge.overview import Thread, TopicReport


class ThreadQuery(Arguments):
    session: Annotated[str | None, text("Only of this session.", 200)] = None
    limit: Annotated[int, whole("At most so many (default 20).", 1, 100)] = 20


@dataclass(frozen=True, slots=True)
class ThreadList:
    threads: tuple[Thread, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"threads": [one.to_dict() for one in self.threads]}


def _threads(call: Request, given: ThreadQuery) -> ThreadList:
    return ThreadList(tuple(call.vault.knowledge.overview.threads(given.limit, given.session)))


def _topics(call: Request, given: Arguments) -> TopicReport:
    return call.vault.knowledge.overview.topics()


THREADS = Operation(
    "threads",
    "What sessions talked about",
    "What sessions talked about without a pause of 30 minutes, the newest first.",
    ThreadQuery,
    obj({"threads": listed(ANYTHING, "Title, session, from when to when, document and lines.")}),
    _threads,
)
TOPICS = Operation(
    "topics",
    "What the notes are about",
    "The words that weigh most in the newest documents, and which of them come up more than usual.",
    Arguments,
    obj({"topics": listed(ANYTHING, "The weightiest first, 50 at most."), "documents": WHOLE, "left_out": WHOLE}),
    _topics,
)
