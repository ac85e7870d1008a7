"""What a person says against what was kept: they are asked, since a correction is not sure to last."""

from __future__ import annotations

import pytest
from tests.capture.conftest import Talk

from hearth.ports import Filter


@pytest.mark.parametrize(
    "correction",
    [
        "That's wrong, the staging server listens on port 9090.",
        "No, the staging server listens on port 9090.",
        "You're wrong: the staging server listens on port 9090.",
    ],
)
def test_of_the_one_memory_that_a_correction_contradicts_a_person_is_asked(talk: Talk, correction: str) -> None:
    talk.turn("We decided that the staging server listens on port 8080.")
    talk.turn("We decided to keep the counters of the jars in SQLite.")
    talk.turn("Which port is it?", "The staging server listens on port 8080.")
    talk.turn(correction)
    talk.end()
    talk.capture.run()
    [case] = talk.vault.truth.reviews()
    assert case.older is not None
    assert case.older.title == "We decided that the staging server listens on port 8080"
    with talk.vault.store.read() as reader:
        [new] = list(reader.each_document(Filter(types=("correction",))))
    assert case.entry.newer == new.document.docid
    talk.vault.truth.decide(case.entry.id, "keep-new")
    with talk.vault.store.read() as reader:
        old = reader.document(case.entry.older)
    assert old is not None and old.state.superseded_by == new.document.docid


def test_a_correction_is_kept_without_what_says_that_the_agent_was_wrong(talk: Talk) -> None:
    talk.turn("Which day does the week begin on?", "On Sunday.")
    talk.turn("No, the week of the larder begins on Monday.")
    talk.end()
    talk.capture.run()
    with talk.vault.store.read() as reader:
        [new] = list(reader.each_document(Filter(types=("correction",))))
    assert new.document.title.rstrip(".") == "The week of the larder begins on Monday"
