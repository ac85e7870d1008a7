"""Open questions: asked once, answered by a person or their later words, and never again and again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.core.session import BRIEFING, Shown, Surfacing
from hearth.pages.questions import MOST

CACHE = "Should the importer cache archives in Redis or on the disk?"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def listed(home: Home, status: str = "open") -> list[str]:
    return [one.text for one in home.vault.knowledge.questions.show(status)]


def test_an_answer_is_kept_as_a_fact_and_settles_the_question(home: Home) -> None:
    docid = home.remember(CACHE, "question", project="larder")
    questions = home.vault.knowledge.questions
    assert listed(home) == [CACHE]
    done = questions.answer("1", "On the disk.", actor="human")
    [one] = questions.show("answered")
    assert (done.action, one.docid, listed(home)) == ("fulfilled", docid, [])
    assert one.answer is not None
    assert "On the disk" in home.vault.get("#" + one.answer).text
    home.rebuilt()
    assert listed(home, "answered") == [CACHE]
    home.vault.state.undo(done.events[-1])
    assert listed(home) == [CACHE]


def test_a_dismissed_question_is_not_open_and_can_be_taken_back(home: Home) -> None:
    docid = home.remember(CACHE, "question")
    done = home.vault.knowledge.questions.dismiss("#" + docid)
    assert (done.action, listed(home), listed(home, "dismissed")) == ("dismissed", [], [CACHE])
    with pytest.raises(Conflict, match="already dismissed"):
        home.vault.knowledge.questions.answer(docid, "Redis.")
    home.vault.state.undo(done.events[-1])
    assert listed(home) == [CACHE]


def test_a_question_without_an_answer_and_one_that_is_not_there_are_refused(home: Home) -> None:
    home.remember(CACHE, "question")
    with pytest.raises(UsageError, match="give an answer"):
        home.vault.knowledge.questions.answer("1", " ")
    with pytest.raises(NotFound):
        home.vault.knowledge.questions.dismiss("2")


def test_what_nobody_answers_lapses_after_thirty_days(home: Home) -> None:
    home.remember(CACHE, "question")
    home.clock.advance(days=29)
    assert listed(home) == [CACHE]
    home.clock.advance(days=2)
    assert (listed(home), listed(home, "lapsed")) == ([], [CACHE])


def test_the_newest_twenty_of_a_project_are_open(home: Home) -> None:
    for number in range(MOST + 2):
        home.remember(f"Which colour has wall number {number} of the hall?", "question", project="larder")
        home.clock.advance(seconds=1)
    home.remember(CACHE, "question", project="cellar")
    found = listed(home)
    assert len(found) == MOST + 1 and CACHE in found
    assert len(listed(home, "lapsed")) == 2
    assert not any("number 0 " in one or "number 1 " in one for one in found)


@pytest.mark.parametrize("how", ["forget", "purge"])
def test_a_forgotten_question_is_on_no_list(home: Home, how: str) -> None:
    docid = home.remember(CACHE, "question")
    if how == "purge":
        home.vault.state.purge(docid, yes=True)
    else:
        home.vault.state.forget(docid)
    assert listed(home, "all") == []


def test_an_overdue_commitment_is_asked_about_until_it_is_kept_or_dismissed(home: Home) -> None:
    kept = home.remember("Send the zinc receipts by 2026-03-05.", "commitment")
    other = home.remember("Repair the gate by 2026-03-04.", "commitment")
    assert listed(home) == []
    home.clock.advance(days=6)
    questions = home.vault.knowledge.questions
    assert [one.docid for one in questions.show()] == [other, kept]
    questions.answer(kept)
    questions.dismiss(other)
    assert listed(home) == []
    home.rebuilt()
    assert listed(home) == []
    assert [one.docid for one in home.vault.truth.commitments()] == [other]


def test_the_same_question_is_brought_up_weekly_and_three_times(home: Home) -> None:
    docid = home.remember(CACHE, "question")
    questions, times = home.vault.knowledge.questions, 0
    for day in range(28):
        if questions.due():
            times += 1
            shown = (Shown(docid, 1, 1),)
            home.vault.usage.surfaced(
                Surfacing(f"s{day}", f"{BRIEFING}session-bootstrap", shown, 20, "bootstrap", None)
            )
            assert questions.due() == []
        home.clock.advance(days=1)
    assert times == 3
    assert listed(home) == [CACHE]
