"""Echoes: what a conversation repeats of the question is no answer to it."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.document import INTERNAL, DocumentState, FileState
from hearth.ports import StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.diversify import AskedQuestion, let_answer
from hearth.testing import document

ASKED = AskedQuestion(
    [(frozenset({"session"}), 3.0), (frozenset({"larder"}), 4.0), (frozenset({"live"}), 2.0)], ("en",)
)
QUESTION = "Where do the sessions of the larder live?"
ANSWER = "The larder keeps sessions in PostgreSQL."


def fragment(score: float, text: str, path: str, **given: Any) -> Candidate:
    kind = given.pop("content_type", "conversation")
    made = document(INTERNAL, path, text, content_type=kind, title=given.pop("title", "Talk"))
    row = int.from_bytes(path.encode()[:6], "big")
    part = StoredFragment(row, row, 0, "turn", 1, 1, 0, len(text), (), "", text)
    return Candidate(part, StoredDocument(row, made, FileState(0, 0, 0, b""), DocumentState()), score, score, **given)


def paths(found: list[Candidate]) -> list[str]:
    return [c.document.document.path for c in found]


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        f"Hello there. {QUESTION} Thanks.",
        "And where does a session of our larder live now?",
        "where do the sessions of the larder live",
        '- user: "Where do the sessions of the larder live"',
    ],
)
def test_what_was_only_asked_stands_below_what_may_answer(text: str) -> None:
    asked = fragment(0.98, text, "asked.md", leads=True)
    found = let_answer([asked, fragment(0.5, ANSWER, "memory.md", content_type="fact")], ASKED)
    assert paths(found) == ["memory.md", "asked.md"]
    assert not found[1].leads and found[1].moves[-1].stage == "echo"


def test_a_title_that_asks_answers_no_more_than_the_question_does() -> None:
    asked = fragment(0.9, "I'll look into it.", "asked.md", title=QUESTION)
    assert paths(let_answer([asked, fragment(0.5, ANSWER, "memory.md", content_type="fact")], ASKED))[0] == "memory.md"


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "The sessions of the larder live in PostgreSQL.",
        "Where do we drink tea?",
        "Shall the larder on the second floor also hold biscuits, raisins and plums?",
    ],
)
def test_what_tells_or_asks_something_else_stays_where_it_is(text: str) -> None:
    pool = [fragment(0.9, text, "talk.md"), fragment(0.5, ANSWER, "memory.md", content_type="fact")]
    assert let_answer(pool, ASKED) == pool


def test_it_stays_first_where_nothing_else_may_answer() -> None:
    asked = fragment(0.98, QUESTION, "asked.md", leads=True)
    for pool in ([asked], [asked, fragment(0.2, "We drink tea at four.", "tea.md", content_type="fact")]):
        assert let_answer(pool, ASKED) == pool


def test_what_is_no_note_about_a_session_may_repeat_the_question() -> None:
    faq = fragment(0.9, f"{QUESTION}\nIn PostgreSQL.", "faq.md", content_type="note")
    pool = [faq, fragment(0.5, ANSWER, "memory.md", content_type="fact")]
    assert let_answer(pool, ASKED) == pool


@pytest.mark.parametrize("title", ["Session of 2026-09-21 14:13", "Hand-off: where do the sessions of the larder live"])
def test_what_a_session_left_behind_is_no_answer_either(title: str) -> None:
    kind = "note" if title.startswith("Session") else "handoff"
    left = fragment(0.98, f'- user: "{QUESTION}"', "left.md", content_type=kind, title=title)
    assert paths(let_answer([left, fragment(0.5, ANSWER, "memory.md", content_type="fact")], ASKED))[0] == "memory.md"


def test_a_line_that_states_it_is_an_answer() -> None:
    said = fragment(0.98, "- assistant: The sessions of the larder live in PostgreSQL.", "said.md")
    pool = [said, fragment(0.5, ANSWER, "memory.md", content_type="fact")]
    assert let_answer(pool, ASKED) == pool
