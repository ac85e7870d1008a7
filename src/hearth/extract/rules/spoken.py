"""Layer 3: what a person says that is meant to last, as memories in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo

from hearth.extract.rules.due import absolute, due_at
from hearth.extract.rules.privacy import heard, is_mixed
from hearth.language.host_marks import without_host_marks
from hearth.language.slots import read_statement
from hearth.language.statements import Mark, Statement, find_statements
from hearth.language.words import cues
from hearth.model.capture.extraction import MAX_QUOTE, MAX_STATEMENT, Category, Evidence, ExtractedMemory
from hearth.model.host.transcript import TranscriptEntry, Turn

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
        passages = heard(prompt.text).split("\n\n")
        day = _day(prompt, zone)
        for statement in find_statements(passages, beside=is_mixed(prompt.text)):
            yield _memory(statement, turn.ordinal, day)


def _memory(statement: Statement, turn: int, day: date | None) -> ExtractedMemory:
    category = _categorise(statement)
    explicit = statement.mark.is_explicit
    text = without_host_marks(statement.text)
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
