from __future__ import annotations

from hearth.truth.judge import find_statements, says_again, tells_change


def test_two_ways_to_say_one_thing_say_it_again() -> None:
    assert says_again("The user lives in Lisbon.", "The user is living in Lisbon.")
    assert not says_again("The user lives in Lisbon.", "The user lives in Porto.")
    assert not says_again("The user lives in Lisbon.", "The user's sister lives in Lisbon.")
    assert not says_again("The user likes long meetings.", "The user hates long meetings.")


def test_a_wish_a_question_and_a_denial_say_nothing_again() -> None:
    for text in (
        "Maybe the user lives in Lisbon.",
        "Does the user live in Lisbon?",
        "The user isn't living in Lisbon.",
    ):
        assert not says_again("The user lives in Lisbon.", text)


def test_a_change_is_told_from_a_state() -> None:
    assert tells_change("The user moved back to Lisbon.")
    assert tells_change("The user no longer smokes.")
    assert not tells_change("The user lives in Lisbon.")


def test_of_a_note_only_sentences_that_settle_something_are_compared() -> None:
    note = "It was a fine day. We moved the sessions to Redis. Nobody knows why. The port is 8080."
    assert find_statements(note, 5) == ["We moved the sessions to Redis.", "The port is 8080."]
    assert find_statements(note, 1) == ["We moved the sessions to Redis."]
