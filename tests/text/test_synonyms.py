from __future__ import annotations

from hearth.text.synonyms import synonyms_of


def test_words_translate_both_ways() -> None:
    assert "fallo" in synonyms_of("error", {})
    assert "error" in synonyms_of("Fallo", {})
    assert synonyms_of("archivo", {}) == ("file",)


def test_the_users_own_words_come_first_without_repeats() -> None:
    extra = {"Meeting": ["Standup", "reunión", "meeting"]}
    assert synonyms_of("meeting", extra) == ("standup", "reunión")


def test_unknown_words_have_none() -> None:
    assert synonyms_of("zebra", {}) == ()
    assert synonyms_of("", {}) == ()
