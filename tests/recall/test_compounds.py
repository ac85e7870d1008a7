"""A word finds the compounds that end with it, in the languages that write them as one."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.query import Query
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.text.terms import is_compound, reverse_term

NOTES = {
    "wohnung.md": "Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals, und die Kaltmiete ist hoch.\n",
    "garten.md": "Der Apfelbaum wird im Februar geschnitten, die Hecke erst nach der Brut der Vögel.\n",
    "huis.md": "De verwarmingsketel van het huis is in de kelder en de opzegtermijn is drie maanden.\n",
    "bostad.md": "Det är en lång uppsägningstid och vi har inte fått någon hyreshöjning av värden.\n",
}


@pytest.fixture
def notes(box: Any) -> Any:
    for path, text in NOTES.items():
        box.write(path, text)
    box.sync()
    return box


def ask(box: Any, question: str) -> list[str]:
    hits = Recaller(box.store, None, RankingSettings())(Query(question, at=box.now, recipe="keyword")).hits
    return [hit.path for hit in hits]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("Welche Frist gilt?", "wohnung.md"),
        ("Wie hoch ist die Miete?", "wohnung.md"),
        ("Wann schneide ich den Baum?", "garten.md"),
        ("Waar is de ketel?", "huis.md"),
        ("Hur lång tid gäller?", "bostad.md"),
    ],
)
def test_a_word_finds_the_compound_that_ends_with_it(notes: Any, question: str, path: str) -> None:
    assert ask(notes, question)[:1] == [path]


def test_what_has_the_word_itself_stands_before_a_compound(notes: Any) -> None:
    notes.write("frist.md", "Welche Frist gilt, ist in dem Vertrag nicht zu finden.\n")
    notes.sync()
    assert ask(notes, "Welche Frist hat der Ausstieg zum Ende des Quartals?") == ["wohnung.md", "frist.md"]
    assert ask(notes, "Welche Frist?")[0] == "frist.md"


@pytest.mark.parametrize(
    ("word", "tail", "is_one"),
    [
        ("kundigungsfrist", "frist", True),
        ("frist", "frist", False),
        ("strist", "rist", False),
        ("fristlos", "frist", False),
    ],
)
def test_a_compound_ends_with_the_word_and_begins_with_what_may_be_one(word: str, tail: str, *, is_one: bool) -> None:
    assert is_compound(reverse_term(word), tail) is is_one
