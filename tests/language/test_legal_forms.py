from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.graph.entities import describe, list_entities
from hearth.graph.naming import split
from hearth.vault.changes import Remarks

NOTES = {
    "met.md": "We met Brindle Mills GmbH in Leeds. Brindle Mills GmbH signed the contract.",
    "price.md": "Our supplier Brindle Mills raised the price. Brindle Mills said so in May.",
    "tools.md": "KilnRunner 2.1 came out, then Kiln Runner 2.1 failed, said Typescript.",
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    for name, text in NOTES.items():
        home.write(name, text)
    home.vault.index.sync()
    return home


def listed(home: Home) -> dict[str, tuple[str, tuple[str, ...], int]]:
    found = list_entities(home.vault).entities
    return {one.entity.name: (one.entity.type, one.aliases, one.documents) for one in found}


def test_a_company_is_one_with_and_without_its_legal_form(home: Home) -> None:
    assert listed(home)["Brindle Mills"] == ("organization", ("Brindle Mills GmbH",), 2)
    for name in ("Brindle Mills", "brindle mills gmbh", "BRINDLE MILLS"):
        view = describe(home.vault, name, 10)
        assert (view.type, view.total) == ("organization", 2)


def test_two_legal_forms_are_two_companies(home: Home) -> None:
    home.write("other.md", "In Graz we met Brindle Mills Ltd, too. Brindle Mills Ltd sells oats.")
    home.vault.index.sync()
    assert {"Brindle Mills GmbH", "Brindle Mills Ltd"} <= set(listed(home))


def test_what_was_joined_can_be_split_and_that_undone(home: Home) -> None:
    joined = listed(home)
    change = split(home.vault, "Brindle Mills GmbH", Remarks())
    assert listed(home)["Brindle Mills GmbH"][2] == 1
    home.vault.state.undo(change.events[0])
    assert listed(home) == joined
