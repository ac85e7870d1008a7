"""What sessions talked about, thread by thread, and what the vault is about."""

from __future__ import annotations

from typing import Annotated

from hearth.server.operations.arguments import Arguments, text, whole
from hearth.server.operations.operation import Operation, Row
from hearth.server.operations.shapes import ANYTHING, WHOLE, listed, obj


class ThreadQuery(Arguments):
    session: Annotated[str | None, text("Only of this session.", 200)] = None
    limit: Annotated[int, whole("At most so many (default 20).", 1, 100)] = 20


THREADS = Operation(
    "threads",
    "What sessions talked about",
    "What sessions talked about without a pause of 30 minutes, the newest first.",
    ThreadQuery,
    obj({"threads": listed(ANYTHING, "Title, session, from when to when, document and lines.")}),
    lambda call, given: Row(
        {"threads": [one.to_dict() for one in call.vault.knowledge.overview.threads(given.limit, given.session)]}
    ),
)
TOPICS = Operation(
    "topics",
    "What the notes are about",
    "The nouns and phrases that several of the newest documents share, and which come up more than usual.",
    Arguments,
    obj({"topics": listed(ANYTHING, "The weightiest first, 50 at most."), "documents": WHOLE, "left_out": WHOLE}),
    lambda call, given: call.vault.knowledge.overview.topics(),
)
