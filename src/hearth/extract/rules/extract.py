"""Turns to what is worth keeping of them, by rules alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo

from hearth.extract.rules.importance import importance
from hearth.extract.rules.privacy import find_words
from hearth.extract.rules.records import observations, records
from hearth.extract.rules.solutions import find_solutions
from hearth.extract.rules.spoken import spoken
from hearth.extract.rules.trials import trials
from hearth.extract.session.handoff import hand_off
from hearth.extract.signals import open_questions
from hearth.model.capture.admission import admitted
from hearth.model.capture.extraction import (
    Category,
    Evidence,
    ExtractedMemory,
    Extraction,
    Handoff,
    OpenQuestion,
    Source,
    Statement,
    Tier,
)
from hearth.model.host.transcript import Turn
from hearth.text.similarity import normalised

VERSION = "12"
"""Of the rules: part of a memory's key, raised when the same turns give other items."""


def extract(turns: Sequence[Turn], since: int = 0, *, zone: tzinfo = UTC) -> Extraction:
    """What the turns after the ordinal ``since`` say; those up to it are context: proposals taken up, tests that had
    failed. Every item's quote occurs in its turn, and all limits hold. There is a hand-off only where no turn
    is context: it tells of a session, not of a piece. ``zone`` is where the person's days begin.
    """
    mended = trials(turns)
    memories = _weigh([*records(turns, mended, since), *find_solutions(turns, since), *spoken(turns, since, zone)])
    found = Extraction(
        memories=tuple(memories),
        observations=tuple(observations(turns, mended, since)),
        handoff=Handoff() if since else hand_off(turns, memories, mended),
        questions=tuple(_questions(turns, since)),
        profile=tuple(Statement(memory.text, memory.evidence) for memory in memories if _is_of_person(memory)),
        path="rules",
        version=VERSION,
    )
    return admitted(found, turns, find_words)


def _weigh(memories: Iterable[ExtractedMemory]) -> list[ExtractedMemory]:
    """Each statement and each quote once, what the host recorded before what was said, in the order of turns."""
    kept: dict[tuple[int, str], ExtractedMemory] = {}
    said: set[str] = set()
    for memory in memories:
        key = memory.evidence.turn, normalised(memory.evidence.quote)
        if key in kept or normalised(memory.text) in said:
            continue
        said.add(normalised(memory.text))
        kept[key] = replace(memory, importance=importance(memory.text, memory.category, memory.tags))
    return sorted(kept.values(), key=lambda memory: memory.evidence.turn)


def _questions(turns: Sequence[Turn], since: int) -> list[OpenQuestion]:
    """What the assistant asked last, as long as nobody has answered."""
    if not turns or turns[-1].ordinal <= since:
        return []
    last = turns[-1]
    asked = ((question, reply) for reply in last.replies[-1:] for question in open_questions([], [reply]))
    return [
        OpenQuestion(question, Evidence(last.ordinal, question, Source.ASSISTANT), " ".join(reply.split())[:200])
        for question, reply in asked
        if normalised(question) in normalised(reply)
    ]


def _is_of_person(memory: ExtractedMemory) -> bool:
    """Whether it says what somebody is like: their tastes, rules, people, skills; nothing guessed or half said."""
    kinds = (Category.PREFERENCE, Category.PRINCIPLE, Category.RELATIONSHIP, Category.SKILL)
    return memory.category in kinds and memory.tier in (Tier.EXPLICIT, Tier.IMPLIED)
