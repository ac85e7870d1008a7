"""Questions: search, routed retrieval, documents like one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Annotated, Any

from hearth.core.document import VEILS
from hearth.core.graph import ClassChoice
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES
from hearth.core.query import MAX_QUERY_CHARS, SOURCES, Hit, QueryPlan, Recall
from hearth.operations import render, shapes
from hearth.operations.arguments import Arguments, Name, OneOf, Place, Referring, about, existing, text, texts, whole
from hearth.operations.operation import REBUILDING, Operation, Request, Route, Tool
from hearth.operations.sessions import session_line
from hearth.operations.shapes import DATE, REMARKS, instant, listed, obj, ref
from hearth.ports import StoredDocument
from hearth.recall.ranking import packing
from hearth.recall.routes import MOST_ADDED, Added, RouteQuestion, added, stand_beside
from hearth.recall.routing import MODES, route

_RECIPES = {"auto": "hybrid"} | {name: name for name in ("hybrid", "keyword", "semantic", "plan", "intent")}
QUERY = text("What to search for, in the question's own words.", MAX_QUERY_CHARS)


class Asking(Arguments):
    """``collection`` is for clients that can't write lists."""

    query: Annotated[str, QUERY]
    collection: Annotated[str | None, text("Only in these collections, comma-separated.", 1_000)] = None
    collections: Annotated[tuple[Name, ...], texts("Only in these collections.", 100)] = ()
    full: Annotated[bool, about("Whole fragments instead of snippets (default false).")] = False
    compact: Annotated[
        bool, about("Only what tells whether to read a fragment, and where (default false); not with full.")
    ] = False
    session: Annotated[str | None, text("The session that asks, for the use of documents.", 200)] = None

    @property
    def named(self) -> tuple[str, ...]:
        """The collections asked for."""
        return (*self.collections, *filter(None, (part.strip() for part in (self.collection or "").split(","))))

    @property
    def brief(self) -> bool:
        """Whether rows are to be brief: whole fragments are not."""
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
    tags: Annotated[tuple[Name, ...], texts("Only documents with all these tags, or tags below them.", 20)] = ()
    paths: Annotated[tuple[Place, ...], texts("Only paths that contain all these texts.", 20)] = ()
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
    limit: Annotated[int, whole("At most this many results (default 10).", 1, 100)] = 10
    min_score: Annotated[float | None, whole("Drop results that score lower, 0 to 1.", 0, 1)] = None
    as_of: Annotated[
        str | None, text(f"What was true then, replaced or not, and nothing later: {DATE}.", 40, format="date-time")
    ] = None
    include: Annotated[
        tuple[Annotated[str, OneOf(*VEILS[1:])], ...], texts("Also documents that are out of searches for this.", 4)
    ] = ()
    budget: Annotated[int | None, whole("Fit the answer into this many tokens.", 50, 20_000)] = None
    candidates: Annotated[int | None, whole("This many fragments are weighed closely (default 30).", 1, 200)] = None
    intent: Annotated[
        str | None, text("What you want it for: decides which part of a fragment is shown and reranked.", 1_000)
    ] = None
    diverse: Annotated[bool, about("Spread over different documents (default true).")] = True
    explain: Annotated[bool, about("Explain each score.")] = False
    syntax: Annotated[
        bool, about("The query holds operators: path: tag: type: status: before: after: -word (default false).")
    ] = False


class Retrieve(Asking):
    mode: Annotated[
        str,
        OneOf("auto", *MODES),
        about(
            "Kind of search (default auto). timeline adds what was written at that time, discovery documents like the "
            "best ones, causal what led to them, complex an outline by time or one search per part."
        ),
    ] = "auto"
    limit: Annotated[
        int,
        whole(
            f"At most this many results (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
            "documents by date, and of sessions.",
            1,
            100,
        ),
    ] = 10


class McpRetrieve(Retrieve):
    limit: Annotated[
        int,
        whole(
            f"At most this many results (default 10); the kind of search adds {MOST_ADDED} more at most. Also of "
            "documents by date, and of sessions.",
            1,
            50,
        ),
    ] = 10
    compact: Annotated[
        bool,
        about("Only what tells whether to read a fragment, and where: get reads it (default true); not with full."),
    ] = True


class Similar(Referring):
    limit: Annotated[int, whole("At most this many (default 5).", 1, 100)] = 5


@dataclass(frozen=True, slots=True)
class Found:
    recall: Recall
    full: bool = False
    brief: bool = False

    def to_dict(self) -> dict[str, Any]:
        return answer(self.recall, brief=self.brief, full=self.full)


