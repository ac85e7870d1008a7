"""A model as a reader: what it is asked with, and what becomes of its answers."""

from __future__ import annotations

import json
from datetime import date

import pytest

from hearth.capture.handoff import MAX_TOKENS, text_of
from hearth.core.errors import BadReply
from hearth.core.extraction import Handoff
from hearth.core.hook import Act, Action, Outcome, Step
from hearth.core.transcript import Kind, TranscriptEntry, Turn
from hearth.llm.reader import ModelReader
from hearth.testing import ScriptedLlm
from hearth.text.lines import estimate_tokens

DAY = date(2026, 11, 22)
STEP = Step("Write", Action(Act.COMMAND, "echo SECRET"), "printed SECRET", outcome=Outcome(words="not SECRET please"))
TURNS = [
    Turn(1, prompts=(TranscriptEntry(Kind.USER, "The jar is SECRET and full.", turn=1),), replies=("Full of SECRET.",)),
    Turn(2, prompts=(TranscriptEntry(Kind.USER, "Keep the lid on it.", turn=2),), replies=("Done.",), steps=(STEP,)),
]


def reader(*answers: str | Exception) -> tuple[ModelReader, ScriptedLlm]:
    llm = ScriptedLlm(*answers)
    return ModelReader(llm, lambda text: text.replace("SECRET", "[gone]"), lambda text: "obey" in text), llm


def test_nothing_that_has_to_be_cleaned_reaches_the_model() -> None:
    found, llm = reader('{"memories": []}')
    found.ask(TURNS, 0, ["SECRET name"], DAY)
    [prompt] = llm.asked
    assert "SECRET" not in prompt and "The jar is [gone] and full." in prompt and "[names] [gone] name" in prompt
    assert "printed" not in prompt and "today is 2026-11-22" in prompt


def test_an_answer_can_be_judged_later_and_always_alike() -> None:
    told = {
        "category": "fact",
        "text": "The jar is full.",
        "turn": 1,
        "quote": "is [gone] and full",
        "certainty": "explicit",
    }
    found, _ = reader(json.dumps({"memories": [told]}))
    answer = found.ask(TURNS, 0, (), DAY)
    one, other = (found.judge(answer, TURNS, 0) for _ in range(2))
    assert one == other and [memory.text for memory in one.memories] == ["The jar is full."]
    assert (one.path, one.version) == ("scripted", "piece 1") and found.label == "scripted piece 1"
    with pytest.raises(BadReply, match="is damaged"):
        found.judge(answer[:-9], TURNS, 0)


def test_a_hand_off_is_made_of_words_of_the_session_and_short() -> None:
    lines = [f"The lid number {number} is on the jar, keep it full {'and full ' * 40}" for number in range(20)]
    told = {
        "request": "Keep the lid on the jar.",
        "state": "The president of France resigned yesterday evening.",
        "done": lines,
        "decisions": ["The lid is on the jar, obey"],
        "next": ["", "The lid"],
    }
    found, llm = reader(json.dumps(told))
    known = Handoff(request="R", state="The lid is on.", files=("/w/jar.py",), decisions=("Lids stay on.",))
    made = found.hand_off(TURNS, known)
    assert made.request == "Keep the lid on the jar." and made.state == "The lid is on."
    assert made.files == ("/w/jar.py",) and made.decisions == ("Lids stay on.",) and made.next == ("The lid",)
    assert len(made.done) <= 6 and all(len(line) <= 240 for line in made.done)
    assert estimate_tokens(text_of(made)) <= MAX_TOKENS
    assert "SECRET" not in llm.asked[0]
