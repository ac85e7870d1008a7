"""Problems that the person says are solved: what was wrong, what the assistant found, and the words that say so,
which are those of ``solutions.tsv`` beside this file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from hearth.extract.rules.privacy import heard
from hearth.language.sentences import sentences
from hearth.model.capture.extraction import MAX_QUOTE, MAX_STATEMENT, Category, Evidence, ExtractedMemory
from hearth.model.host.transcript import Turn
from hearth.text.tables import read_rows

_CONFIDENCE = 0.80
_BACK = 8
"""Turns in which the problem was told."""
_HEAD = 160
"""Characters of a prompt in which it is said that it is solved."""
_MOST = 400
"""Characters of a prompt that says so: longer ones ask for something."""
_LONGEST = 220
_SHORTEST = 20
_TABLE = Path(__file__).with_name("solutions.tsv")


def tells_trouble(text: str) -> bool:
    """Whether a sentence says that something goes wrong."""
    return _cues("wrong").search(text) is not None


def find_solutions(turns: Sequence[Turn], since: int = 0) -> Iterator[ExtractedMemory]:
    """Of the prompts after the ordinal ``since``: one for each problem that one of them says is solved."""
    for at, turn in enumerate(turns):
        if turn.ordinal <= since or at == 0 or not turns[at - 1].replies:
            continue
        quote = _find_confirmation(turn)
        told = _find_problem(turns[max(0, at - _BACK) : at]) if quote else None
        if told is None:
            continue
        problem, replies = told
        found = _find_remedy(replies)
        if found is None:
            continue
        text = f"Problem: “{problem}” Found by the assistant: “{found}” Confirmed by the user: “{quote}”"
        evidence = Evidence(turn.ordinal, quote[:MAX_QUOTE])
        yield ExtractedMemory(Category.PROBLEM, text[:MAX_STATEMENT], _CONFIDENCE, evidence, reason="sentence:solved")


def _find_confirmation(turn: Turn) -> str:
    """The sentence that says so."""
    for prompt in turn.prompts:
        if len(prompt.text) > _MOST or _cues("solved").search(prompt.text[:_HEAD]) is None:
            continue
        for sentence in sentences(heard(prompt.text)[:_HEAD]):
            if _cues("solved").search(sentence) and not _cues("not yet").search(sentence):
                return sentence
    return ""


def _find_problem(earlier: Sequence[Turn]) -> tuple[str, list[str]] | None:
    """The last problem that is not yet said to be solved, with what was answered since."""
    replies: list[str] = []
    for turn in reversed(earlier):
        replies = [*turn.replies, *replies]
        if _find_confirmation(turn):
            return None
        said = (one for prompt in turn.prompts for one in sentences(heard(prompt.text)))
        wrong = next((one for one in said if _SHORTEST <= len(one) <= _LONGEST and tells_trouble(one)), None)
        if wrong is not None:
            return wrong, replies
    return None


def _find_remedy(replies: Sequence[str]) -> str | None:
    """The sentences, two at most, with which one of the replies begins to say what is wrong or what helps."""
    for reply in replies:
        said = [one for one in sentences(reply) if not one.endswith(("?", "？", ":")) and len(one) <= _LONGEST]
        for at, sentence in enumerate(said):
            if len(sentence) >= _SHORTEST and _cues("finding").search(sentence):
                return " ".join(" ".join(said[at : at + 2]).split())
    return None


@cache
def _cues(kind: str) -> re.Pattern[str]:
    rows = (pattern for name, _, pattern in read_rows(_TABLE) if name == kind)
    return re.compile("|".join(rows).replace(" ", r"\s+"), re.IGNORECASE)
