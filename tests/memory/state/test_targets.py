"""Which document a description means, and when it is not clear enough."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import Ambiguous, NotFound


def test_every_way_to_name_a_document_works(house: Any) -> None:
    docid = house.vault.state.pin("bread.md").docid
    for name in (f"#{docid}", docid[:8], "notes/bread.md", "hearth://notes/bread.md", str(house.notes / "bread.md")):
        assert house.vault.state.pin(name).docid == docid


def test_a_clear_description_is_enough(house: Any) -> None:
    assert house.vault.state.forget("the sour starter for rye bread").path == "bread.md"


def test_a_description_that_fits_two_names_them_and_changes_nothing(house: Any) -> None:
    house.write("bread2.md", "# Rye bread\n\nRye bread needs a sour starter and a hot oven.\n")
    house.vault.index.sync()
    with pytest.raises(Ambiguous) as raised:
        house.vault.state.forget("the sour starter for rye bread")
    assert {name.split()[1] for name in raised.value.candidates} >= {"notes/bread.md", "notes/bread2.md"}
    assert all(name.split()[1] in str(raised.value) for name in raised.value.candidates)
    assert house.events() == []


def test_documents_that_say_the_same_are_never_told_apart_by_a_description(house: Any) -> None:
    house.write("copy.md", (house.notes / "bread.md").read_text(encoding="utf-8"))
    house.vault.index.sync()
    with pytest.raises(Ambiguous, match=r"copy\.md"):
        house.vault.state.forget("the sour starter for rye bread")


def test_a_description_that_hardly_fits_changes_nothing(house: Any) -> None:
    with pytest.raises((Ambiguous, NotFound)):
        house.vault.state.forget("something that nobody needs in winter any more")
    assert house.events() == []


def test_a_single_word_is_a_name_and_no_description(house: Any) -> None:
    with pytest.raises(NotFound):
        house.vault.state.forget("regatta")
    assert house.events() == []


def test_a_description_in_a_script_without_spaces_is_one(house: Any) -> None:
    house.write("zh.md", "# 面包\n\n黑麦面包需要酸面团和十八个小时的耐心。\n")
    house.vault.index.sync()
    assert house.vault.state.pin("黑麦面包需要酸面团").path == "zh.md"


def test_restore_looks_among_the_hidden(house: Any) -> None:
    house.write("bread2.md", "# Rye bread\n\nRye bread needs a sour starter and a hot oven.\n")
    house.vault.state.forget("bread.md")
    assert house.vault.state.restore("the sour starter for rye bread").path == "bread.md"


def test_of_two_documents_of_a_name_restore_takes_the_hidden_one(house: Any) -> None:
    house.write("old/loaf.md", "# Old\n\nA loaf.\n")
    house.write("new/loaf.md", "# New\n\nAnother loaf.\n")
    house.vault.index.sync()
    house.vault.state.forget("old/loaf.md")
    assert house.vault.state.pin("loaf.md").path == "new/loaf.md"
    assert house.vault.state.restore("loaf.md").path == "old/loaf.md"


def test_a_purge_is_never_meant_by_a_description(house: Any) -> None:
    with pytest.raises(NotFound):
        house.vault.state.purge("the sour starter for rye bread", yes=True)
