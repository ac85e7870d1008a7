"""Known names are found however they are written, along the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.graph import NamedEntity
from hearth.language.entity_words import KnownTrie

INES = NamedEntity("Ines Aldana", "person")


def found(text: str, *names: str) -> list[str]:
    return [one.name for one in KnownTrie({name: NamedEntity(name) for name in names}).find(text)]


@pytest.mark.parametrize(
    ("text", "names", "wanted"),
    [
        ("we asked ines aldana and INES-ALDANA", ["Ines Aldana"], ["Ines Aldana"] * 2),
        ("anita left, anitas stayed", ["Anita"], ["Anita"]),
        ("ines aldana lopez", ["Ines Aldana", "Ines Aldana Lopez"], ["Ines Aldana Lopez"]),
        ("ines. aldana; ines, aldana", ["Ines Aldana"], []),
        ("we go there in the end", ["Go", "End", "in the"], []),
        ("`anita` and https://x.org/anita", ["Anita"], []),
        ("we use c there", ["C++", "C"], []),
    ],
)
def test_a_distinctive_name_is_found_in_any_case_and_the_longest_first(
    text: str, names: list[str], wanted: list[str]
) -> None:
    assert found(text, *names) == wanted


def test_an_alias_is_whom_it_means() -> None:
    assert list(KnownTrie({"Anita": INES}).find("ask anita")) == [INES]


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_and_any_names_are_read(text: str, names: list[str]) -> None:
    assert set(found(text, *names)) <= set(names)


def test_a_long_text_costs_what_its_length_does() -> None:
    trie = KnownTrie({" ".join(["anita"] * count): INES for count in range(1, 9)})
    started = time.process_time()
    assert sum(1 for _ in trie.find("anita " * 100_000)) == 12_500
    assert time.process_time() - started < 5
