"""JSON Schemas of what goes out, as literals; ``COMPONENTS`` are those that several routes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNTS: Schema = {"type": "object", "additionalProperties": WHOLE}
ANYTHING: Schema = {"type": "object"}
INSTANT: Schema = {"type": "integer", "description": "ms UTC"}


def maybe(schema: Schema) -> Schema:
    """Also ``null``."""
    return schema | {"type": [schema["type"], "null"]}


def listed(item: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": item} | ({"description": description} if description else {})


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def obj(needed: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**needed, **(optional or {})}, "required": list(needed)}


REMARKS: dict[str, Schema] = {"remarks": TEXTS | {"description": "What stands in the way of a better answer."}}

SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_PLACE: dict[str, Schema] = {"docid": TEXT, "collection": TEXT, "path": TEXT}
_LINES: dict[str, Schema] = {"start_line": WHOLE, "end_line": WHOLE}
STANDING: dict[str, Schema] = {
    "hidden": TEXTS | {"description": "Why only a search that includes such documents finds it."},
    "superseded_by": maybe(TEXT) | {"description": "The docid of what replaced it."},
    "valid_from": maybe(INSTANT) | {"description": "ms UTC; since when it is true."},
    "valid_to": maybe(INSTANT) | {"description": "ms UTC; when something ended its truth."},
}
DOUBTS: dict[str, Schema] = {
    "doubts": TEXTS | {"description": "Docids of what may contradict it, left out where there is none."}
}
HIT = obj(
    {
        "docid": TEXT,
        "path": TEXT,
        "title": TEXT,
        "score": SHARE,
        "snippet": TEXT,
    },
    {
        "collection": TEXT,
        **_LINES,
        "content_type": TEXT,
        "authored_at": maybe(INSTANT),
        "modified_at": INSTANT,
        "fragment": TEXT,
        **STANDING,
        **DOUBTS,
        "also_in": TEXTS,
        "chain": listed(
            obj(
                {
                    "source": TEXT,
                    "type": TEXT,
                    "target": TEXT,
                    "source_path": TEXT,
                    "target_path": TEXT,
                    "weight": SHARE,
                }
            ),
            "The relations that lead to it from another answer, each from source to target.",
        ),
        "via": TEXT | {"description": "The route that added it to what hybrid search found."},
        "text": TEXT,
        "headings": TEXTS,
        "trust": TEXT,
        "author": TEXT | {"description": "Who wrote it, of what is not the person's own."},
        "context": maybe(TEXT),
        "explain": ANYTHING,
    },
)
_DOCUMENT: dict[str, Schema] = {
    **_PLACE,
    "title": TEXT,
    "content_type": TEXT,
    "authored_at": maybe(INSTANT),
    "modified_at": INSTANT,
    "size": WHOLE,
    "tags": TEXTS,
    "language": TEXT,
    "trust": TEXT,
    "pinned": FLAG,
    "snoozed_until": maybe(INSTANT),
    **STANDING,
}
DOCUMENT = obj(_DOCUMENT, {"text": TEXT, "focus": FLAG, "session": maybe(TEXT), "conversation": maybe(TEXT)})
PASSAGE = obj(
    {
        **_DOCUMENT,
        **_LINES,
        "total_lines": WHOLE,
        "text": TEXT,
        "next_line": maybe(WHOLE) | {"description": "Where to read on; null at the end."},
        "backlinks": TEXTS | {"description": "Documents that link to it, the first 50."},
    },
    {**REMARKS, **DOUBTS},
)
ANSWER = obj(
    {
        "query": TEXT,
        "recipe": TEXT,
        "took_ms": NUMBER,
        "missing": TEXTS | {"description": "Lanes that could not answer."},
        "reason": maybe(TEXT) | {"description": "Why there are no results, or they are perhaps no answer."},
        "confident": FLAG | {"description": "Whether the best result is likely to answer."},
        "confidence": SHARE | {"description": "How likely."},
        "results": listed(ref("Hit"), "Best first."),
    },
    {
        **REMARKS,
        "plan": obj(
            {"kind": TEXT, "clauses": TEXTS}, {"why": maybe(TEXT) | {"description": "The wording that decided."}}
        )
        | {"description": "Of a plan: outline (results by time), parts (each clause's best in turn) or single."},
        "trace": ANYTHING,
    },
)
RETRIEVED = obj(
    {
        "query": TEXT,
        "mode": TEXT | {"description": "The route taken."},
        "why": maybe(TEXT) | {"description": "The wording that decided."},
        "took_ms": NUMBER,
        "missing": TEXTS,
        "reason": maybe(TEXT),
        "confident": FLAG,
        "confidence": SHARE,
        "outline": listed(
            obj({**_PLACE, "line": WHOLE, "authored_at": maybe(WHOLE), "snippet": TEXT}),
            "A line for each turn or section by time, where the question asks for an outline.",
        ),
        "results": listed(
            ref("Hit"), "What hybrid search found, beside an outline what that lacks; then what the route adds (via)."
        ),
        "timeline": listed(ref("Document"), "Documents by date, newest first, where the route is timeline."),
        "sessions": listed(ref("Session"), "Sessions of that time, newest first, where the route is timeline."),
    },
    REMARKS,
)
_READ = {name: schema for name, schema in _DOCUMENT.items() if name not in ("pinned", "snoozed_until", *STANDING)}
READ = obj({**_READ, **_LINES, "total_lines": WHOLE, "text": TEXT, "next_line": maybe(WHOLE)})
CHANGED = obj(
    {
        "action": TEXT,
        **_PLACE,
        "events": TEXTS | {"description": "Journal events, each of which can be taken back."},
        "state": ANYTHING,
        "note": maybe(TEXT),
    },
    {"title": maybe(TEXT)},
)
WRITTEN = obj(
    {
        "action": TEXT | {"description": "written, duplicate, revised, merged, appended, set aside or retired"},
        **_PLACE,
        "content_type": TEXT,
        "title": TEXT,
        "revision": maybe(TEXT),
        "supersedes": TEXTS,
        "redacted": WHOLE | {"description": "Secrets taken out before it was written."},
    },
    {"asks": TEXTS | {"description": "Docids of what it may contradict; a person is asked."}},
)
SKIPPED = obj({"collection": TEXT, "path": TEXT, "reason": TEXT})
_SESSION: dict[str, Schema] = {
    "id": TEXT,
    "began": INSTANT,
    "last": INSTANT,
    "ended": maybe(INSTANT),
    **{name: maybe(TEXT) for name in ("ending", "host", "project", "machine", "summary", "handoff", "conversation")},
    **dict.fromkeys(("surfaced", "referenced", "tokens"), WHOLE),
}
SESSION = obj({**_SESSION, "turns": WHOLE, "files": WHOLE})
SESSION_DETAIL = obj(
    {
        **_SESSION,
        "turns": listed(
            obj({"turn": TEXT, "at": INSTANT, "tokens": WHOLE, "hooks": TEXTS, "shown": listed(ANYTHING)}),
            "Oldest first.",
        ),
        "turns_total": WHOLE,
        "turns_without_details": WHOLE | {"description": "Older than details are kept."},
        "files": TEXTS | {"description": "What the session changed."},
    }
)
PROBLEM = obj(
    {"type": TEXT, "title": TEXT, "status": WHOLE, "detail": TEXT},
    {
        "code": TEXT | {"description": "Stable, for programs."},
        "hint": TEXT | {"description": "What to do."},
        "candidates": TEXTS,
    },
)
COMPONENTS: dict[str, Schema] = {
    "Hit": HIT,
    "Document": DOCUMENT,
    "Passage": PASSAGE,
    "Read": READ,
    "Answer": ANSWER,
    "Retrieved": RETRIEVED,
    "Changed": CHANGED,
    "Written": WRITTEN,
    "Skipped": SKIPPED,
    "Session": SESSION,
    "SessionDetail": SESSION_DETAIL,
    "Problem": PROBLEM,
}
