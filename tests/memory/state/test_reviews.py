"""Questions about two documents: asked once, decided once, whichever machine did what first."""

from __future__ import annotations

import itertools
from typing import Any

from hearth.core.instants import DAY_MS
from hearth.core.journal import Event
from hearth.memory.reviews import draft_review, find_review, list_reviews
from hearth.ports import Store
from hearth.testing import record, temporary_store
from hearth.vault.history import primitives, problem

NOW = 1_800_000_000_000


def event(kind: str, hlc: int, machine: str = "a", doc: str = "new", **data: Any) -> Event:
    return Event(f"{machine}{hlc:025d}", hlc, NOW + hlc, machine, kind, doc, data=data)


def folded(*events: Event) -> Store:
    store = temporary_store()
    with store.write() as writer:
        for one in events:
            assert problem(one) is None
            writer.fold(primitives(one))
    return store


def test_two_machines_that_ask_and_decide_come_to_one_question_in_any_order() -> None:
    events = [
        event("review", 1, "a", older="old", relation="update", confidence=0.7, why="a later number"),
        event("review", 2, "b", doc="old", older="new", relation="contradiction", confidence=0.8),
        event("decide", 3, "a", older="old", decision="keep-new"),
        event("decide", 4, "b", doc="old", older="new", decision="both"),
    ]
    found = set()
    for order in itertools.permutations(events):
        with folded(*order).read() as reader:
            [question] = list_reviews(reader, NOW)
            found.add((question, reader.folded()))
    [(question, _)] = found
    assert (question.relation, question.decision, question.open) == ("contradiction", "both", False)


def test_a_question_that_nobody_answers_is_answered_with_both_after_90_days() -> None:
    store = folded(event("review", 1, older="old", relation="update"))
    with store.read() as reader:
        early, late = (find_review(reader, "old", "new", NOW + days * DAY_MS) for days in (89, 91))
    assert early is not None and early.open
    assert late is not None and late.decision == "both"


def test_a_question_taken_back_is_none() -> None:
    asked = event("review", 1, older="old", relation="update")
    back = event("review", 2, older="old", relation=None)
    for order in ((asked, back), (back, asked)):
        with folded(*order).read() as reader:
            assert list_reviews(reader, NOW) == []
            assert find_review(reader, "new", "old", NOW) is None


def test_a_question_quotes_no_more_than_it_takes_to_see_why() -> None:
    draft = draft_review(record("notes", "a.md", "# A", "text").document, "old", "update", evidence="x" * 5_000)
    assert len(draft.data["evidence"]) == 200
    assert problem(Event("i", 1, 1, "m", draft.kind, draft.doc, data=draft.data)) is None


def test_what_is_no_question_of_two_documents_is_skipped() -> None:
    wrong = [
        event("review", 1, older="new", relation="update"),
        event("review", 1, older="old"),
        event("review", 1, older="old", relation="NOT A WORD"),
        event("decide", 1, older="old", decision="burn"),
        event("decide", 1, decision="both"),
    ]
    assert all(problem(one) for one in wrong)
