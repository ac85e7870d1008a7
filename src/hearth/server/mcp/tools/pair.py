"""The tools that agents of other memory systems know, with the names and keys that those use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hearth.errors import UsageError
from hearth.model.query import Recall
from hearth.server.mcp import render
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common
from hearth.server.remedies import MCP, worded
from hearth.server.schema import choice, inputs, optional, outputs, rows, text, value, whole

if TYPE_CHECKING:
    from hearth.engine.compat.report import Result

_MODES = ("auto", "on", "off")
_MOST_MESSAGE = 20_000
_MOST_LINES = 10_000
_ROW = {
    "docid": "string",
    "path": "string",
    "startLine": "integer",
    "endLine": "integer",
    "score": "number",
    "source": "string",
    "citation": "string?",
    "snippet": "string?",
    "matchedQueries": "strings?",
}


def _search(call: Call) -> Answer:
    options = call.given("citations") | ({"min_score": call["minScore"]} if call["minScore"] is not None else {})
    found = call.vault.compat.search(call["query"], call["maxResults"], **options)
    said = [f"{render.plural(len(found.results), 'passage')}, best first." if found.results
            else common.nothing(found.reason)]  # fmt: skip
    said += [_block(at, result) for at, result in enumerate(found.results, 1)]
    data: dict[str, Any] = found.to_dict() | {"results": [_row(result) for result in found.results]}
    if found.fallback:
        data["fallback"] = worded(found.fallback, MCP)
    data["reason"] = worded(found.reason, MCP) if found.reason else None
    return Answer("\n\n".join(said), data)


def _block(at: int, result: Result) -> str:
    place = result.citation or f"{result.path}#L{result.start_line}-L{result.end_line}"
    return f"[{at}] {render.name(place)} (score: {result.score:.3f})\n{render.quoted(render.clean(result.snippet))}"


def _row(result: Result, *, snippet: bool = True) -> dict[str, Any]:
    row = result.to_dict() | {"snippet": render.clean(result.snippet) if snippet else None}
    return {key: known for key, known in row.items() if known is not None}


def _get(call: Call) -> Answer:
    found = call.vault.compat.get(call["path"], call["from"], call["lines"])
    if found.status == "error":
        raise UsageError(f"{found.code}: {found.error}")
    if found.status == "not_found":
        return Answer(f"There is no {render.name(call['path'])}.", _facts(found.to_dict()))
    more = f"\n\n(cut here; read on with from {found.next})" if found.next is not None else ""
    last = found.first + max(0, found.lines - 1)
    head = f"## {render.name(found.path)}, lines {found.first}-{last} of {found.total}"
    return Answer(f"{head}\n\n{found.text}{more}", _facts(found.to_dict()))


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    """All but the lines, which stand in the text."""
    return {key: known for key, known in row.items() if key != "text"}


def _context(call: Call) -> Answer:
    found = call.vault.compat.context(call["message"], **call.given("citations"))
    row = found.to_dict()
    del row["digest"]
    whole_entries = call["format"] == "json"
    row["entries"] = [_row(entry, snippet=whole_entries) for entry in found.entries]
    why = worded(found.reason, MCP) if found.reason else None
    none = f"(no relevant memory: {render.line(why or 'nothing fits')})"
    if found.skipped:
        none = f"(not searched: {render.line(found.skipped)})"
    return Answer(found.digest or none, row | ({"reason": why} if why else {}))


def _no_search(call: Call) -> Answer:
    empty = Recall(call["query"], "none", reason=call.hindrance)
    data: dict[str, Any] = {"results": [], "provider": "hearth", "mode": "hybrid", "citations": "off"}
    return Answer(common.headed(empty, full=False), data | {"reason": empty.reason})


def _no_context(call: Call) -> Answer:
    from hearth.engine.compat.report import MemoryContext

    empty = MemoryContext("", reason=call.hindrance).to_dict()
    return Answer(f"(not searched: {call.hindrance})", {key: known for key, known in empty.items() if key != "digest"})


_CITATIONS = choice("Show the place of each passage (default: as the settings say).", _MODES)

TOOLS = (
    Tool(
        name="memory_search",
        title="Search notes and memories",
        description="Find passages in notes and memories. For agents that know this name; memory_retrieve does more.",
        takes=inputs(
            "query",
            query=common.QUERY,
            maxResults=whole("At most so many (default 6).", 1, 50, 6),
            minScore=common.MIN_SCORE,
            citations=_CITATIONS,
        ),
        gives=outputs(
            results=rows("Best first.", **_ROW),
            provider=value("string"),
            model=value("string?", "What knows meanings."),
            fallback=value("string?"),
            mode=value("string"),
            citations=value("string"),
            reason=value("string?", "Why there are no results."),
        ),
        run=_search,
        empty=_no_search,
    ),
    Tool(
        name="memory_get",
        title="Read lines of a note",
        description="Read lines of a note or memory by its path. For agents that know this name; get does more.",
        takes=inputs(
            "path",
            path=text("As memory_search gives it; may end in #L3-L9.", longest=4_096),
            **{
                "from": whole("First line (default 1).", 1, 10_000_000),
                "lines": whole("At most so many lines (default 120).", 1, _MOST_LINES),
            },
        ),
        gives=outputs(
            status=value("string", "ok or not_found."),
            path=value("string"),
            **{"from": value("integer")},
            lines=value("integer"),
            totalLines=value("integer"),
            truncated=value("boolean"),
            nextFrom=optional(value("integer", "Where to read on.")),
        ),
        run=_get,
    ),
    Tool(
        name="memory_context",
        title="What memory says to a message",
        description="Give what notes and memories say to a whole message, as a digest; empty for small talk.",
        takes=inputs(
            "message",
            message=text("The message as the user wrote it.", longest=_MOST_MESSAGE),
            format=choice("json adds each passage to the data (default digest).", ("digest", "json"), "digest"),
            citations=_CITATIONS,
        ),
        gives=outputs(
            applicable=value("boolean", "Whether the message was worth a search."),
            found=value("boolean"),
            entries=rows("What the digest is made of.", **_ROW),
            queriesRun=value("strings"),
            tokens=value("integer"),
            messageCut=value("boolean"),
            skippedReason=value("string?"),
            reason=value("string?"),
        ),
        run=_context,
        empty=_no_context,
    ),
)
