"""What somebody has one of at a time: what they say of it later takes the place of what they said before."""

from __future__ import annotations

import pytest
from tests.capture.conftest import Talk

from hearth.capture.rules import spoken
from hearth.core.transcript import Kind, TranscriptEntry
from hearth.ports import Filter
from hearth.transcripts.turns import turns


def capture_each(talk: Talk, *prompts: str) -> dict[str, bool]:
    """Each in a session of its own; gives the memories and whether they still stand."""
    for number, prompt in enumerate(prompts):
        one = Talk(talk.folder, talk.environ, f"{talk.name}-{number}")
        one.now = talk.now + number * 86_400_000
        one.turn(prompt)
        one.end()
        one.capture.run(everything=True)
        one.vault.close()
    with talk.again().history.store.read() as reader:
        found = list(reader.each_document(Filter(types=("fact",), include_hidden=True)))
    return {one.document.title.rstrip("."): one.state.superseded_by is None for one in found}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My name is Ana", "My name is Hanna"),
        ("I live in Porto", "I live in Lisbon"),
        ("I work at Contoso", "I work for Fabrikam"),
        ("My time zone is Europe/Lisbon", "My time zone is Europe/Berlin"),
        ("My birthday is on 4 May", "My birthday is on 14 May"),
        ("I am vegetarian", "I am vegan"),
        ("Ich heiße Ana", "Ich heiße Hanna"),
        ("Trabajo como enfermera", "Trabajo como maestra"),
    ],
)
def test_a_later_value_supersedes_the_former_one_without_a_judge(talk: Talk, older: str, newer: str) -> None:
    assert capture_each(talk, f"{older}.", f"{newer}.") == {older: False, newer: True}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Porto", "I am vegetarian"),
        ("My birthday is on 4 May", "My birthday party is on 9 May"),
        ("My time zone is Europe/Lisbon", "I work as a nurse"),
    ],
)
def test_what_is_no_other_value_of_it_takes_nobodys_place(talk: Talk, one: str, other: str) -> None:
    assert all(capture_each(talk, f"{one}.", f"{other}.").values())


@pytest.mark.parametrize(
    ("said", "attribute"),
    [
        ("I live in Porto.", "residence"),
        ("My name is Ana.", "name"),
        ("Remember that my birthday is on 4 May.", "birthday"),
        ("We decided to move the office to Porto.", None),
    ],
)
def test_a_statement_about_oneself_carries_its_attribute(said: str, attribute: str | None) -> None:
    made = turns([TranscriptEntry(Kind.USER, said, turn=1)])
    assert [memory.attribute for memory in spoken(made)] == [attribute]
