from __future__ import annotations

import pytest

from hearth.capture.requests import Signal, Triggers, signal


@pytest.mark.parametrize(
    "text",
    [
        "We decided to bake rye only.",
        "No, that is wrong.",
        "no, wrong: don't use yeast here",
        "I promised to bake by Friday.",
        "From now on use grams.",
        "Hemos decidido usar centeno.",
        "Das stimmt nicht, das ist falsch.",
        "J'ai promis de finir avant lundi.",
        "Non è giusto, è sbagliato.",
        "A partir de agora use gramas.",
        "Мы решили печь рожь.",
        "我们决定用黑麦。",
        "ライ麦を使うことに決めました。",
        "Important: the oven is hot.",
    ],
)
def test_corrections_decisions_promises_and_marked_words_are_captured_at_once(text: str) -> None:
    assert signal(text)[0] is Signal.HIGH


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tabs over spaces.",
        "I hate semicolons.",
        "My name is Ana.",
        "I'm a nurse in Porto.",
        "I'm Ana, a backend developer. Can you fix the failing test?",
        "I am allergic to peanuts.",
        "Prefiero respuestas cortas.",
        "Ich heiße Ana.",
        "Je m'appelle Ana.",
    ],
)
def test_preferences_and_who_somebody_is_are_captured_at_once(text: str) -> None:
    assert signal(text)[0] is Signal.HIGH


@pytest.mark.parametrize("text", ["Can you fix the bug?", "Run the tests.", "", "<private>We decided to sell.", "ok"])
def test_requests_and_what_is_private_give_no_high_signal(text: str) -> None:
    assert signal(text)[0] < Signal.MEDIUM


def test_a_persons_own_pattern_counts_and_an_invalid_one_is_told_and_skipped() -> None:
    triggers = Triggers.of(["sourdough", "(unclosed", "*"])
    assert signal("The SOURDOUGH rises.", triggers) == (Signal.HIGH, ("custom:sourdough",))
    assert len(triggers.faults) == 2 and "(unclosed" in triggers.faults[0]
