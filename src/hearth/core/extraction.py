"""What is extracted from a session, and what of it may be kept: items whose quote was really said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, field, replace
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeVar

from hearth.core.graph import EntityType
from hearth.core.hook import Outcome, Step
from hearth.core.lazy import dataclass
from hearth.core.transcript import Turn

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
REMEMBERED = "mark:remember"
"""How the reason begins of what the person asked to be remembered."""


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


_SHOWN = 80


class _Quoted(Protocol):
    @property
    def evidence(self) -> Evidence: ...


_Item = TypeVar("_Item", bound=_Quoted)


def plain(text: str) -> str:
    """The form in which a quote is looked for: case folded, white space collapsed."""
    return " ".join(text.casefold().split())


def spoken(turn: Turn, source: Source) -> tuple[str, ...]:
    """What that source said in the turn."""
    if source is Source.PERSON:
        words = (step.outcome.words for step in turn.steps if step.outcome is not None)
        return (*(prompt.text for prompt in turn.prompts), *filter(None, words))
    if source is Source.ASSISTANT:
        return turn.replies
    return tuple(text for step in turn.steps for text in _record(step))


def admitted(
    extraction: Extraction,
    turns: Iterable[Turn],
    said: Callable[[Turn, Source], tuple[str, ...]] = spoken,
) -> Extraction:
    """The extraction without what nobody said, what is trivial and what goes beyond the limits; ``dropped`` tells of
    each. What only the assistant said is at most implied. Kept items stay in their order.

    ``said`` gives the texts of a source in which a quote may stand: of a person, those in their own words.
    """
    quotes = _Quotes({turn.ordinal: turn for turn in turns}, said)
    dropped = list(extraction.dropped)

    def keep_items(kind: str, items: Sequence[_Item], text: Callable[[_Item], str], most: int) -> tuple[_Item, ...]:
        found: list[_Item] = []
        for item in items:
            reason = _fault(text(item)) or quotes.fault(item.evidence)
            if reason is None and len(found) >= most:
                reason = f"over {most} in one batch"
            if reason is None:
                found.append(item)
            else:
                dropped.append(Dropped(kind, text(item)[:_SHOWN], reason))
        return tuple(found)

    weighty = _weighty(extraction.memories, dropped)
    memories = keep_items("memory", _first(weighty), lambda item: item.text, MAX_MEMORIES)
    observations = keep_items("observation", extraction.observations, lambda item: item.title, MAX_OBSERVATIONS)
    entities = keep_items("entity", extraction.entities, lambda item: item.name, MAX_ENTITIES)
    questions = keep_items("question", extraction.questions, lambda item: item.question, MAX_QUESTIONS)
    profile = keep_items("profile", extraction.profile, lambda item: item.text, MAX_PROFILE)
    chosen = set(memories)
    return replace(
        extraction,
        memories=tuple(_cap(memory) for memory in weighty if memory in chosen),
        observations=observations,
        entities=entities,
        questions=questions,
        profile=profile,
        dropped=tuple(dropped),
    )


@dataclass(slots=True)
class _Quotes:
    """Looks quotes up; a turn's text is put into its plain form once."""

    turns: Mapping[int, Turn]
    said: Callable[[Turn, Source], tuple[str, ...]] = spoken
    plain: dict[tuple[int, Source], str] = field(default_factory=dict)

    def fault(self, evidence: Evidence) -> str | None:
        turn = self.turns.get(evidence.turn)
        if turn is None:
            return f"turn {evidence.turn} is not in this batch"
        key = evidence.turn, evidence.source
        if key not in self.plain:
            self.plain[key] = "\n".join(map(plain, self.said(turn, evidence.source)))
        wanted = plain(evidence.quote)
        return None if wanted and wanted in self.plain[key] else "its quote does not occur in its turn"


def _fault(text: str) -> str | None:
    if not text.strip():
        return "it says nothing"
    return f"longer than {MAX_STATEMENT} characters" if len(text) > MAX_STATEMENT else None


def _weighty(memories: Iterable[ExtractedMemory], dropped: list[Dropped]) -> list[ExtractedMemory]:
    found = []
    for memory in memories:
        if memory.importance.level is Level.TRIVIAL:
            dropped.append(Dropped("memory", memory.text[:_SHOWN], "it is trivial"))
        else:
            found.append(memory)
    return found


def _first(memories: Iterable[ExtractedMemory]) -> list[ExtractedMemory]:
    """The most certain and important ones first."""
    return sorted(memories, key=lambda memory: (-memory.confidence, -memory.importance.score))


def _cap(memory: ExtractedMemory) -> ExtractedMemory:
    if memory.evidence.source is not Source.ASSISTANT or memory.tier is not Tier.EXPLICIT:
        return memory
    return replace(memory, confidence=(Tier.EXPLICIT.least + Tier.IMPLIED.least) / 2)


def _record(step: Step) -> Iterable[str]:
    """What the host wrote down of a call: not what a tool printed."""
    action, outcome = step.action, step.outcome or Outcome()
    if action is not None:
        yield action.text
        yield from (choice.question for choice in action.choices)
        yield from (todo.text for todo in action.todos)
    for question, answer in outcome.answers:
        yield from (question, answer)
    yield outcome.plan
    yield from step.files