def answer(recall: Recall, *, brief: bool, full: bool) -> dict[str, Any]:
    """The answer as JSON, its rows as they are asked for."""
    found = [shapes.fragment(hit, brief=brief, full=full) for hit in recall.hits]
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
        beside = [shapes.fragment(hit, **shape) | {"via": self.mode} for hit in self.added.hits]
        return {
            "query": found["query"],
            "mode": self.mode,
            "why": self.why or None,
            "took_ms": found["took_ms"],
            "missing": found["missing"],
            "reason": self.reason,
            "confident": found["confident"],
            "confidence": found["confidence"],
            "outline": [] if outline is None else [shapes.outline_line(hit) for hit in outline.hits],
            "results": found["results"] + beside,
            "timeline": [shapes.document(one, self.now) for one in self.documents],
            "sessions": [shapes.session(session) for session in self.added.sessions],
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
        **given.pick("limit", "candidates", "min_score", "intent", "diverse", "explain", "syntax"),
    )
    _record_use(call, recall, given.session)
    return Found(call.vault.cite(recall), given.full, given.brief)


def _retrieve(call: Request, given: Retrieve) -> Retrieved:
    """Every route starts from what hybrid search finds, in its order, and adds what the question's kind calls for, so
    that no wording of a question makes the answer weaker. An outline has most of it; beside it stands what it lacks."""
    chosen = route(given.query)
    mode, why = (chosen.mode, chosen.why) if given.mode == "auto" else (given.mode, "asked for")
    ask = RouteQuestion(call.vault, given.query, given.limit, existing(call.vault, given.named))
    recall = call.vault.cite(ask.recall("hybrid"))
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


def render_found(result: Found, given: Search) -> str:
    return headed(result.recall, given)


def lead_found(result: Found, given: Search) -> str | None:
    """The beginning of the words, where brief rows say the rest; ``None`` where there are none."""
    return _lead(result.recall) if given.brief and result.recall.hits else None


def headed(recall: Recall, given: Asking) -> str:
    """The fragments under a line that says how many and how sure; without any, why."""
    if not recall.hits:
        return say_nothing(recall.reason)
    if recall.plan is not None and recall.plan.kind == "outline":
        return _outlined(recall)
    return f"{_lead(recall)}\n\n{_fragments(recall.hits, given)}"


def _outlined(recall: Recall) -> str:
    return "\n".join((_lead(recall), "", *(f"> {render.line(row)}" for row in packing.render(recall.hits))))


def _lead(recall: Recall) -> str:
    hits, missing = recall.hits, recall.missing
    if not hits:
        return say_nothing(recall.reason)
    lacking = f" Answered without {', '.join(map(render.word_message, missing))}." if missing else ""
    sure = "" if recall.confident else f" {express_doubt(recall.reason)}"
    asked = "" if recall.asked is None else f" {_tell_class(recall.asked)}"
    return f"{_tell_plan(recall.plan, len(hits))}{asked}{sure}{lacking}"


def _tell_class(asked: ClassChoice) -> str:
    wording = f" ({render.line(asked.why)})" if asked.why else ""
    return f"Question of the class {asked.asked}{wording}."


def _tell_plan(plan: QueryPlan | None, count: int) -> str:
    fragments = render.plural(count, "fragment")
    if plan is None or plan.kind == "single":
        return f"{fragments}, best first."
    why = render.line(plan.why)
    if plan.kind == "outline":
        return f"Outline ({why}): {render.plural(count, 'line')} by time, each with the line that get reads."
    clauses = [f"{render.line(clause)} ({kind})" for clause, kind in zip(plan.clauses, plan.types, strict=True)]
    return f"{fragments} ({why}), the best for each in turn: {'; '.join(clauses)}."


def express_doubt(reason: str | None) -> str:
    """What stands before hits that may not answer."""
    doubt = render.word_message(reason or "no confident answer")
    return f"{doubt[0].upper()}{doubt[1:]}. Closest matches:"


def _fragments(hits: Sequence[Hit], given: Asking, first: int = 1) -> str:
    if given.brief:
        return render.brief_fragments(hits, first=first)
    return render.fragments(hits, full=given.full, first=first)


def say_nothing(reason: str | None) -> str:
    """Why there are no fragments; nothing was found only where memory was asked."""
    if reason == REBUILDING:
        return "Not searched: the index is being rebuilt (rebuilding); ask again in a minute."
    message = render.word_message(reason or "nothing fits")
    return f"{'Not searched' if message in _UNASKED else 'Nothing found'}: {message}."


def render_retrieved(result: Retrieved, given: Retrieve) -> str:
    return "\n\n".join([_route(result), *_parts(result, given)])


def lead_retrieved(result: Retrieved, given: Retrieve) -> str | None:
    """The beginning of the words, where the rows say the rest: an outline is shorter than its rows were."""
    if not given.brief:
        return None
    if result.added.outline is not None:
        return f"{_route(result)}\n\n{_outlined(result.added.outline)}"
    return f"{_route(result)}\n\n{_lead(result.recall)}" if result.recall.hits else None


