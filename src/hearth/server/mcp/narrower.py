"""Arguments with narrower bounds or other defaults than programs have: an answer has to fit what a model reads."""

from __future__ import annotations

from typing import Annotated

from hearth.engine.routing.routes import MOST_ADDED
from hearth.server.operations import compat, documents, lifecycle, search, sessions, state
from hearth.server.operations.arguments import OneOf, about, text, whole


class McpSearch(search.Search):
    limit: Annotated[int, whole("At most so many passages (default 10).", 1, 50)] = 10


class McpRetrieve(search.Retrieve):
    limit: Annotated[
        int,
        whole(
            f"At most so many passages (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
            "documents by date, and of sessions.",
            1,
            50,
        ),
    ] = 10
    compact: Annotated[
        bool, about("Only what tells whether to read a passage, and where: get reads it (default true); not with full.")
    ] = True


class McpSimilar(search.Similar):
    limit: Annotated[int, whole("At most so many (default 5).", 1, 50)] = 5


class McpRead(documents.Read):
    max_lines: Annotated[int, whole("At most so many lines (default 400).", 1, 5_000)] = 400


class McpSessionLog(sessions.SessionLogArguments):
    limit: Annotated[int, whole("At most so many (default 10).", 1, 100)] = 10


class McpForget(state.Forget):
    confirm: Annotated[bool, state.CONFIRM] = False


class McpUndo(state.Reasoned):
    event: Annotated[str, text("The event, from events of the answer to the change.", 64)]


class McpRestore(lifecycle.Restore):
    limit: Annotated[int, whole("With query: at most so many (default 10).", 1, 100)] = 10


class McpMemorySearch(compat.CompatSearch):
    max_results: Annotated[int, whole("At most so many (default 6).", 1, 50)] = 6


class McpMemoryGet(compat.Get):
    lines: Annotated[int | None, whole("At most so many lines (default 120).", 1, 10_000)] = None


class McpMemoryContext(compat.ContextArguments):
    message: Annotated[str, text("The message as the user wrote it.", 20_000)]
    format: Annotated[str, OneOf("digest", "json"), about("json adds each passage to the data (default digest).")] = (
        "digest"
    )
