"""Python calls any operation by the name that MCP, REST and the daemon know."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.house import House

from hearth.core.errors import NotFound, UsageError
from hearth.operations.runner import call


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = House(tmp_path / "home", tmp_path / "notes")
    house.configure()
    (house.notes / "kettle.md").write_text("# Kettle\n\nThe kettle whistles at noon.\n", encoding="utf-8")
    return house


def test_an_operation_answers_the_json_of_every_surface(house: House) -> None:
    found = call("search", {"query": "kettle"}, environ=house.environ)
    assert [row["path"] for row in found["results"]] == ["kettle.md"]
    pinned = call("memory_pin", {"reference": "kettle.md"}, vault="default", environ=house.environ)
    assert pinned["action"] == "pinned"


def test_a_wrong_name_or_argument_says_what_there_is(house: House) -> None:
    with pytest.raises(NotFound, match="search"):
        call("serch", {"query": "kettle"}, environ=house.environ)
    with pytest.raises(UsageError, match="colour"):
        call("search", {"query": "kettle", "colour": "red"}, environ=house.environ)
    with pytest.raises(UsageError, match="stream"):
        call("export", environ=house.environ)
