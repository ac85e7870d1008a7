"""Memories by rules alone: what turns say that is worth keeping, and how much it matters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from functools import cache

from hearth.capture.handoff import hand_off
from hearth.capture.records import find_solutions, observations, records, trials
from hearth.core.extraction import (
    MAX_QUOTE,
    MAX_STATEMENT,
    Category,
    Evidence,
    ExtractedMemory,
    Extraction,
    Handoff,
    Importance,
    OpenQuestion,
    Source,
    Tier,
    admitted,
)
from hearth.core.extraction import Statement as ExtractedStatement
from hearth.core.lazy import regex
from hearth.core.transcript import TranscriptEntry, Turn
from hearth.language.signals import absolute, due_at, is_look, open_questions
from hearth.language.slots import read_statement
from hearth.language.statements import Mark, Statement, find_statements, sentences
from hearth.language.structure import strip_host_marks
from hearth.text.language import detect, stop_words
from hearth.text.similarity import normalised
from hearth.text.words import cues
from hearth.transcripts.typed import find_words, is_mixed, own_words_of

_BASE = 0.5
_CATEGORIES = {
    Category.CORRECTION: 0.15, Category.PRINCIPLE: 0.12, Category.PREFERENCE: 0.10, Category.COMMITMENT: 0.10,
    Category.DECISION: 0.08, Category.ANTIPATTERN: 0.10, Category.PROBLEM: 0.08, Category.MILESTONE: 0.06,
    Category.RELATIONSHIP: 0.05, Category.SKILL: 0.05, Category.MOMENT: 0.03, Category.ENTITY: 0.02, Category.FACT: 0.0,
}  # fmt: skip
_TABLE = "capture/importance"
# The kinds of the table, each with what it adds and how that is called.
_MARKS = (
    ("every_time", 0.20, "applies every time"),
    ("matters", 0.15, "said to matter"),
    ("moves", 0.08, "moves the person"),
    ("person", 0.12, "about the person"),
    ("decided", 0.12, "decided or promised"),
    ("limit", 0.10, "has a time limit"),
    ("unsure", -0.15, "not sure"),
)
_EXACT = regex(r"\d{2,}|\bv?\d+\.\d+|`[^`]+`|\b[a-z]+(?:[A-Z_][a-zA-Z]+)+\b")
_WORD = regex(r"[^\W\d_][\w'-]{2,}")
_TAGS = frozenset({"important", "critical", "rule"})
_IMPORTANCE_MOST = 5


def importance(text: str, category: Category, tags: tuple[str, ...] = ()) -> Importance:
    """Base .5, the category's share, marks that each count once, exact figures and names, telling tags; clamped to
    [0, 1] and rounded before its level is read. Only greetings and thanks are trivial: a short fact is none."""
    if _says_nothing().fullmatch(text):
        return Importance(0.1, ("says nothing",))
    score = _BASE + _CATEGORIES[category]
    reasons = [category.value] if _CATEGORIES[category] else []
    for kind, share, reason in _MARKS:
        if cues(_TABLE, kind).search(text):
            score += share
            reasons.append(reason)
    if _EXACT.search(text):
        score += 0.03
        reasons.append("has exact figures or names")
    if _TAGS & set(tags):
        score += 0.05
        reasons.append("tagged")
    return Importance(round(min(1.0, max(0.0, score)), 2), tuple(reasons[:_IMPORTANCE_MOST]), _keywords(text))


@cache
def _says_nothing() -> re.Pattern[str]:
    return regex(rf"\W*(?:{cues(_TABLE, 'nothing').pattern})\W*", re.IGNORECASE)


def _keywords(text: str) -> tuple[str, ...]:
    stop = stop_words().get(detect(text), frozenset()) | {"user", "said"}
    words = [word.lower().strip("'-") for word in _WORD.findall(text)]
    counted = Counter(word for word in words if word not in stop)
    return tuple(word for word, _ in counted.most_common(_IMPORTANCE_MOST))


_CATEGORY = {
    Mark.REMEMBER: Category.FACT,
    Mark.REMIND: Category.COMMITMENT,
    Mark.CORRECT: Category.CORRECTION,
    Mark.STANDING: Category.PRINCIPLE,
    Mark.DECIDED: Category.DECISION,
    Mark.PROMISE: Category.COMMITMENT,
    Mark.PREFER: Category.PREFERENCE,
    Mark.SELF: Category.FACT,
    Mark.BAN: Category.PRINCIPLE,
    Mark.ALWAYS: Category.PRINCIPLE,
    Mark.MUST: Category.PRINCIPLE,
    Mark.OURS: Category.DECISION,
    Mark.PLAIN: Category.FACT,
}
_MARKED, _UNMARKED = 0.97, 0.65


def spoken(turns: Sequence[Turn], since: int = 0, zone: tzinfo = UTC) -> list[ExtractedMemory]:
    """Of the prompts after the ordinal ``since``; ``zone`` is where the person's days begin."""
    return [memory for turn in turns if turn.ordinal > since for memory in _of_turn(turn, zone)]


