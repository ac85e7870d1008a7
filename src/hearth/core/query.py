"""A question, its options and its answer, the same objects for every surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypedDict

from hearth.core.document import MINE, is_foreign, name_voice
from hearth.core.graph import ClassChoice, PathStep
from hearth.core.judgement import CURRENT, Validity
from hearth.core.lazy import dataclass
from hearth.core.memory import Origin

MAX_QUERY_CHARS = 10_000
MAX_QUERY_TERMS = 64
MAX_RESULTS = 100
DEFAULT_LIMIT = 10
"""Results where nobody says how many. Who asks for more gets them, however weak they are."""


SOURCES = ("memory", "notes", "conversations")
"""What was remembered, what people wrote, and what sessions said."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a prompt stands in, for a search that nobody asked for.

    Memories of projects other than ``project`` stay out unless ``other_projects``. The words of ``earlier`` prompts
    count a little. Fragments ``shown`` before, as (docid, first line, last line), come again only as the clear best. A
    prompt that ``asks`` for memory may be as short as it likes. The collections that are ``here`` belong to where it
    is typed; where none are said, all do. ``named``: of the others only what it names is looked for. What we noted
    about ``session`` itself, by its key, stays out: it knows that. Where others listen (``shared``), what is private
    stays out; ``readable`` are the collections that may be seen there, all where none are said.
    """

    project: str | None = None
    other_projects: bool = False
    earlier: tuple[str, ...] = ()
    shown: tuple[tuple[str, int, int], ...] = ()
    asks: bool = False
    named: bool = False
    here: tuple[str, ...] | None = None
    session: str | None = None
    shared: bool = False
    readable: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """``at``, ``since`` and ``until`` are milliseconds UTC; ``zone`` is an IANA name that interprets words and dates.

    ``budget_tokens`` packs the answer into a context of that size; ``min_score`` is a calibrated score in [0, 1],
    without which what is weak beside the best is left out.
    ``include`` also finds what is ``superseded``, ``archived``, ``invalidated`` or ``expired`` (who asks finds what is
    ``pending`` anyway); ``include_hidden`` whatever is hidden; ``as_of`` (ms UTC) what was true then, superseded or
    not, and nothing later; ``sources``, of ``SOURCES``, leave out what is of none of them. ``deadline_ms`` is the time
    for the whole answer: a model that takes more than its share of it is left out. ``conversation`` is for the recipes
    of hooks.
    ``asked`` is what a question asks for where its wording does not say, ``project`` the one in which it is asked: of
    what answers as well, statements of that project stand first.
    Every character of the text is text, unless ``syntax`` is set: then it may hold operators.
    """

    text: str
    at: int
    zone: str = "UTC"
    vault: str = "default"
    collections: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    limit: int = DEFAULT_LIMIT
    budget_tokens: int | None = None
    intent: str | None = None
    recipe: str = "hybrid"
    sources: tuple[str, ...] = ()
    include_hidden: bool = False
    include: tuple[str, ...] = ()
    as_of: int | None = None
    min_score: float | None = None
    diverse: bool = True
    candidates: int = 30
    explain: bool = False
    deadline_ms: int | None = None
    conversation: Conversation | None = None
    syntax: bool = False
    asked: ClassChoice | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Rewording:
    """Other ways to look a question up: lists of ``words``, questions that ask the same, a ``passage`` that may
    answer."""

    words: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    passage: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"words": list(self.words), "meanings": list(self.meanings), "passage": self.passage}


@dataclass(frozen=True, slots=True)
class LaneScore:
    """One lane's opinion: its raw measure (BM25, cosine, …) and the calibrated score in [0, 1]."""

    lane: str
    raw: float
    score: float


