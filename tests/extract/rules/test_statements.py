from __future__ import annotations

from datetime import date

import pytest

from hearth.extract.rules.statements import state
from hearth.model.capture.extraction import Category

SAID = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I prefer rye", "The user prefers rye."),
        ("I need two ovens.", "The user needs two ovens."),
        ("I really love my old oven.", "The user really loves their old oven."),
        ("I've decided to sell the oven to my sister.", "The user has decided to sell the oven to their sister."),
        ("I'm allergic to nuts.", "The user is allergic to nuts."),
        ("I'll call Ada tomorrow.", "The user will call Ada tomorrow (2026-03-05)."),
        ("My wife bakes on Mondays.", "The user's wife bakes on Mondays."),
        ("Promised Ada I'd write.", "The user promised Ada they would write."),
        ("Will send the recipe to Ada.", "The user will send the recipe to Ada."),
        ("and I saved 40 euros", "The user saved 40 euros."),
        ("Ada prefers rye to wheat.", "Ada prefers rye to wheat."),
        ("I'm using rye and want more of it.", "The user is using rye and wants more of it."),
        ("I've bought an oven and have a baker.", "The user has bought an oven and has a baker."),
        ("I'll buy an oven and have a baker.", "The user will buy an oven and have a baker."),
        ("I want to bake and have guests.", "The user wants to bake and have guests."),
        ("I try to bake daily", "The user said: “I try to bake daily.”"),
        ("We use two ovens.", "We use two ovens."),
        ("I told Ada that they owe me bread.", "The user said: “I told Ada that they owe me bread.”"),
        ("My partner Ada and I are going to Ghent.", "The user and their partner Ada are going to Ghent."),
        ("I want you to answer briefly.", "The user wants the assistant to answer briefly."),
    ],
)
def test_english_is_rewritten_where_grammar_and_person_are_certain_and_quoted_elsewhere(text: str, stated: str) -> None:
    found = state(text, "", "en", Category.FACT, SAID)
    assert (found.text, found.standalone) == (stated, True)


@pytest.mark.parametrize(
    ("text", "language", "stated"),
    [
        ("Prefiero el centeno", "es", "Preferencia del usuario: “Prefiero el centeno.”"),
        ("Ich mag Roggen.", "de", "Vorliebe des Nutzers: “Ich mag Roggen.”"),
        ("Je préfère le seigle.", "fr", "Préférence de l'utilisateur: “Je préfère le seigle.”"),
        ("Prefiro centeio.", "pt", "Preferência do usuário: “Prefiro centeio.”"),
        ("Preferisco la segale.", "it", "Preferenza dell'utente: “Preferisco la segale.”"),
    ],
)
def test_other_languages_keep_their_words_after_who_said_them(text: str, language: str, stated: str) -> None:
    assert state(text, "", language, Category.PREFERENCE, None).text == stated


def test_what_only_the_sentence_before_explains_is_quoted_with_it_and_marked() -> None:
    found = state("That is what we use.", "The oven is electric.", "en", Category.DECISION, SAID)
    assert found.text == "The user said: “The oven is electric. That is what we use.”" and not found.standalone


@pytest.mark.parametrize(
    ("before", "text", "stated"),
    [
        ("Ada is the new baker.", "I'll send her the recipe.", "The user will send Ada the recipe."),
        ("Talked with Ada.", "I promised to try her bread.", "The user promised to try Ada's bread."),
        ("Ada told Bob about it.", "I'll send her the recipe.", "The user will send her the recipe."),
        ("The oven is new.", "I'll send her the recipe.", "The user will send her the recipe."),
    ],
)
def test_who_is_meant_is_named_where_only_one_can_be(before: str, text: str, stated: str) -> None:
    assert state(text, before, "en", Category.COMMITMENT, None).text == stated


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("No semicolons in the code.", "No semicolons in the code."),
        ("No, we use pnpm.", "We use pnpm."),
        ("No uses var en el código.", "No uses var en el código."),
        ("Great Danes are never let in.", "Great Danes are never let in."),
        ("Great, never let dogs in.", "Never let dogs in."),
    ],
)
def test_what_a_sentence_denies_is_no_courtesy_before_it(said: str, kept: str) -> None:
    language = "es" if "código" in said else "en"
    assert state(said, "", language, Category.PRINCIPLE, None).text == kept


def test_who_says_their_name_is_named() -> None:
    found = state("I'm Ada Roux, baker at Crumb.", "", "en", Category.FACT, None)
    assert found.text == "The user is Ada Roux, baker at Crumb."