def _of_turn(turn: Turn, zone: tzinfo) -> Iterator[ExtractedMemory]:
    for prompt in turn.prompts:
        fragments = own_words_of(prompt.text).split("\n\n")
        day = _day(prompt, zone)
        for statement in find_statements(fragments, beside=is_mixed(prompt.text)):
            yield _memory(statement, turn.ordinal, day)


def _memory(statement: Statement, turn: int, day: date | None) -> ExtractedMemory:
    category = _categorise(statement)
    explicit = statement.mark.is_explicit
    text = strip_host_marks(statement.text)
    if day is not None and category is not Category.PREFERENCE:
        text = absolute(text, day, promised=category is Category.COMMITMENT)
    memory = ExtractedMemory(
        category,
        text[:MAX_STATEMENT],
        _MARKED if explicit else _UNMARKED,
        Evidence(turn, statement.quote[:MAX_QUOTE]),
        subject=find_relation(statement.text) if category is Category.RELATIONSHIP else None,
        attribute=_find_attribute(statement),
        reason=f"{'mark' if explicit else 'sentence'}:{statement.mark}",
    )
    if category is not Category.COMMITMENT:
        return memory
    return replace(memory, owner="user", due_at=due_at(statement.text, day) if day is not None else None)


def classify(text: str) -> Category:
    """The category of a statement that another program keeps about the person; a fact where the rules see no more."""
    # Programs that keep facts about a person write in the third person or leave the person out.
    about = _cue("about user")
    said = about.sub(r"I \1", text, count=1) if about.match(text) else text
    statement = next(iter(find_statements([said])), None)
    return Category.FACT if statement is None else _categorise(statement)


def _categorise(statement: Statement) -> Category:
    mark = statement.about if statement.mark is Mark.REMEMBER and statement.about is not None else statement.mark
    if mark is Mark.SELF and find_relation(statement.text) is not None:
        return Category.RELATIONSHIP
    if mark is Mark.SELF and cues("people", "skill").search(statement.text):
        return Category.SKILL
    return _CATEGORY[mark]


def _find_attribute(statement: Statement) -> str | None:
    """What a statement about oneself gives of which there is one at a time: the place lived, the employer."""
    if Mark.SELF not in (statement.mark, statement.about):
        return None
    return min(read_statement(statement.text).attributes, default=None)


def find_relation(text: str) -> str | None:
    """The person close to the speaker whom a statement is about: "The user's wife"."""
    found = cues("people", "relation").search(text)
    return None if found is None else f"The user's {found[0].split()[-1].lower()}"


def _day(prompt: TranscriptEntry, zone: tzinfo) -> date | None:
    return None if prompt.at is None else datetime.fromtimestamp(prompt.at / 1000, zone).date()


_MOST = 400
_SHORT = 30


def _cue(kind: str) -> re.Pattern[str]:
    return cues("capture/dialogue", kind)


def find_accepted_proposal(answer: str, reply: str) -> str | None:
    """The proposal that ``answer`` takes up, as ``reply`` worded it; ``None`` where it takes up none, or several were
    made."""
    if not _accepts(answer):
        return None
    proposals = list(sentences(reply[-4_000:]))
    made = [sentence for sentence in proposals if _cue("proposes").search(sentence) and not is_look(sentence)]
    if not made and len(proposals) > 1 and _cue("shall").match(proposals[-1]) and _cue("would").search(proposals[-2]):
        made = [proposals[-2]]
    if not made and proposals and _cue("shall be").match(last := proposals[-1].removeprefix("No. ")):
        made = [last]
    return " ".join(made[0].replace("**", "").split())[:_MOST] if len(made) == 1 else None


def _accepts(answer: str) -> bool:
    head = answer.strip()[:160]
    if head.endswith(("?", "？")):
        return False
    yes = _cue("agrees").match(head)
    if yes is None:
        return _cue("do").match(head) is not None
    rest = yes["rest"].strip()
    return (
        not rest
        or _cue("please").fullmatch(rest) is not None
        or _cue("do").match(rest) is not None
        or (_cue("agrees").match(rest) is not None and len(rest) < _SHORT)
    )


VERSION = "13"
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
        profile=tuple(ExtractedStatement(memory.text, memory.evidence) for memory in memories if _is_of_person(memory)),
        path="rules",
        version=VERSION,
    )
    return admitted(found, turns, find_words)


def _weigh(memories: Iterable[ExtractedMemory]) -> list[ExtractedMemory]:
    """Each statement and each quote once, what the host recorded before what was said, in the order of turns."""
    kept: dict[tuple[int, str], ExtractedMemory] = {}
    seen: set[str] = set()
    for memory in memories:
        key = memory.evidence.turn, normalised(memory.evidence.quote)
        if key in kept or normalised(memory.text) in seen:
            continue
        seen.add(normalised(memory.text))
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
