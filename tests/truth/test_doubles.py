"""Names that differ by a slip are put before a person, and never joined."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.graph import naming
from hearth.graph.entities import list_entities
from hearth.truth.duplicates import DoubleName
from hearth.vault.changes import Remarks

WHO = Remarks(actor="human")
SLIP = DoubleName("Harbor Pottery Studio", "Harbour Pottery Studio")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    for name, text in {
        "one.md": "We met people of Harbour Pottery Studio, and Ines Aldana.",
        "two.md": "The Harbour Pottery Studio called Ines Aldano.",
        "three.md": "They wrote of Harbor Pottery Studio.",
        "four.md": "See [[Release 12]] and [[Release 13]].",
    }.items():
        (home.notes / name).write_text(f"{text}\n", encoding="utf-8")
    home.vault.index.sync()
    home.vault.graph.names().run()
    return home


def test_the_commands_quote_what_a_name_holds() -> None:
    assert DoubleName("$(x) Labs", "X Labs").commands[1] == "hearth entities split '$(x) Labs'"


def test_the_rarer_spelling_is_asked_about_and_no_person_and_no_number_is(home: Home) -> None:
    assert home.vault.truth.doubles() == [SLIP]
    assert len(list_entities(home.vault, query="pottery").entities) == 2


@pytest.mark.parametrize("answer", ["merge", "split", "forget"])
def test_what_is_answered_or_out_of_sight_is_asked_no_more(home: Home, answer: str) -> None:
    if answer == "merge":
        naming.merge(home.vault, SLIP.name, SLIP.like, WHO)
    elif answer == "split":
        naming.split(home.vault, SLIP.name, WHO)
    else:
        home.vault.state.forget("three.md", actor="human")
    assert home.vault.truth.doubles() == []
