"""Whom a question names: what mentions them may answer sooner, by any name that they go by, and nothing is lowered."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.query import Hit
from hearth.graph import naming
from hearth.vault.changes import Remarks

WHO = Remarks(actor="human")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    late = "The boat came back late."
    for name, text in {
        **{f"day-{number}": f"{late} We ate soup on day {number}." for number in range(1, 9)},
        "cabin": f"We asked Ines Aldana for the keys. {late}",
        "shed": f"We asked Robert Ott for the keys. {late}",
    }.items():
        (made.notes / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
    made.vault.index.sync()
    return made


def asked(home: Home, text: str) -> dict[str, Hit]:
    return {hit.path: hit for hit in home.vault.recall(text, explain=True, limit=20).hits}


def shares(home: Home, text: str) -> dict[str, float]:
    lanes = ((path, one) for path, hit in asked(home, text).items() if hit.explain for one in hit.explain.lanes)
    return {path: one.score for path, one in lanes if one.lane == "entity"}


def test_what_mentions_whom_the_question_names_gains_and_the_rest_loses_nothing(home: Home) -> None:
    question = "When did the boat of Ines Aldana come back late?"
    before = asked(home, question)
    assert not shares(home, question), "nobody read the names yet"
    home.vault.graph.names().run()
    after = asked(home, question)
    assert shares(home, question) == {"cabin.md": 1.0}
    assert after["cabin.md"].score > before["cabin.md"].score
    assert after["shed.md"].score == before["shed.md"].score


def test_the_share_is_that_of_all_whom_it_names(home: Home) -> None:
    home.vault.graph.names().run()
    found = shares(home, "What do Ines Aldana's keys and those of Robert Ott open?")
    assert found == {"cabin.md": pytest.approx(0.5), "shed.md": pytest.approx(0.5)}


def test_an_alias_means_the_same_and_a_word_in_lower_case_is_no_name(home: Home) -> None:
    home.vault.graph.names().run()
    naming.alias(home.vault, "Bob Ott", "Robert Ott", WHO)
    assert shares(home, "Where are the keys of Bob Ott?") == {"shed.md": 1.0}
    assert shares(home, "Where are the keys of robert ott?") == {}


def test_a_namesake_is_somebody_else(home: Home) -> None:
    home.vault.graph.names().run()
    naming.split(home.vault, "Robert Ott", WHO, of="Robert the baker", references=["shed.md"])
    assert shares(home, "Where are the keys of Robert Ott?") == {}
