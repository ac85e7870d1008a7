"""Documents hang together by the names that both hold, the more the rarer these are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.truth.home import Home

from hearth.core.document import docid
from hearth.graph import naming
from hearth.graph.relations import MOST_HOLDERS, find_idf, relations_of
from hearth.vault.changes import Remarks

WHO = Remarks(actor="human")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def fill(home: Home, texts: dict[str, str], more: int = 20) -> None:
    rest = {f"rest-{number}.md": f"Shelf {number} holds tea." for number in range(more)}
    for name, text in (texts | rest).items():
        (home.notes / name).write_text(f"{text}\n", encoding="utf-8")
    home.vault.index.sync()
    home.vault.graph.names().run()


def weights(home: Home, name: str) -> dict[str, float]:
    own = docid("notes", name)
    with home.vault.store.read() as reader:
        found = relations_of(reader, [own], ("entity",))
        ends = {one.other(own): one for one in found}
        assert all(one.type == "entity" and 0 < one.weight < 1 for one in found)
        return {stored.document.path: ends[other].weight for other in ends if (stored := reader.document(other))}


def test_a_shared_name_relates_documents_by_how_rare_it_is_and_two_more_than_one(home: Home) -> None:
    fill(
        home,
        {
            "one.md": "We met Ines Aldana and Rurik Holm.",
            "two.md": "Then Ines Aldana wrote to Rurik Holm.",
            "three.md": "Later Ines Aldana left.",
            "four.md": "Nobody came.",
        },
    )
    found = weights(home, "one.md")
    assert sorted(found) == ["three.md", "two.md"]
    one, two = 0.6 * find_idf(3, 24), 0.6 * find_idf(2, 24)
    assert found["three.md"] == pytest.approx(one, abs=1e-6)
    assert found["two.md"] == pytest.approx(1 - (1 - one) * (1 - two), abs=1e-6)
    assert weights(home, "two.md")["one.md"] == found["two.md"]
    home.vault.state.forget("two.md", actor="human")
    assert sorted(weights(home, "one.md")) == ["three.md"]


def test_names_that_people_joined_relate_and_a_name_of_nearly_all_documents_does_not(home: Home) -> None:
    fill(home, {"one.md": "We met Ines Aldana.", "two.md": "We met Nesi Dana.", "three.md": "We met Rurik Holm."})
    assert weights(home, "one.md") == {}
    naming.merge(home.vault, "Nesi Dana", "Ines Aldana", WHO)
    assert list(weights(home, "one.md")) == ["two.md"]
    assert list(weights(home, "two.md")) == ["one.md"]
    fill(home, {f"{number}.md": "We met Rurik Holm." for number in range(20)})
    assert weights(home, "three.md") == {}


def test_a_name_in_more_documents_than_are_looked_at_relates_none(home: Home) -> None:
    texts = {f"{number:03}.md": "We met Ines Aldana." for number in range(MOST_HOLDERS + 1)}
    fill(home, {**texts, "a.md": "Ines Aldana and Rurik Holm.", "b.md": "Rurik Holm again."}, more=300)
    assert list(weights(home, "a.md")) == ["b.md"]
    assert weights(home, "000.md") == {}


def test_of_an_empty_vault_no_name_says_anything() -> None:
    assert find_idf(0, 0) == 0.0
    assert find_idf(100, 100) < 0.01 < find_idf(1, 100)
