"""Entities, facts and relations: typed, dated, weighted edges between documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from hearth.core.document import content_hash
from hearth.core.instants import show_date
from hearth.core.lazy import dataclass

EntityType = Literal["person", "organization", "project", "place", "tool", "concept", "other"]
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)


class NamedEntity(NamedTuple):
    """A name as it is written, and what it names there."""

    name: str
    type: EntityType = "other"


class NameSpelling(NamedTuple):
    """A spelling that documents hold, hidden ones too, as the name of something of a type; ``key`` is that of
    ``graph.entities.resolve``."""

    key: str
    name: str
    type: EntityType
    documents: int


PREDICATES = (
    "adopted", "migrated_to", "deployed_to", "runs_on", "replaced", "depends_on", "integrates_with", "uses", "prefers",
    "avoids", "caused_by", "resolved_by", "owned_by", "is",
)  # fmt: skip
SINGLE = frozenset({"deployed_to", "runs_on", "owned_by"})
"""A newer value of these ends the older one."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a line of a document says; ``confidence`` lies in [0, 1], ``subject_key`` and ``object_key`` are equal for
    spellings of one name. ``within_key`` is that of the one thing for which something was replaced, empty where it was
    for all. ``said_at`` is when it was said: where ``valid_from`` is the same, nobody said since when it holds."""

    subject: str
    predicate: str
    object: str
    subject_key: str
    object_key: str
    docid: str
    collection: str
    path: str
    line: int
    quote: str
    confidence: float
    valid_from: int | None = None
    valid_to: int | None = None
    within_key: str = ""
    said_at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        data = {"subject": self.subject, "predicate": self.predicate, "object": self.object}
        where = {"docid": self.docid, "collection": self.collection, "path": self.path, "line": self.line}
        since = {"valid_from": self.valid_from, "valid_to": self.valid_to}
        return data | since | {"confidence": round(self.confidence, 2), "quote": self.quote} | where

    @property
    def words(self) -> str:
        """As "larder uses PostgreSQL, from 2026-01-20 to 2026-03-01"."""
        since = "" if self.valid_from is None else f" from {show_date(self.valid_from)}"
        until = "" if self.valid_to is None else f" to {show_date(self.valid_to)}"
        return f"{self.subject} {self.predicate} {self.object}{',' if since or until else ''}{since}{until}"

    def holds(self, at: int) -> bool:
        """What nothing dates holds at any time."""
        return (self.valid_from is None or self.valid_from <= at) and (self.valid_to is None or at < self.valid_to)


Combination = Literal["greatest", "newest", "evidence"]
"""What several relations of one type between the same two come to: the one of the greatest weight, the latest one, or,
each being evidence of its own, the probability that one of them holds."""

LINKS = "links"
TEXT, TIME, SESSIONS, VECTORS, NAMES = "text", "time", "sessions", "vectors", "names"
"""Rules: what a text names, what is next of its project, hand-offs, nearest vectors, names in common."""
CAUSES = "causes"
"""What a sentence says to be the cause of what."""
DERIVED = {TEXT: "references", CAUSES: "causal", TIME: "temporal", SESSIONS: "follows", VECTORS: "semantic"}
"""Type of the relations that each rule derives and the index keeps."""
SPACE = "relations.space"
"""Under this is noted by the vectors of which space documents were compared."""
BACKGROUND = "relations.background"
"""What is noted of all documents together: as JSON, ``median`` is how alike any two of them are, ``least`` the weight
from which on two count as alike."""
SEMANTIC = 0.5
"""That weight, where nothing else is set."""
DAYS_HALF = 7
"""So many days make what is next to each other in time half as near."""
LINKED = 0.8
"""The weight of a link, or of a document's name in a text."""
FILE = "file"
FEEDBACK = "feedback"
STATED = frozenset({FILE, "person", "program", "capture", "judge", "import", "beads"})
"""Origins of what somebody said, in a file's frontmatter or in the journal; it goes before what was derived."""
UNRELATED = "unrelated"
"""The origin of what somebody took back: neither said nor derived does it hold any more."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """``words`` put it between the names of its two ends. ``statable``: people say so by ``relate``."""

    name: str
    words: str
    combination: Combination = "greatest"
    symmetric: bool = False
    statable: bool = True


_LIST = (
    RelationType("references", "links to"),
    RelationType("supersedes", "supersedes", "newest"),
    RelationType("succeeds", "takes the place of", "newest", statable=False),
    RelationType("contradicts", "contradicts", "newest", symmetric=True),
    RelationType("refines", "refines", "newest"),
    RelationType("same", "says the same as", "newest", symmetric=True),
    RelationType("summarises", "summarises"),
    RelationType("causal", "led to", "evidence"),
    RelationType("supporting", "supports"),
    RelationType("follows", "follows"),
    RelationType("temporal", "came before", "newest", statable=False),
    RelationType("semantic", "is about the same as", "newest", symmetric=True),
    RelationType("entity", "names the same as", "evidence", symmetric=True, statable=False),
    RelationType("usage", "was used with", symmetric=True, statable=False),
)
TYPES: Mapping[str, RelationType] = {one.name: one for one in _LIST}
NEARNESS = frozenset({"temporal", "semantic", "entity", "usage"})
"""What says, unless somebody stated it, that two documents are near each other, not that one bears on the other."""
BEARING = tuple(name for name in TYPES if name not in NEARNESS)
SYMMETRIC = frozenset(one.name for one in _LIST if one.symmetric)


def hash_fragment(text: str) -> str:
    """The same for a fragment's text however it is wrapped."""
    return content_hash(" ".join(text.split()).encode("utf-8", "surrogatepass"))[:12]


