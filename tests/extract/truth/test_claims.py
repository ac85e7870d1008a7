from __future__ import annotations

from hearth.extract.truth.claims import changes, claims, wordings_of


def test_two_ways_to_say_one_thing_claim_the_same() -> None:
    assert claims("The user lives in Lisbon.") == claims("The user is living in Lisbon.") != ()
    assert claims("The user lives in Lisbon.") != claims("The user lives in Porto.")
    assert claims("The user lives in Lisbon.") != claims("The user's sister lives in Lisbon.")


def test_a_wish_a_question_and_a_denial_claim_nothing() -> None:
    for text in (
        "Maybe the user lives in Lisbon.",
        "Does the user live in Lisbon?",
        "The user isn't living in Lisbon.",
    ):
        assert claims(text) == ()


def test_a_change_is_told_from_a_state() -> None:
    assert changes("The user moved back to Lisbon.")
    assert changes("The user no longer smokes.")
    assert not changes("The user lives in Lisbon.")


def test_other_words_for_an_attribute_are_known_in_each_language() -> None:
    assert {"moved", "lives", "home"} <= wordings_of("The user is living in Lisbon.")
    assert "frist" in wordings_of("Die Frist für den Antrag ist der 12. März.")
    assert "搬到了" in wordings_of("用户住在杭州。")
