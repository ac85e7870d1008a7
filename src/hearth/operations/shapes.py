"""The engine's values as JSON, with the same names everywhere, and the schemas of what operations give."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from hearth.core import instants
from hearth.core.errors import Guidance, UsageError
from hearth.core.judgement import Validity
from hearth.core.lazy import regex
from hearth.core.query import Hit
from hearth.core.session import Session, SessionDetail
from hearth.operations.arguments import Schema, text
from hearth.operations.problems import worded
from hearth.ports import Skipped, StoredDocument
from hearth.text.lines import cut_line

DATE = "YYYY-MM-DD or ISO 8601"


def instant(given: str | None, argument: str, zone: str, *, end: bool = False) -> int | None:
    """ms UTC. A date alone is a UTC day, of which ``end`` means the end; a time without offset is in ``zone``."""
    if given is None:
        return None
    found = instants.parse(given, zone, hour=24 if end else 0)
    if found is None:
        raise UsageError(f"{argument} {given!r} is not a date; write {DATE}")
    return found


_SURROGATES = regex("[\ud800-\udfff]")


def valid(value: Any, *, nulls: bool = True, surface: str | None = None) -> Any:
    """The same with every text fit for JSON; without ``nulls``, mappings leave out what is ``None``."""
    if isinstance(value, str):
        if surface is not None and isinstance(value, Guidance):
            value = worded(value, surface)
        return _SURROGATES.sub("\ufffd", value) if _SURROGATES.search(value) else value
    if isinstance(value, Mapping):
        kept = ((key, item) for key, item in value.items() if nulls or item is not None)
        return {valid(key): valid(item, nulls=nulls, surface=surface) for key, item in kept}
    if isinstance(value, list | tuple):
        return [valid(item, nulls=nulls, surface=surface) for item in value]
    return value


def document(stored: StoredDocument, now: int) -> dict[str, Any]:
    """Without its text; instants are ms UTC."""
    state = stored.state
    validity = Validity.of(stored.document, state, now)
    kept = {"pinned": state.pinned, "snoozed_until": state.snoozed_until}
    return stored.document.to_dict() | kept | validity.to_dict()


# Characters of a snippet in a brief row: with so many, answers about notes cost a quarter of whole ones.
SNIPPET_CHARS = 60


_BRIEF = ("docid", "collection", "path", "title", "content_type", "fragment")
_STANDING = ("trust", "author", "hidden", "superseded_by", "valid_from", "valid_to", "doubts", "later", "cited")


def fragment(hit: Hit, *, brief: bool, full: bool) -> dict[str, Any]:
    """A fragment found; ``brief`` holds what tells whether to read it, and where: a quarter of a whole one. Either says
    where it does not hold any more, or is in doubt."""
    row = hit.to_dict(full=full)
    if not brief:
        return row
    kept = {name: row[name] for name in (*_BRIEF, *_STANDING) if row.get(name) is not None}
    return kept | {"score": round(hit.score, 2), "snippet": briefly(hit)[1]}


def outline_line(hit: Hit) -> dict[str, Any]:
    """A line of an outline."""
    return {
        "docid": hit.docid,
        "collection": hit.collection,
        "path": hit.path,
        "line": hit.start_line,
        "authored_at": hit.authored_at,
        "snippet": hit.snippet,
    }


def briefly(hit: Hit) -> tuple[int, str]:
    """The line that says most, with its number, and what follows it on one line, cut between words."""
    at, text = hit.briefly()
    return at, cut_line(" ".join(text.split()), SNIPPET_CHARS)


def session(found: Session | SessionDetail) -> dict[str, Any]:
    """Without where a transcript lies on this machine."""
    return {name: value for name, value in found.to_dict().items() if name not in ("transcript", "watermark")}


def skipped(file: Skipped) -> dict[str, str]:
    return {"collection": file.collection, "path": file.path, "reason": file.reason}


CURSOR = text("Where to go on: next of the page before.", 8_192)
NEXT: Schema = {"type": ["string", "null"], "description": "The cursor of the next page; null on the last."}
Key = tuple[str | int, ...]


def cursor(key: Key) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(key)).encode("ascii")).decode("ascii").rstrip("=")


def key(given: str | None, *kinds: type) -> Key | None:
    """What a cursor names. Raises ``UsageError`` for one that was not given out."""
    if given is None:
        return None
    try:
        found = json.loads(base64.urlsafe_b64decode(given.encode("ascii") + b"=" * (-len(given) % 4)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or [type(part) for part in found] != list(kinds):
        raise UsageError("cursor is none that was given out; begin without one")
    return tuple(found)


JsonSchema = dict[str, Any]

TEXT: JsonSchema = {"type": "string"}
WHOLE: JsonSchema = {"type": "integer"}
NUMBER: JsonSchema = {"type": "number"}
FLAG: JsonSchema = {"type": "boolean"}
TEXTS: JsonSchema = {"type": "array", "items": TEXT}
COUNTS: JsonSchema = {"type": "object", "additionalProperties": WHOLE}
ANYTHING: JsonSchema = {"type": "object"}
INSTANT: JsonSchema = {"type": "integer", "description": "ms UTC"}


def maybe(schema: JsonSchema) -> JsonSchema:
    """Also ``null``."""
    return schema | {"type": [schema["type"], "null"]}


def listed(item: JsonSchema, description: str = "") -> JsonSchema:
    return {"type": "array", "items": item} | ({"description": description} if description else {})


def ref(name: str) -> JsonSchema:
    return {"$ref": f"#/components/schemas/{name}"}


def obj(needed: Mapping[str, JsonSchema], optional: Mapping[str, JsonSchema] | None = None) -> JsonSchema:
    return {"type": "object", "properties": {**needed, **(optional or {})}, "required": list(needed)}


REMARKS: dict[str, JsonSchema] = {"remarks": TEXTS | {"description": "What stands in the way of a better answer."}}

SHARE: JsonSchema = {"type": "number", "minimum": 0, "maximum": 1}
_PLACE: dict[str, JsonSchema] = {"docid": TEXT, "collection": TEXT, "path": TEXT}
_LINES: dict[str, JsonSchema] = {"start_line": WHOLE, "end_line": WHOLE}
STANDING: dict[str, JsonSchema] = {
    "hidden": TEXTS | {"description": "Why only a search that includes such documents finds it."},
    "superseded_by": maybe(TEXT) | {"description": "The docid of what replaced it."},
    "valid_from": maybe(INSTANT) | {"description": "ms UTC; since when it is true."},
    "valid_to": maybe(INSTANT) | {"description": "ms UTC; when something ended its truth."},
}
DOUBTS: dict[str, JsonSchema] = {
    "doubts": TEXTS | {"description": "Docids of what may contradict it, left out where there is none."},
    "cited": TEXT | {"description": "What became of the code that a memory cites: fresh, changed (…) or gone (…)."},
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
_DOCUMENT: dict[str, JsonSchema] = {
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
            {"kind": TEXT, "clauses": TEXTS},
            {
                "why": maybe(TEXT) | {"description": "The wording that decided."},
                "types": TEXTS | {"description": "How each clause was looked up: keyword, hybrid or graph."},
            },
        )
        | {"description": "Of a plan: outline (results by time), parts (each clause's best in turn) or single."},
        "class": obj({"asked": TEXT}, {"why": maybe(TEXT) | {"description": "The wording that decided."}})
        | {"description": "Of mode intent: what the question asks for (why, when, entity or what)."},
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
_SESSION: dict[str, JsonSchema] = {
    "id": TEXT,
    "began": INSTANT,
    "last": INSTANT,
    "ended": maybe(INSTANT),
    **{name: maybe(TEXT) for name in ("ending", "host", "project", "machine", "summary", "handoff", "conversation")},
    **dict.fromkeys(("surfaced", "referenced", "tokens"), WHOLE),
}
SESSION = obj(
    {**_SESSION, "turns": WHOLE, "files": WHOLE, "changed": TEXTS | {"description": "The latest files, 10 at most."}}
)
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
COMPONENTS: dict[str, JsonSchema] = {
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
