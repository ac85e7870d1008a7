"""What repeats a superseded statement stands behind what replaced it, and is marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.house import House

from hearth.core.query import Query


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "house", tmp_path / "notes")
    built.configure()
    yield built
    built.close()


def find(house: Any, text: str) -> list[Any]:
    vault = house.vault
    return list(vault.recall(Query(text, at=vault.clock(), recipe="keyword")).hits)


def test_a_hand_off_that_repeats_what_was_superseded_stands_behind_it_and_says_so(house: Any) -> None:
    old = house.vault.memories.remember("We deploy the shop frontend to Heroku every Friday.", "decision")
    copy = house.vault.memories.remember(
        "Worked on the shop. We deploy the shop frontend to Heroku every Friday. Next: the cart.", "handoff"
    )
    new = house.vault.memories.remember(
        "Heroku is history, we deploy the shop frontend to Fly.io every Friday.", "decision"
    )
    assert new.supersedes == (old.docid,)
    hits = {hit.docid: (at, hit) for at, hit in enumerate(find(house, "where do we deploy the shop frontend"))}
    assert old.docid not in hits
    assert hits[new.docid][0] < hits[copy.docid][0]
    assert hits[copy.docid][1].validity.superseded_by == new.docid


def test_a_hand_off_that_tells_of_the_change_is_no_copy(house: Any) -> None:
    house.vault.memories.remember("We deploy the shop frontend to Heroku every Friday.", "decision")
    new = "Heroku is history, we deploy the shop frontend to Fly.io every Friday."
    house.vault.memories.remember(new, "decision")
    both = house.vault.memories.remember(
        f"At first: We deploy the shop frontend to Heroku every Friday. Then: {new}", "handoff"
    )
    hits = {hit.docid: hit for hit in find(house, "where do we deploy the shop frontend")}
    assert hits[both.docid].validity.superseded_by is None