@dataclass(frozen=True, slots=True)
class EvidencePlace:
    """Lines of a document that say so, 1-based and inclusive; 0 and 0 for all of it. ``hash`` is the ``hash_fragment``
    of the fragment that they are from, empty where nobody noted it."""

    docid: str
    start: int = 0
    end: int = 0
    hash: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"docid": self.docid, "start_line": self.start, "end_line": self.end}


class DocumentRelation(NamedTuple):
    """From the document ``source`` to ``target`` (docids), of ``type`` in ``TYPES``; ``weight`` in [0, 1]. ``at`` is
    its date and ``until`` when it ceased to hold, ms UTC. ``origin`` is who says so: one of ``STATED``, else the rule
    that derived it."""

    source: str
    type: str
    target: str
    weight: float = 1.0
    at: int | None = None
    until: int | None = None
    origin: str = LINKS
    evidence: tuple[EvidencePlace, ...] = ()

    @property
    def stated(self) -> bool:
        return self.origin in STATED

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for all that combine: of a symmetric type whichever end comes first."""
        one, other = self.source, self.target
        if other < one and self.type in SYMMETRIC:
            one, other = other, one
        return self.type, one, other

    def other(self, docid: str) -> str:
        """The end that is not this document."""
        return self.source if docid == self.target else self.target

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "type": self.type,
            "target": self.target,
            "weight": round(self.weight, 4),
            "at": self.at,
            "until": self.until,
            "origin": self.origin,
            "evidence": [one.to_dict() for one in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class NoteSource:
    """A document as it is shown: ``text`` is what people say in it, ``day`` is YYYY-MM-DD or empty."""

    docid: str
    title: str
    day: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteLink:
    """From ``source`` to ``target`` (docids), of ``type`` semantic, supporting or contradicts. ``quotes`` are words of
    either; ``tags`` and ``context`` say anew what the neighbour is about, where the model does."""

    neighbour: str
    type: str
    source: str
    target: str
    weight: float
    quotes: tuple[str, str]
    tags: tuple[str, ...] = ()
    context: str = ""


LEAST_KEYWORDS, MOST_KEYWORDS = 3, 7
CONTEXT_CHARS = 240


@dataclass(frozen=True, slots=True)
class ReadNote:
    """``by`` is who says so: the model and its prompt. ``context`` is empty where what it said does not hold."""

    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: str
    links: tuple[NoteLink, ...]
    by: str


@dataclass(frozen=True, slots=True)
class PathStep:
    """One relation, in its own direction: ``source`` and ``target`` are docids, the places ``collection/path``."""

    source: str
    type: str
    target: str
    source_place: str
    target_place: str
    weight: float

    @property
    def words(self) -> str:
        return f"{self.source_place} {TYPES[self.type].words} {self.target_place}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "type": self.type,
            "target": self.target,
            "source_path": self.source_place,
            "target_path": self.target_place,
            "weight": round(self.weight, 4),
        }


QuestionClass = Literal["why", "when", "entity", "what"]


@dataclass(frozen=True, slots=True)
class ClassChoice:
    """``why`` is the wording that decided, or who did; empty where nothing spoke."""

    asked: QuestionClass
    why: str = ""
