"""What stands beside a name tells a person from a thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.language.entity_words import NameEvidence


def told(text: str, language: str = "en", name: str = "Odile") -> set[str]:
    evidence, start = NameEvidence(text, language), text.index(name)
    judged = {"person": evidence.is_person, "tool": evidence.is_tool, "thing": evidence.is_thing}
    return {kind for kind, judge in judged.items() if judge(start, start + len(name))}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Odile said no.", {"person"}),
        ("Thanks, Odile!", {"person"}),
        ("It is Odile, who left.", {"person"}),
        ("We saw Odile's sister.", {"person"}),
        ("Odile 3.2 is out.", {"tool"}),
        ("`odile --help` tells how Odile goes.", {"tool"}),
        ("Try Odile on Android.", {"tool"}),
        ("We met Odile on Tuesday.", set()),
        ("They sell GitLab, Odile and more.", {"tool"}),
        ("The Odile fair was loud.", {"thing"}),
        ("Odile came at 14:30.", set()),
    ],
)
def test_a_person_a_tool_or_neither(text: str, kinds: set[str]) -> None:
    assert told(text) == kinds


def test_an_article_is_one_of_the_language() -> None:
    assert told("Escribí a Odile.", "es") == set()
    assert told("An Odile gesendet.", "de") == set()


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_judged(before: str, behind: str) -> None:
    evidence = NameEvidence(f"{before}Odile{behind}", "en")
    place = len(before), len(before) + 5
    assert {type(judge(*place)) for judge in (evidence.is_person, evidence.is_tool, evidence.is_thing)} == {bool}
    assert evidence.is_by_code(*place) in (True, False)
