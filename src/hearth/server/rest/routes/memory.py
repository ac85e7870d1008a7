"""The calls that clients of other memory systems know, with their names."""

from __future__ import annotations

import re
from typing import Any

from hearth.engine.compat.get import NOT_ALLOWED
from hearth.errors import Ambiguous, NotFound, Unavailable
from hearth.server.remedies import REST, worded
from hearth.server.rest.route import Asked, Route
from hearth.server.rest.shapes import FLAG, NUMBER, TEXT, TEXTS, WHOLE, listed, maybe, obj
from hearth.server.schema import choice, number, text, whole

MOST_MESSAGE_CHARS = 200_000
_SEVERAL = re.compile(r" fits \d+ files: .*; name one in full$", re.DOTALL)


def _search(asked: Asked) -> dict[str, Any]:
    options = asked.given("citations")
    found = asked.vault.compat.search(asked["query"], asked["maxResults"], asked["minScore"], **options)
    said = {"reason": worded(found.reason, REST) if found.reason else None}
    if found.fallback:
        said["fallback"] = worded(found.fallback, REST)
    return found.to_dict() | said


def _get(asked: Asked) -> dict[str, Any]:
    """A file that is not there is told in the status, as clients know it; one that may not be read is an error."""
    found = asked.vault.compat.get(asked["path"], asked["from"], asked["lines"])
    if found.status != "error":
        return found.to_dict()
    said = found.error or "it can't be read"
    if found.code != NOT_ALLOWED:
        raise Unavailable(said)
    raise Ambiguous(said) if _SEVERAL.search(said) else NotFound(said)


def _context(asked: Asked) -> dict[str, Any]:
    row = asked.vault.compat.context(asked["message"], **asked.given("budget_tokens", "citations")).to_dict()
    return row | ({"reason": worded(row["reason"], REST)} if "reason" in row else {})


_CITATIONS = choice("Whether to give the place of each passage; else as the settings say.", ("auto", "on", "off"))
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

ROUTES = (
    Route(
        "memory_search",
        "POST",
        "/memory/search",
        "memory_search: the passages that answer.",
        _search,
        obj(
            {
                "results": listed(_RESULT),
                "provider": TEXT,
                "model": maybe(TEXT),
                "mode": TEXT,
                "citations": TEXT,
                "reason": maybe(TEXT),
            },
            {"fallback": TEXT, "remarks": TEXTS},
        ),
        body={
            "query": text("What to look for.", longest=10_000),
            "maxResults": whole("At most so many.", 1, 100, 6),
            "minScore": number("Leave out what scores lower.", 0, 1),
            "citations": _CITATIONS,
        },
        required=("query",),
        reads=True,
    ),
    Route(
        "memory_get",
        "POST",
        "/memory/get",
        "memory_get: lines of a file of a collection.",
        _get,
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
            {"nextFrom": WHOLE, "remarks": TEXTS},
        ),
        body={
            "path": text("path of a result.", longest=4_096),
            "from": whole("First line.", 1, 10_000_000),
            "lines": whole("So many lines.", 1, 1_000_000),
        },
        required=("path",),
        reads=True,
    ),
    Route(
        "memory_context",
        "POST",
        "/memory/context",
        "memory_context: what the notes say to a whole message, fenced for a model.",
        _context,
        obj(
            {
                "applicable": FLAG,
                "found": FLAG,
                "digest": TEXT,
                "entries": listed(_RESULT),
                "queriesRun": TEXTS,
                "tokens": WHOLE,
                "messageCut": FLAG,
            },
            {"skippedReason": TEXT, "reason": TEXT, "remarks": TEXTS},
        ),
        body={
            "message": text("The message.", longest=MOST_MESSAGE_CHARS),
            "budget_tokens": whole("At most so many tokens.", 100, 20_000),
            "citations": _CITATIONS,
        },
        required=("message",),
        reads=True,
    ),
)
