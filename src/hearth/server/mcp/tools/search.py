"""Searches: one recipe each, the same that the command line runs."""

from __future__ import annotations

from hearth.model.document import VEILS
from hearth.server.mcp.tool import Answer, Call, Tool
from hearth.server.mcp.tools import common
from hearth.server.mcp.tools.common import FILTERS, FOUND, FULL, LIMIT, MIN_SCORE, QUERY
from hearth.server.schema import flag, inputs, text, texts

_INCLUDE = texts("Also documents that are out of searches for this.", longest=20, most=3, options=VEILS[1:])
_OPTIONS = {**FILTERS, "limit": LIMIT, "min_score": MIN_SCORE, "include": _INCLUDE, "full": FULL}


def _search(call: Call) -> Answer:
    return _asked(call, "keyword")


def _vsearch(call: Call) -> Answer:
    return _asked(call, "semantic")


def _query(call: Call) -> Answer:
    return _asked(call, "hybrid")


def _asked(call: Call, recipe: str) -> Answer:
    options = common.filters(call) | call.given("limit", "min_score", "include", "intent", "diverse")
    recall = call.vault.recall(call["query"], recipe=recipe, **options)
    common.used(call, recall)
    return common.found(recall, full=call["full"])


TOOLS = (
    Tool(
        name="search",
        title="Search by words",
        description=(
            "Find passages that hold the words: names, identifiers, error texts, file names. "
            'Takes "exact phrases", -word, path:, tag:, type:, before:, after:.'
        ),
        takes=inputs("query", query=QUERY, **_OPTIONS),
        gives=FOUND,
        run=_search,
        empty=common.rebuilding,
    ),
    Tool(
        name="vsearch",
        title="Search by meaning",
        description="Find passages that mean the same in other words. For names and exact terms use search.",
        takes=inputs("query", query=QUERY, **_OPTIONS),
        gives=FOUND,
        run=_vsearch,
        empty=common.rebuilding,
    ),
    Tool(
        name="query",
        title="Search by words and meaning",
        description="Find passages by words, meaning and dates together, filtered as you say. The best single search.",
        takes=inputs(
            "query",
            query=QUERY,
            **_OPTIONS,
            intent=text("What you want it for: decides which part of a passage counts.", longest=1_000),
            diverse=flag("Spread over different documents (default true).", default=True),
        ),
        gives=FOUND,
        run=_query,
        empty=common.rebuilding,
    ),
)
