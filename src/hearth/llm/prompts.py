"""What language models are asked, and how they have to answer: prompts, a file each with a version, and schemas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from hearth.core.extraction import Category
from hearth.core.graph import EntityType, QuestionClass
from hearth.core.judgement import Relation
from hearth.core.lazy import dataclass, regex

if TYPE_CHECKING:
    from hearth.ports import Llm

_HEAD = regex(r"\A---\nversion: (\d+)\n---\n")
_SLOT = regex(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """``version`` changes with the words: it is part of the label of whatever a model said to it. ``text`` holds slots
    (``{{name}}``)."""

    name: str
    version: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"

    def filled(self, values: Mapping[str, str]) -> str:
        """In one pass: what stands in a value is text, also where it looks like a slot. Raises ``KeyError`` for a slot
        without a value."""
        return _SLOT.sub(lambda slot: values[slot[1]], self.text)


@cache
def load(name: str) -> Prompt:
    """The prompt of that name. Raises ``ValueError`` for a file without a version."""
    text = files("hearth.llm").joinpath("data", f"{name}.md").read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"the prompt {name} says no version")
    return Prompt(name, head[1], text[head.end() :].strip())


@dataclass(frozen=True, slots=True)
class LlmTask:
    """What a language model is asked to do. ``clean`` takes secrets and whatever acts as a delimiter out of a text,
    before the model sees it or a quote is looked for in it; ``suspicious`` tells texts that give orders, which it is
    not shown."""

    llm: Llm
    clean: Callable[[str], str]
    suspicious: Callable[[str], bool]


Certainty = Literal["explicit", "implied", "inferred", "speculative"]


def _lower(value: Any) -> Any:
    """Small models write names as they like."""
    return value.strip().lower() if isinstance(value, str) else value


def _list_of(value: Any) -> Any:
    return [] if value is None else value


_CategoryName = Annotated[Category, BeforeValidator(_lower)]
_CertaintyName = Annotated[Certainty, BeforeValidator(_lower)]
_KindName = Annotated[EntityType, BeforeValidator(_lower)]
_ClassName = Annotated[QuestionClass, BeforeValidator(_lower)]
_LinkName = Annotated[Literal["semantic", "supports", "supported", "contradicts"], BeforeValidator(_lower)]
_PlanName = Annotated[Literal["outline", "parts", "single"], BeforeValidator(_lower)]
_RelationName = Annotated[Relation, BeforeValidator(_lower)]
_Current = Annotated[Literal["older", "newer", "both"], BeforeValidator(_lower)]
_Texts = Annotated[list[str], BeforeValidator(_list_of)]


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


class MemoryReply(_Reply):
    category: _CategoryName
    text: str
    turn: int
    quote: str
    certainty: _CertaintyName
    subject: str | None = None
    attribute: str | None = None
    due: str | None = None
    tags: _Texts = []


class EntityReply(_Reply):
    name: str
    kind: _KindName
    facts: _Texts
    turn: int
    quote: str


class StatementReply(_Reply):
    text: str
    turn: int
    quote: str


class BatchReply(_Reply):
    memories: list[MemoryReply]
    entities: Annotated[list[EntityReply], BeforeValidator(_list_of)] = []
    questions: Annotated[list[StatementReply], BeforeValidator(_list_of)] = []
    profile: Annotated[list[StatementReply], BeforeValidator(_list_of)] = []


class HandoffReply(_Reply):
    request: str
    state: str
    done: _Texts = []
    decisions: _Texts = []
    learned: _Texts = []
    questions: _Texts = []
    next: _Texts = []


class NightReply(_Reply):
    diary: str


class TitleReply(_Reply):
    title: str


class CompactionReply(_Reply):
    goal: _Texts = []
    constraints: _Texts = []
    decisions: _Texts = []
    done: _Texts = []
    in_progress: _Texts = []
    open: _Texts = []
    next: _Texts = []


class CitedSentence(_Reply):
    text: str
    sources: Annotated[list[int], BeforeValidator(_list_of)] = []


class CitedReply(_Reply):
    sentences: Annotated[list[CitedSentence], BeforeValidator(_list_of)] = []


class ShortText(_Reply):
    n: int
    text: str


class ThemeName(_Reply):
    n: int
    name: str


class EditReply(_Reply):
    statements: Annotated[list[ShortText], BeforeValidator(_list_of)]
    themes: Annotated[list[ThemeName], BeforeValidator(_list_of)] = []


class PairReply(_Reply):
    number: int
    relation: _RelationName
    current: _Current = "both"
    confidence: float
    older_quote: str = ""
    newer_quote: str = ""
    reason: str = ""


class CauseReply(_Reply):
    cause: int
    effect: int
    confidence: float
    cause_quote: str = ""
    effect_quote: str = ""


class CausesReply(_Reply):
    pairs: Annotated[list[CauseReply], BeforeValidator(_list_of)] = []


class LinkReply(_Reply):
    number: int
    relation: _LinkName
    confidence: float
    quote: str = ""
    other_quote: str = ""
    tags: _Texts = []
    context: str = ""


class NoteReply(_Reply):
    keywords: _Texts
    tags: _Texts = []
    context: str = ""
    links: Annotated[list[LinkReply], BeforeValidator(_list_of)] = []


class PairsReply(_Reply):
    verdicts: Annotated[list[PairReply], BeforeValidator(_list_of)]


class ClassReply(_Reply):
    asks: _ClassName


class PlanReply(_Reply):
    kind: _PlanName
    clauses: _Texts = []


class RewordingReply(_Reply):
    words: Annotated[list[str], BeforeValidator(_list_of)] = []
    meanings: Annotated[list[str], BeforeValidator(_list_of)] = []
    passage: str = ""
