"""What of an extraction may be kept: items whose quote was really said, within the limits of a piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol, TypeVar

from hearth.core.action import Outcome, Step
from hearth.core.extraction import (
    MAX_ENTITIES,
    MAX_MEMORIES,
    MAX_OBSERVATIONS,
    MAX_PROFILE,
    MAX_QUESTIONS,
    MAX_STATEMENT,
    Dropped,
    Evidence,
    ExtractedMemory,
    Extraction,
    Level,
    Source,
    Tier,
)
from hearth.core.lazy import dataclass
from hearth.core.transcript import Turn

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

    def kept(kind: str, items: Sequence[_Item], text: Callable[[_Item], str], most: int) -> tuple[_Item, ...]:
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
    memories = kept("memory", _first(weighty), lambda item: item.text, MAX_MEMORIES)
    observations = kept("observation", extraction.observations, lambda item: item.title, MAX_OBSERVATIONS)
    entities = kept("entity", extraction.entities, lambda item: item.name, MAX_ENTITIES)
    questions = kept("question", extraction.questions, lambda item: item.question, MAX_QUESTIONS)
    profile = kept("profile", extraction.profile, lambda item: item.text, MAX_PROFILE)
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
