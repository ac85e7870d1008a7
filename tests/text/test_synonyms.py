from __future__ import annotations

import pytest

from hearth.text.related_words import synonyms_of

PAIRS = {"K8s": ["Kubernetes"], "CI": ["continuous integration"]}


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("k8s", ("kubernetes",)),
        ("Kubernetes", ("k8s",)),
        ("ci", ("continuous", "integration")),
        ("integration", ("ci",)),
        ("zebra", ()),
        ("", ()),
    ],
)
def test_the_owners_synonyms_count_both_ways(word: str, others: tuple[str, ...]) -> None:
    assert synonyms_of(word, PAIRS) == others


def test_no_word_is_its_own_synonym_and_none_comes_twice() -> None:
    assert synonyms_of("meeting", {"Meeting": ["Standup", "meeting", "standup"]}) == ("standup",)
