"""What is said again in other sessions, in hardly other words, stays one memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.capture.conftest import Talk

from hearth.language.likeness import says_the_same
from hearth.ports import Filter


def tell(talk: Talk, *prompts: str) -> list[str]:
    """Each in a session of its own; gives the texts of the memories."""
    for number, prompt in enumerate(prompts):
        one = Talk(talk.folder, talk.environ, f"{talk.name}-{number}")
        one.now = talk.now + number * 86_400_000
        one.turn(prompt)
        one.end()
        one.capture.run(everything=True)
        one.vault.close()
    return [file.read_text("utf-8").rsplit("---\n", 1)[-1].strip() for file in find_memories(talk)]


def find_memories(talk: Talk) -> list[Path]:
    kinds = ("preferences", "decisions")
    return sorted(file for kind in kinds for file in (talk.folder / "data").rglob(f"{kind}/*.md"))


def test_a_preference_in_near_identical_words_is_one_memory_with_the_evidence_of_all(talk: Talk) -> None:
    said = "I prefer tabs over spaces."
    [text] = tell(talk, said, "I prefer tabs over spaces in code.", "I really prefer tabs over spaces.")
    assert text == said
    with talk.again().history.store.read() as reader:
        [stored] = list(reader.each_document(Filter(types=("preference",))))
    assert stored.state.duplicate_count == 2


@pytest.mark.parametrize(
    "other",
    [
        "I prefer tabs over spaces in tests.",
        "I prefer spaces over tabs.",
        "I prefer tabs over spaces on Windows.",
    ],
)
def test_a_preference_under_another_condition_is_another_memory(talk: Talk, other: str) -> None:
    assert len(tell(talk, "I prefer tabs over spaces.", other)) == 2


def test_names_match_whatever_their_case(talk: Talk) -> None:
    said = "We decided to keep the notes in Notion."
    assert tell(
        talk, said, "We decided to keep the notes in notion.", "we definitely decided to keep the notes in Notion"
    ) == [said]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ich bevorzuge Tabs statt Leerzeichen.", "Ich bevorzuge wirklich Tabs statt Leerzeichen im Code."),
        ("Prefiero las tabulaciones a los espacios.", "Realmente prefiero las tabulaciones a los espacios."),
        ("Je préfère les tabulations aux espaces.", "Je préfère nettement les tabulations aux espaces dans le code."),
    ],
)
def test_so_it_is_in_other_languages(talk: Talk, one: str, other: str) -> None:
    assert tell(talk, one, other) == [one]


@pytest.mark.parametrize(
    "other", ["I never prefer tabs over spaces.", "I prefer spaces over tabs.", "I prefer 2 tabs over spaces."]
)
def test_what_negates_turns_round_or_counts_differently_is_not_the_same(other: str) -> None:
    assert not says_the_same("I really prefer tabs over spaces.", other)
