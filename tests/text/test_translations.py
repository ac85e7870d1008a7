"""Translations by stems: every inflection that the stemmer joins, both ways."""

from __future__ import annotations

import pytest

from hearth.text.language import stem
from hearth.text.related_words import LANGUAGES, translate

PAIRS = [
    ("es", "perros", "dogs"),
    ("es", "camarones", "shrimp"),
    ("es", "cumpleaños", "birthdays"),
    ("es", "reuniones", "meetings"),
    ("es", "facturas", "invoices"),
    ("de", "Rechnungen", "invoices"),
    ("de", "Geburtstage", "birthday"),
    ("de", "Hunde", "dog"),
    ("fr", "chiens", "dogs"),
    ("fr", "réunions", "meeting"),
    ("fr", "factures", "invoice"),
    ("pt", "cachorros", "dogs"),
    ("pt", "reuniões", "meetings"),
    ("pt", "faturas", "invoice"),
]


@pytest.mark.parametrize(("language", "word", "english"), PAIRS)
def test_words_translate_both_ways_in_any_inflection(language: str, word: str, english: str) -> None:
    word = word.lower()
    assert stem(english, "en") in translate(word, language, ("en",))
    assert stem(word, language) in translate(english, "en", (language,))


def test_two_languages_meet_in_english() -> None:
    assert stem("rechnung", "de") in translate("facturas", "es", ("en", "de"))


def test_a_word_is_not_translated_into_its_own_language_nor_an_unknown_one_at_all() -> None:
    assert not list(translate("perro", "es", ("es",)))
    assert not list(translate("xqzzy", "es", ("en", *LANGUAGES)))
    assert not list(translate("perro", "zh", ("en",)))
    assert not list(translate("dog", "en", ("zh",)))
