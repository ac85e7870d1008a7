"""What an extractor found in a piece of a session, whichever extractor it was."""

from __future__ import annotations

from dataclasses import asdict, field
from enum import StrEnum
from typing import Any, Literal

from hearth.core.graph import EntityType
from hearth.core.lazy import dataclass

MAX_MEMORIES = 12
MAX_ENTITIES = 6
MAX_QUESTIONS = 3
MAX_PROFILE = 4
"""Of one piece."""
MAX_OBSERVATIONS = 5
MAX_FACTS = 5
MAX_TRIPLES = 5
"""Of one observation."""
MAX_TITLE = 80
MAX_STATEMENT = 500
MAX_QUOTE = 400
MAX_TAGS = 8
"""Characters, and tags of a memory."""

PREDICATES = (
    "adopted", "migrated_to", "deployed_to", "runs_on", "replaced", "depends_on", "integrates_with", "uses",
    "prefers", "avoids", "caused_by", "resolved_by", "owned_by",
)  # fmt: skip
CONCEPTS = (
    "how-it-works", "why-it-exists", "what-changed", "problem-solution", "gotcha", "pattern", "trade-off",
)  # fmt: skip
ObservationKind = Literal[
    "decision", "bugfix", "feature", "refactor", "discovery", "change", "preference", "milestone", "problem"
]
Owner = Literal["user", "agent", "other"]


class Category(StrEnum):
    """What a memory is; each is the content type of the same name. In the order of what weighs most."""

    CORRECTION = "correction"
    PRINCIPLE = "principle"
    PREFERENCE = "preference"
    COMMITMENT = "commitment"
    DECISION = "decision"
    PROBLEM = "problem"
    ANTIPATTERN = "antipattern"
    MILESTONE = "milestone"
    RELATIONSHIP = "relationship"
    ENTITY = "entity"
    MOMENT = "moment"
    SKILL = "skill"
    FACT = "fact"


class Tier(StrEnum):
    """How a statement is known; each has the least confidence that it stands for."""

    EXPLICIT = "explicit"
    IMPLIED = "implied"
    INFERRED = "inferred"
    SPECULATIVE = "speculative"

    @property
    def least(self) -> float:
        return _LEAST[self]

    @classmethod
    def of(cls, confidence: float) -> Tier:
        """The highest tier whose least confidence is reached."""
        return next(tier for tier in cls if confidence >= tier.least)


_LEAST = {Tier.EXPLICIT: 0.95, Tier.IMPLIED: 0.70, Tier.INFERRED: 0.40, Tier.SPECULATIVE: 0.0}


class Source(StrEnum):
    """Whose words a quote is: the person's, the assistant's, or what the host recorded of an answer or a call."""

    PERSON = "person"
    ASSISTANT = "assistant"
    HOST = "host"


class Level(StrEnum):
    """How much a memory matters; each has the least score that it stands for."""

    CRITICAL = "critical"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"
    TRIVIAL = "trivial"


_LEVELS = (0.9, Level.CRITICAL), (0.7, Level.HIGH), (0.4, Level.NORMAL), (0.2, Level.LOW)


@dataclass(frozen=True, slots=True)
class Importance:
    """``score`` in [0, 1]; at most five ``reasons`` and ``keywords``."""

    score: float = 0.5
    reasons: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        return next((level for least, level in _LEVELS if self.score >= least), Level.TRIVIAL)


@dataclass(frozen=True, slots=True)
class Evidence:
    """``turn`` is the ordinal of the turn in which ``quote`` occurs, white space and case aside."""

    turn: int
    quote: str
    source: Source = Source.PERSON


@dataclass(frozen=True, slots=True)
class ExtractedMemory:
    """``text`` stands alone unless ``standalone`` is false: then it is a quote with its context. ``due_at`` is ms UTC,
    ``owner`` who owes a commitment; ``reason`` says which layer or cue found it."""

    category: Category
    text: str
    confidence: float
    evidence: Evidence
    tags: tuple[str, ...] = ()
    subject: str | None = None
    attribute: str | None = None
    due_at: int | None = None
    owner: Owner | None = None
    standalone: bool = True
    importance: Importance = field(default_factory=Importance)
    reason: str = ""

    @property
    def tier(self) -> Tier:
        return Tier.of(self.confidence)


@dataclass(frozen=True, slots=True)
class Triple:
    """``predicate`` is one of ``PREDICATES``."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Observation:
    """Something that a coding session showed. ``facts`` are one to five statements, ``concepts`` of ``CONCEPTS``."""

    kind: ObservationKind
    title: str
    facts: tuple[str, ...]
    evidence: Evidence
    narrative: str = ""
    concepts: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    confidence: float = 0.8


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """``name`` as it is written, ``facts`` what the piece says of it."""

    name: str
    kind: EntityType
    facts: tuple[str, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """``priority`` in [0, 1]."""

    question: str
    evidence: Evidence
    context: str = ""
    priority: float = 0.5


@dataclass(frozen=True, slots=True)
class Statement:
    """Something about the person, for their profile."""

    text: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Handoff:
    """What the next session has to know; what is empty is not there."""

    request: str = ""
    state: str = ""
    done: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Handoff()


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that an extractor found and that is not kept, and why."""

    kind: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """``path`` is ``rules`` or names the model, ``version`` the rules' or the prompt's."""

    memories: tuple[ExtractedMemory, ...] = ()
    observations: tuple[Observation, ...] = ()
    handoff: Handoff = field(default_factory=Handoff)
    entities: tuple[ExtractedEntity, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    profile: tuple[Statement, ...] = ()
    reflection: str = ""
    path: str = "rules"
    version: str = ""
    dropped: tuple[Dropped, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        data = asdict(self)
        for memory, row in zip(self.memories, data["memories"], strict=True):
            row["tier"] = memory.tier
            row["importance"]["level"] = memory.importance.level
        return data