def _route(result: Retrieved) -> str:
    return f"Route: {result.mode}" + (f" ({render.line(result.why)})." if result.why else ".")


def _parts(result: Retrieved, given: Retrieve) -> Iterator[str]:
    recall, added = result.recall, result.added
    if added.outline is not None:
        yield _outlined(added.outline)
        if recall.hits:
            yield f"Fragments that it has no line of:\n\n{_fragments(recall.hits, given)}"
    elif recall.hits or not added.hits:
        yield headed(recall, given)
    if added.hits:
        what = "Documents like these" if result.mode == "discovery" else f"More by {result.mode} search"
        yield f"{what}:\n\n" + _fragments(added.hits, given, len(recall.hits) + 1)
    if result.documents:
        yield "By date, newest first:\n" + "\n".join(render.document_line(d.document) for d in result.documents)
    elif added.timed:
        yield "No document is from that time."
    if added.sessions:
        yield "Sessions, newest first:\n" + "\n".join(map(session_line, added.sessions))


def render_similar(result: Alike, given: Arguments) -> str:
    if not result.hits:
        return "No document is like it."
    return f"{render.plural(len(result.hits), 'document')} like it, nearest first.\n\n" + render.fragments(result.hits)


_UNASKED = frozenset({"the index can't be rebuilt", "the query has nothing to search for"})


_FILTERS = "query collection types tags paths sources since until as_of include limit min_score full compact candidates"

SEARCH = Operation(
    "search",
    "Search",
    "Find fragments.",
    Search,
    ref("Answer"),
    _search,
    empty=lambda given, why: Found(Recall(given.query, "none", reason=why)),
    words=render_found,
    tools=(
        Tool(
            "search",
            f"{_FILTERS} syntax",
            title="Search by words",
            described="Find fragments by exact words: names, identifiers, error texts, file names.",
            lead=lead_found,
            fixed={"mode": "keyword"},
            in_brief="query collection types since until limit syntax",
        ),
        Tool(
            "vsearch",
            _FILTERS,
            title="Search by meaning",
            described="Find fragments by meaning, in other words. For names and exact terms use search.",
            lead=lead_found,
            fixed={"mode": "semantic"},
        ),
        Tool(
            "query",
            f"{_FILTERS} intent diverse",
            title="Search by words and meaning",
            in_brief="query collection types tags since until as_of limit min_score full compact intent",
            described="Find fragments by words, meaning and dates together, with filters. The best single search.",
            lead=lead_found,
        ),
        Tool(
            "query_plan",
            "query collection types tags paths sources since until as_of include limit budget",
            title="Plan and search",
            described="For what one search can't answer: in what order, how it progressed, how many in all, a "
            "summary (an outline, a line for each turn or section, by time), or several questions and"
            " comparisons (each searched on its own).",
            fixed={"mode": "plan"},
        ),
        Tool(
            "intent_search",
            "query collection types tags paths sources since until as_of include limit full compact",
            title="Search along relations",
            described="For why, when and of whom: finds what answers, then what is related to it (causes, successors, "
            "links), and names the relations.",
            lead=lead_found,
            fixed={"mode": "intent"},
            in_brief="query collection types since until limit",
        ),
    ),
    routes=(
        Route(
            "POST",
            "/search",
            "query mode limit budget collections full compact session types tags paths sources since until as_of "
            "include min_score candidates intent diverse explain syntax",
        ),
    ),
)
RETRIEVE = Operation(
    "retrieve",
    "Ask the memory",
    "Ask a question; its wording picks what is added to hybrid search, or an outline by time.",
    Retrieve,
    ref("Retrieved"),
    _retrieve,
    empty=lambda given, why: Retrieved("hybrid", "", Recall(given.query, "none", reason=why)),
    words=render_retrieved,
    tools=(
        Tool(
            "memory_retrieve",
            "query mode limit collection compact full",
            takes=McpRetrieve,
            described="Ask before answering about past work, decisions, people, preferences, dates or problems: start "
            "here. Picks the kind of search from the wording and says which. Nothing found "
            "means: not in memory.",
            lead=lead_retrieved,
            always_load=True,
        ),
    ),
    routes=(Route("POST", "/retrieve", "query mode limit collections full compact session"),),
    command="query",
)
SIMILAR = Operation(
    "similar",
    "Find documents like one",
    "Find documents similar to a document.",
    Similar,
    obj({"results": listed(ref("Hit"))}, REMARKS),
    lambda call, given: Alike(call.vault.similar(given.reference, given.limit)),
    words=render_similar,
    tools=(Tool("find_similar"),),
    routes=(Route("GET", "/graph/similar/{docid}"),),
)
