"""The calls that agents of other memory systems know, with the names and keys that those use."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from hearth.context.memory_tools import NOT_ALLOWED
from hearth.context.report import CompatResult, MemoryContext, MemorySearch, MemoryText
from hearth.core.errors import Ambiguous, HearthError, NotFound, Unavailable, UsageError
from hearth.operations import render
from hearth.operations.arguments import Arguments, OneOf, about, text, whole
from hearth.operations.operation import HINDRANCES, Operation, Request, Route, Tool
from hearth.operations.search import QUERY, express_doubt, say_nothing
from hearth.operations.shapes import FLAG, NUMBER, SHARE, TEXT, TEXTS, WHOLE, listed, maybe, obj

_CITATIONS = about("Show the place of each fragment (default: as the settings say).")
Citations = Annotated[str, OneOf("auto", "on", "off")]


class CompatSearch(Arguments):
    query: Annotated[str, QUERY]
    max_results: Annotated[int, whole("At most this many (default 6).", 1, 100)] = 6
    min_score: Annotated[float | None, whole("Leave out what scores lower (default 0.35).", 0, 1)] = None
    citations: Annotated[Citations | None, _CITATIONS] = None


class Get(Arguments):
    path: Annotated[str, text("As memory_search gives it; may end in #L3-L9.", 4_096)]
    first: Annotated[int | None, whole("First line (default 1).", 1, 10_000_000)] = None
    lines: Annotated[int | None, whole("At most this many lines (default 120).", 1, 1_000_000)] = None


class ContextArguments(Arguments):
    message: Annotated[str, text("The message as the user wrote it.", 200_000)]
    format: Annotated[str, OneOf("digest", "json"), about("json adds each fragment to the data (default digest).")] = (
        "json"
    )
    budget_tokens: Annotated[int | None, whole("At most this many tokens.", 100, 20_000)] = None
    citations: Annotated[Citations | None, _CITATIONS] = None


class McpMemoryContext(ContextArguments):
    message: Annotated[str, text("The message as the user wrote it.", 20_000)]
    format: Annotated[str, OneOf("digest", "json"), about("json adds each fragment to the data (default digest).")] = (
        "digest"
    )


def _search(call: Request, given: CompatSearch) -> MemorySearch:
    options = given.pick("citations", "min_score")
    return call.vault.compat.search(given.query, given.max_results, session=call.session, **options)


def _get(call: Request, given: Get) -> MemoryText:
    """A file that is not there is told in the status, as clients know it; one that may not be read is an error."""
    found = call.vault.compat.get(given.path, given.first, given.lines)
    if found.status == "ok" and found.docid is not None:
        docid, shown = found.docid, (found.first, found.first + max(0, found.lines - 1))
        call.afterwards(lambda vault: vault.usage.opened(docid, shown, call.session))
    if found.status != "error":
        return found
    raise _refuse(call, found)


def _refuse(call: Request, found: MemoryText) -> HearthError:
    reason = found.error or "it can't be read"
    if call.describes:
        return UsageError(f"{found.code}: {reason}")
    if found.code != NOT_ALLOWED:
        return Unavailable(reason)
    return Ambiguous(reason) if found.several else NotFound(reason)


def _context(call: Request, given: ContextArguments) -> MemoryContext:
    options = given.pick("citations", "budget_tokens")
    found = call.vault.compat.context(given.message, **options)
    if given.format == "json":
        return found
    return replace(found, entries=tuple(replace(entry, snippet="") for entry in found.entries))


_RESULT = obj(
    {
        "docid": TEXT,
        "path": TEXT,
        "startLine": WHOLE,
        "endLine": WHOLE,
        "score": NUMBER,
        "snippet": TEXT,
        "source": TEXT,
    },
    {"citation": TEXT, "matchedQueries": TEXTS},
)


def render_results(result: MemorySearch, given: Arguments) -> str:
    if not result.results:
        return say_nothing(result.reason)
    sure = "" if result.confident else f" {express_doubt(result.reason)}"
    head = f"{render.plural(len(result.results), 'fragment')}, best first.{sure}"
    return "\n\n".join([head, *(_block(at, one) for at, one in enumerate(result.results, 1))])


def _block(at: int, result: CompatResult) -> str:
    place = result.citation or f"{result.path}#L{result.start_line}-L{result.end_line}"
    return f"[{at}] {render.name(place)} (score: {result.score:.3f})\n{render.quoted(render.clean(result.snippet))}"


def render_lines(result: MemoryText, given: Arguments) -> str:
    if result.status == "not_found":
        return f"There is no {render.name(result.path)}."
    more = f"\n\n(cut here; read on with from {result.next})" if result.next is not None else ""
    last = result.first + max(0, result.lines - 1)
    head = f"## {render.name(result.path)}, lines {result.first}-{last} of {result.total}"
    return f"{head}\n\n{result.text}{more}"


def render_digest(result: MemoryContext, given: Arguments) -> str:
    if result.digest:
        return result.digest if result.confident else f"{express_doubt(None)}\n\n{result.digest}"
    if result.skipped or result.reason in HINDRANCES:
        return f"(not searched: {render.line(result.skipped or str(result.reason))})"
    return f"(no relevant memory: {render.word_message(result.reason or 'nothing fits')})"


SEARCH = Operation(
    "memory_search",
    "Search notes and memories",
    "memory_search: the fragments that answer.",
    CompatSearch,
    obj(
        {
            "results": listed(_RESULT, "Best first."),
            "provider": TEXT,
            "model": maybe(TEXT) | {"description": "What knows meanings."},
            "mode": TEXT,
            "citations": TEXT,
            "confident": FLAG | {"description": "Whether the best result is likely to answer."},
            "confidence": SHARE,
            "reason": maybe(TEXT) | {"description": "Why there are no results, or they are perhaps no answer."},
        },
        {"fallback": TEXT, "remarks": TEXTS},
    ),
    _search,
    empty=lambda given, why: MemorySearch(given.query, (), "off", None, reason=why),
    words=render_results,
    tools=(
        Tool(
            "memory_search",
            "query max_results=maxResults min_score=minScore citations",
            described="Search notes and memories. For agents that know this name; memory_retrieve does more.",
            keeps=frozenset({"tokens"}),
        ),
    ),
    routes=(Route("POST", "/memory/search", "query max_results=maxResults min_score=minScore citations"),),
    command="search",
)
GET = Operation(
    "memory_get",
    "Read lines of a note",
    "memory_get: lines of a file of a collection.",
    Get,
    obj(
        {
            "status": TEXT | {"enum": ["ok", "not_found"]},
            "text": TEXT,
            "path": TEXT,
            "from": WHOLE,
            "lines": WHOLE,
            "totalLines": WHOLE,
            "truncated": FLAG,
        },
        {"nextFrom": WHOLE | {"description": "Where to read on."}, "remarks": TEXTS},
    ),
    _get,
    words=render_lines,
    tools=(
        Tool(
            "memory_get",
            "path first=from lines",
            described="Read lines of a note or memory by its path. For agents that know this name; get does more.",
        ),
    ),
    routes=(Route("POST", "/memory/get", "path first=from lines"),),
    command="get",
)
CONTEXT = Operation(
    "memory_context",
    "What memory says to a message",
    "memory_context: what the notes say to a whole message, fenced for a model.",
    ContextArguments,
    obj(
        {
            "applicable": FLAG | {"description": "Whether the message was worth a search."},
            "found": FLAG,
            "confident": FLAG | {"description": "Whether the digest is likely to bear on the message."},
            "confidence": SHARE,
            "digest": TEXT,
            "entries": listed(_RESULT, "What the digest is made of."),
            "queriesRun": TEXTS,
            "tokens": WHOLE,
            "messageCut": FLAG,
        },
        {"skippedReason": TEXT, "reason": TEXT, "remarks": TEXTS},
    ),
    _context,
    empty=lambda given, why: MemoryContext("", reason=why),
    words=render_digest,
    tools=(
        Tool(
            "memory_context",
            "message format citations",
            takes=McpMemoryContext,
            described="Give what notes and memories say to a whole message, as a digest; empty for small talk.",
            keeps=frozenset({"tokens"}),
        ),
    ),
    routes=(Route("POST", "/memory/context", "message budget_tokens citations"),),
    command="surface",
)
