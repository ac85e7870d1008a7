"""What an extraction wants remembered: memories, what a coding session showed, facts about people and things, what
lasts of the person, and questions that were left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hearth.core.admission import plain
from hearth.core.extraction import Category, Evidence, Extraction, Observation, Statement, Tier
from hearth.core.memory import NewMemory, Origin
from hearth.memory.history.validity import QUESTION

_MOST_FILES = 10
_PROFILE = 0.80


_SURE = ("record:", "mark:")
"""What a host recorded, and what the person marked as lasting."""
_REMEMBERED = "mark:remember"
"""What the person asked to be remembered."""


def is_pending(reason: str, approve: str) -> bool:
    """Whether a memory that was found for a ``reason`` waits for approval, by the setting ``capture.approve``."""
    if approve == "off":
        return False
    return not reason.startswith(_SURE if approve == "inferred" else _REMEMBERED)


def wishes(found: Extraction, approve: str = "off") -> Iterator[tuple[Evidence, NewMemory]]:
    """In the order in which they weigh, each with what it rests on. Questions wait for nobody: they state nothing."""
    inferred = is_pending("", approve)
    # Rules take observations from commits and test runs alone.
    observed = is_pending("record:work" if found.path == "rules" else "", approve)
    for memory in found.memories:
        origin = Origin("", tier=memory.tier.value, importance=round(memory.importance.score, 2))
        yield (
            memory.evidence,
            NewMemory(
                memory.text,
                memory.category.value,
                tags=memory.tags,
                subject=memory.subject,
                confidence=memory.confidence,
                origin=origin,
                due_at=memory.due_at,
                owner=memory.owner,
                pending=is_pending(memory.reason, approve),
            ),
        )
    for observation in found.observations:
        tags = (observation.kind, *observation.concepts)
        yield (
            observation.evidence,
            NewMemory(
                _tell(observation),
                "observation",
                observation.title,
                tags,
                confidence=observation.confidence,
                pending=observed,
            ),
        )
    for entity in found.entities:
        for fact in entity.facts:
            yield entity.evidence, NewMemory(fact, "entity", subject=entity.name, tags=(entity.kind,), pending=inferred)
    for lasting in _lasting(found):
        # No one said how sure it is, and a profile takes what was at least implied.
        origin = Origin("", tier=Tier.IMPLIED.value)
        yield (
            lasting.evidence,
            NewMemory(lasting.text, Category.FACT.value, confidence=_PROFILE, origin=origin, pending=inferred),
        )
    for one in found.questions:
        yield one.evidence, NewMemory(one.question, QUESTION)


def _lasting(found: Extraction) -> Iterator[Statement]:
    """The statements about the person that rest on other words than the memories: of the same words one is enough."""
    taken = [(memory.evidence.turn, plain(memory.evidence.quote)) for memory in found.memories]
    for one in found.profile:
        turn, quote = one.evidence.turn, plain(one.evidence.quote)
        if not any(turn == at and (quote in said or said in quote) for at, said in taken):
            taken.append((turn, quote))
            yield one


def _tell(observation: Observation) -> str:
    facts = "\n".join(f"- {fact}" for fact in observation.facts)
    triples = "\n".join(f"- {one.subject} {one.predicate} {one.object}" for one in observation.triples)
    files = (("Changed", observation.files_modified), ("Read", observation.files_read))
    named = "\n".join(f"{what}: {_names(paths)}" for what, paths in files if paths)
    return "\n\n".join(filter(None, (facts, observation.narrative, triples, named)))


def _names(paths: Sequence[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:_MOST_FILES])
    return shown if len(paths) <= _MOST_FILES else f"{shown} and {len(paths) - _MOST_FILES} more"
