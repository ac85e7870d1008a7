"""Questions: search, routed retrieval, documents like one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated, Any

from hearth.core.document import VEILS
from hearth.core.lazy import dataclass
from hearth.core.query import MAX_QUERY_CHARS, SOURCES, Hit, Recall
from hearth.core.types import CONTENT_TYPES
from hearth.operations import rows
from hearth.operations.arguments import Arguments, Name, OneOf, Place, Referring, about, text, texts, whole
from hearth.operations.folders import existing
from hearth.operations.operation import Operation, Request
from hearth.operations.rows import DATE, instant
from hearth.operations.shapes import REMARKS, listed, obj, ref
from hearth.ports import StoredDocument
from hearth.recall.routes import MOST_ADDED, Added, RouteQuestion, added, stand_beside
from hearth.recall.routing import MODES, route

_RECIPES = {"auto": "hybrid"} | {name: name for name in ("hybrid", "keyword", "semantic", "plan", "intent")}
QUERY = text("What to look for, in the words of the question.", MAX_QUERY_CHARS)


class Asking(Arguments):
    """``collection`` is for clients that can't write lists."""

    query: Annotated[str, QUERY]
    collection: Annotated[str | None, text("Only in this collection; several between commas.", 1_000)] = None
    collections: Annotated[tuple[Name, ...], texts("Only in these collections.", 100)] = ()
    full: Annotated[bool, about("Whole passages instead of snippets (default false).")] = False
    compact: Annotated[
        bool, about("Only what tells whether to read a passage, and where (default false); not with full.")
    ] = False
    session: Annotated[str | None, text("The session that asks, for the use of documents.", 200)] = None

    @property
    def named(self) -> tuple[str, ...]:
        """The collections asked for."""
        return (*self.collections, *filter(None, (part.strip() for part in (self.collection or "").split(","))))

    @property
    def brief(self) -> bool:
        """Whether rows are to be brief: whole passages are not."""
        return self.compact and not self.full


class Search(Asking):
    mode: Annotated[
        str,
        OneOf(*_RECIPES),
        about(
            "How; auto is hybrid, plan an outline or several searches where that fits, intent also follows relations "
            "(chain says how)."
        ),
    ] = "auto"
    types: Annotated[tuple[Annotated[str, OneOf(*CONTENT_TYPES)], ...], texts("Only these types of document.", 30)] = ()
    tags: Annotated[tuple[Name, ...], texts("Only what carries all these tags, or tags below them.", 20)] = ()
    paths: Annotated[tuple[Place, ...], texts("Only where the path holds all these texts.", 20)] = ()
    since: Annotated[str | None, text(f"Not older than this: {DATE}.", 40, format="date-time")] = None
    until: Annotated[
        str | None, text(f"Not newer than this: {DATE}; a date includes that day.", 40, format="date-time")
    ] = None
    sources: Annotated[
        tuple[Annotated[str, OneOf(*SOURCES)], ...],
        texts(
            "Only what people wrote (notes), what was remembered (memory), or what sessions said (conversations).", 3
        ),
    ] = ()
    limit: Annotated[int, whole("At most so many passages (default 10).", 1, 100)] = 10
    min_score: Annotated[float | None, whole("Leave out what scores lower, 0 to 1.", 0, 1)] = None
    as_of: Annotated[
        str | None, text(f"What was true then, replaced or not, and nothing later: {DATE}.", 40, format="date-time")
    ] = None
    include: Annotated[
        tuple[Annotated[str, OneOf(*VEILS[1:])], ...], texts("Also documents that are out of searches for this.", 4)
    ] = ()
    budget: Annotated[int | None, whole("Fit the answer into so many tokens.", 50, 20_000)] = None
    candidates: Annotated[int | None, whole("So many passages are weighed closely (default 30).", 1, 200)] = None
    intent: Annotated[str | None, text("What you want it for: decides which part of a passage counts.", 1_000)] = None
    diverse: Annotated[bool, about("Spread over different documents (default true).")] = True
    explain: Annotated[bool, about("How each score came about.")] = False
    syntax: Annotated[
        bool, about("The query holds operators: path: tag: type: status: before: after: -word (default false).")
    ] = False


class Retrieve(Asking):
    mode: Annotated[
        str,
        OneOf("auto", *MODES),
        about(
            "Kind of search (default auto). timeline adds what was written at that time, discovery documents like the "
            "best ones, causal what led to them, complex an outline by time or the parts of a question."
        ),
    ] = "auto"
    limit: Annotated[
        int,
        whole(
            f"At most so many passages (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
            "documents by date, and of sessions.",
            1,
            100,
        ),
    ] = 10


class Similar(Referring):
    limit: Annotated[int, whole("At most so many (default 5).", 1, 100)] = 5


@dataclass(frozen=True, slots=True)
class Found:
    recall: Recall
    full: bool = False
    brief: bool = False

    def to_dict(self) -> dict[str, Any]:
        return answer(self.recall, brief=self.brief, full=self.full)