@dataclass(frozen=True, slots=True)
class Move:
    """A stage that changed a score: ``before`` and ``after`` are calibrated scores, ``why`` is for people."""

    stage: str
    before: float
    after: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a hit came to its score: the lanes, their mix, and the stages that moved it."""

    lanes: tuple[LaneScore, ...] = ()
    fused: float = 0.0
    moves: tuple[Move, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "lanes": [{"lane": s.lane, "raw": round(s.raw, 4), "score": round(s.score, 4)} for s in self.lanes],
            "fused": round(self.fused, 4),
            "stages": [
                {"stage": m.stage, "before": round(m.before, 4), "after": round(m.after, 4), "why": m.why}
                for m in self.moves
            ],
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """A fragment that answers: where it stands, what it says, how sure we are. The ``snippet`` is cut from the lines
    ``shown``, first and last; without them from all; ``lead`` is the line among them that says most, with its number,
    from its best sentence on. ``context`` is what the collection's
    settings say of its folder; ``validity`` whether the document still holds; ``chain`` the way along relations from
    another answer, where one leads here."""

    docid: str
    collection: str
    path: str
    start_line: int
    end_line: int
    title: str
    score: float
    content_type: str
    modified_at: int
    authored_at: int | None
    fragment: str
    snippet: str
    text: str
    headings: tuple[str, ...] = ()
    trust: str = MINE
    author: str = ""
    speaker: str = ""
    tier: str = "hot"
    also_in: tuple[str, ...] = ()
    context: str | None = None
    validity: Validity = CURRENT
    explain: Explanation | None = None
    shown: tuple[int, int] | None = None
    lead: tuple[int, str] | None = None
    chain: tuple[PathStep, ...] = ()

    @property
    def hidden(self) -> tuple[str, ...]:
        """Why only a search that includes such documents finds it."""
        return self.validity.hidden

    def cited(self, *, full: bool) -> tuple[int, int]:
        """The first and the last of the lines that are shown: of the fragment where it is shown in ``full``, else of
        its snippet."""
        return (self.start_line, self.end_line) if full or self.shown is None else self.shown

    @property
    def voice(self) -> str:
        """Whose words it is, for a heading; nothing of the person's own."""
        return self.speaker or name_voice(self.trust, self.author)

    def briefly(self) -> tuple[int, str]:
        """The line that says most, with its number, and what follows it; of the snippet where none is known."""
        return (self.cited(full=False)[0], self.snippet) if self.lead is None else self.lead

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        """The JSON that CLI, MCP and REST share; ``full`` adds the whole text."""
        first, last = self.cited(full=full)
        row: dict[str, Any] = {
            "docid": self.docid,
            "collection": self.collection,
            "path": self.path,
            "start_line": first,
            "end_line": last,
            "title": self.title,
            "score": round(self.score, 4),
            "content_type": self.content_type,
            "authored_at": self.authored_at,
            "modified_at": self.modified_at,
            "fragment": self.fragment,
            "snippet": self.snippet,
        }
        if self.validity.says_more:
            row.update(self.validity.to_dict())
        else:
            facts = {"status": self.validity.status, "cited": self.validity.cited}
            row.update({name: value for name, value in facts.items() if value})
        if is_foreign(self.trust):
            row["trust"] = self.trust
            row |= {"author": self.author} if self.author else {}
        if self.also_in:
            row["also_in"] = list(self.also_in)
        if full:
            row["text"] = self.text
            row["headings"] = list(self.headings)
            row["trust"] = self.trust
            row["context"] = self.context
        if self.chain:
            row["chain"] = [step.to_dict() for step in self.chain]
        if self.explain is not None:
            row["explain"] = self.explain.to_dict()
        return row


ClauseType = Literal["keyword", "hybrid", "graph"]
"""By exact words, by words and meaning together, or along relations from what answers."""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """How a question is answered: by an ``outline`` whose hits are lines by time, in ``parts`` by its clauses, or as a
    ``single`` search; ``why`` is the wording that decided, ``types`` how each clause is looked up."""

    kind: Literal["outline", "parts", "single"]
    why: str = ""
    clauses: tuple[str, ...] = ()
    types: tuple[ClauseType, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {"kind": self.kind, "why": self.why or None, "clauses": list(self.clauses)}
        return row | ({"types": list(self.types)} if self.types else {})


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer: hits, best first; ``missing`` names lanes that could not answer. ``confidence``, 0 to 1, is how sure
    it is that the best of them answer; where it is not ``confident`` they are the best there is, perhaps no answer;
    ``reason`` says why, or why there are none. The recipe ``plan`` says its ``plan``, ``intent`` the class of
    the question (``asked``)."""

    query: str
    recipe: str
    hits: tuple[Hit, ...] = ()
    took_ms: float = 0.0
    missing: tuple[str, ...] = ()
    reason: str | None = None
    confident: bool = False
    confidence: float = 0.0
    tokens: int = 0
    plan: QueryPlan | None = None
    asked: ClassChoice | None = None
    trace: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        return {
            "query": self.query,
            "recipe": self.recipe,
            "took_ms": round(self.took_ms, 2),
            "missing": list(self.missing),
            "reason": self.reason,
            "confident": self.confident,
            "confidence": round(self.confidence, 3),
            "results": [hit.to_dict(full=full) for hit in self.hits],
            **({} if self.plan is None else {"plan": self.plan.to_dict()}),
            **({} if self.asked is None else {"class": {"asked": self.asked.asked, "why": self.asked.why or None}}),
            **({"trace": dict(self.trace)} if self.trace else {}),
        }


class QueryOptions(TypedDict, total=False):
    """As the fields of ``Query``."""

    at: int
    zone: str
    collections: tuple[str, ...]
    types: tuple[str, ...]
    since: int | None
    until: int | None
    limit: int
    budget_tokens: int | None
    intent: str | None
    recipe: str
    sources: tuple[str, ...]
    include_hidden: bool
    include: tuple[str, ...]
    as_of: int | None
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    syntax: bool
    min_score: float | None
    diverse: bool
    candidates: int
    explain: bool
    deadline_ms: int | None
    conversation: Conversation | None
    asked: ClassChoice | None
    project: str | None


class MemoryOptions(TypedDict, total=False):
    """As the fields of ``NewMemory``."""

    title: str | None
    tags: tuple[str, ...]
    project: str | None
    subject: str | None
    session: str | None
    scope: str | None
    trust: str
    created_by: str
    confidence: float | None
    supersedes: tuple[str, ...]
    origin: Origin | None
    said_at: int | None
    due_at: int | None
    owner: str | None
    valid_from: int | None
    key: str | None
    pending: bool


class RemarkOptions(TypedDict, total=False):
    """Why something is changed, and by whom: ``human`` for a person at a terminal, else a program's name."""

    reason: str | None
    actor: str