def answer(recall: Recall, *, brief: bool, full: bool) -> dict[str, Any]:
    """The answer as JSON, its rows as they are asked for."""
    found = [rows.passage(hit, brief=brief, full=full) for hit in recall.hits]
    return replace(recall, hits=()).to_dict() | {"results": found}


@dataclass(frozen=True, slots=True)
class Retrieved:
    """``documents`` are those of ``added`` as they are stored; ``recall`` is what stands beside an outline, where
    ``added`` has one."""

    mode: str
    why: str
    recall: Recall
    added: Added = field(default_factory=Added)
    documents: Sequence[StoredDocument] = ()
    full: bool = False
    brief: bool = False
    now: int = 0

    @property
    def reason(self) -> str | None:
        return None if self.added.hits else self.recall.reason

    def to_dict(self) -> dict[str, Any]:
        shape = {"brief": self.brief, "full": self.full}
        found = answer(self.recall, **shape)
        outline = self.added.outline
        beside = [rows.passage(hit, **shape) | {"via": self.mode} for hit in self.added.hits]
        return {
            "query": found["query"],
            "mode": self.mode,
            "why": self.why or None,
            "took_ms": found["took_ms"],
            "missing": found["missing"],
            "reason": self.reason,
            "confident": found["confident"],
            "confidence": found["confidence"],
            "outline": [] if outline is None else [rows.outline_line(hit) for hit in outline.hits],
            "results": found["results"] + beside,
            "timeline": [rows.document(one, self.now) for one in self.documents],
            "sessions": [rows.session(session) for session in self.added.sessions],
        }


@dataclass(frozen=True, slots=True)
class Alike:
    hits: Sequence[Hit]

    def to_dict(self) -> dict[str, Any]:
        return {"results": [hit.to_dict() for hit in self.hits]}


def _search(call: Request, given: Search) -> Found:
    zone = call.vault.zone
    as_of = instant(given.as_of, "as_of", zone, end=True)
    recall = call.vault.recall(
        given.query,
        recipe=_RECIPES[given.mode],
        collections=existing(call.vault, given.named),
        types=given.types,
        tags=given.tags,
        paths=given.paths,
        sources=given.sources,
        since=instant(given.since, "since", zone),
        until=instant(given.until, "until", zone, end=True),
        as_of=None if as_of is None else as_of - 1,
        include=given.include,
        budget_tokens=given.budget,
        **given.model_dump(
            include={"limit", "candidates", "min_score", "intent", "diverse", "explain", "syntax"},
            exclude_unset=True,
            exclude_none=True,
        ),
    )
    _record_use(call, recall, given.session)
    return Found(recall, given.full, given.brief)


def _retrieve(call: Request, given: Retrieve) -> Retrieved:
    """Every route starts from what hybrid search finds, in its order, and adds what the question's kind calls for, so
    that no wording of a question makes the answer weaker. An outline has most of it; beside it stands what it lacks."""
    chosen = route(given.query)
    mode, why = (chosen.mode, chosen.why) if given.mode == "auto" else (given.mode, "asked for")
    ask = RouteQuestion(call.vault, given.query, given.limit, existing(call.vault, given.named))
    recall = ask.recall("hybrid")
    _record_use(call, recall, given.session)
    more = added(mode, ask, recall, chosen=given.mode == "auto")
    if more.outline is not None:
        recall = replace(recall, hits=tuple(stand_beside(more.outline, recall.hits, full=given.full)))
    with call.vault.store.read() as reader:
        stored = [reader.document(document.docid) for document in more.documents]
    documents = [one for one in stored if one is not None]
    return Retrieved(mode, why, recall, more, documents, given.full, given.brief, call.vault.clock())


def _record_use(call: Request, recall: Recall, session: str | None) -> None:
    """Records that somebody asked for these documents."""
    who = session or call.session
    if recall.hits:
        call.afterwards(lambda vault: vault.usage.recalled(recall, who))


SEARCH = Operation(
    "search",
    "Search",
    "Find passages.",
    Search,
    ref("Answer"),
    _search,
    empty=lambda given, why: Found(Recall(given.query, "none", reason=why)),
)
RETRIEVE = Operation(
    "retrieve",
    "Ask the memory",
    "Ask a question; its wording picks what is added to hybrid search, or an outline by time.",
    Retrieve,
    ref("Retrieved"),
    _retrieve,
    core=True,
    empty=lambda given, why: Retrieved("hybrid", "", Recall(given.query, "none", reason=why)),
)
SIMILAR = Operation(
    "similar",
    "Find documents like one",
    "Find other documents with passages like those of a document.",
    Similar,
    obj({"results": listed(ref("Hit"))}, REMARKS),
    lambda call, given: Alike(call.vault.similar(given.reference, given.limit)),
)
