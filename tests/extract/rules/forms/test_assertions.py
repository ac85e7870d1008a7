"""What sentences tell of a thing by their form, and near ones that tell of the moment alone."""

from __future__ import annotations

import pytest

from hearth.extract.rules.extract import extract
from hearth.extract.rules.forms.assertions import find_assertion
from hearth.model.capture.extraction import Category
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn

FACTS = [
    "I'm writing a cookbook about rye, working title 'The Long Dough'.",
    "We're building an app for bakers called Crumb.",
    "The main character is Ada Roux, a miller of 52.",
    "My editor is Ada Roux at Flour & Sons.",
    "Ada's sister is called Wren.",
    "Her bakery's name is now Crumb.",
    "The staging server is at 10.0.3.7 and runs Debian 12.",
    "Our API listens on port 8443 behind Caddy.",
    "The frontend lives in packages/web, the backend in services/api.",
    "CI runs on GitHub Actions with runners of our own.",
    "The orders table has 40 million rows.",
    "The book has five chapters.",
    "The price will be 9 euros a month, flat.",
    "Payments are handled by Stripe.",
    "Users log in through Keycloak.",
    "The old oven was built by Wren, who left in 2024.",
    "It turned out that the leak came from the image cache.",
    "The bug was a missing index on orders.customer_id.",
    "We're a team of six, all remote.",
    "Budget is 18,000 euros.",
    "Abgabe ist am 15. Februar.",
    "The budget went up to 21,000 because of the oven.",
    "My wife Ada is allergic to nickel, so no nickel handles.",
    "I'm a nurse and I work night shifts.",
    "Unsere Datenbank läuft auf dem Server db2.",
    "Mein Verlag heißt Roggenbuch.",
    "El servidor de pruebas está en 10.0.0.5.",
    "Mi tesis trata sobre la pesca en Galicia.",
    "Mon directeur s'appelle Karim Roux.",
    "Le serveur tourne sous Debian 12.",
    "I'm working on Crumbfall, a game about mills.",
    "my brother Jonas does the pixel art",
    "I do the design, my brother Jonas does the pixel art.",
    "hopper is the NAS at 192.168.10.4",
    "All services sit behind caddy, certificates come from a local CA.",
    "Ada is allergic to shellfish, so careful with restaurants",
    "we're vegetarians at home but on trips we eat fish",
    "my partner Ada and I are going to Ghent from April 3 to April 17",
    "Bonjour, je rédige le chapitre 3 de ma thèse.",
    "Mon directeur, Luc Roux, veut un plan d'ici vendredi.",
    "I'm editing chapter 12 of Crumbs.",
    "Ada only works mornings because of her kids",
    "I send the final plan to Ada on the 20th of each month",
    "I pay myself 3500 a month",
    "deliveries come every other week",
    "our tax advisor Mrs Roux needs everything by the 10th of the month",
    "travel costs go to 4660, hosting to 4806",
    "Ansprechpartnerin für die Datenbank ist Frau Roux, nicht mehr Herr Kranz",
]
OTHERS = [
    "The output is 42.",
    "The error is in line 42.",
    "The build is at 80 percent.",
    "The main problem is that it is slow.",
    "The page is blank.",
    "The text is in French.",
    "The first chapter is too long.",
    "That's why the chance is 0.",
    "I'm writing a test for this.",
    "I'm working on it.",
    "I'm a bit tired.",
    "This is 42.",
    "Everything is at 10.",
    "The oven is so slow that 3 loaves burnt.",
    "I'm a big fan of rye.",
    "I'm trying to understand this error.",
    "Maybe the server is at 10.0.3.7.",
    "Is the server at 10.0.3.7?",
    "If the server is at 10.0.3.7, it answers.",
    "It should be green, not red.",
    "What runs on port 8443?",
    "All tests are on fire.",
    "I want it every day.",
    "I see them every week.",
    "so the probability is 1/2",
    "it goes to 11",
    "I'm going to bed at 10.",
    "I'm working on it, a bit slowly.",
    "my brother Jonas thinks so",
]


@pytest.mark.parametrize("text", FACTS)
def test_what_is_told_of_a_thing_is_a_fact(text: str) -> None:
    assert find_assertion(text) is Category.FACT


@pytest.mark.parametrize("text", OTHERS)
def test_what_only_the_moment_means_is_none(text: str) -> None:
    assert find_assertion(text) is None


def test_a_value_put_right_is_a_correction() -> None:
    assert find_assertion("Ada should be 29, not 34.") is Category.CORRECTION


def test_who_changed_their_mind_says_next_what_holds_now() -> None:
    (memory,) = _captured("I changed my mind about the ending. She keeps the ledger; burning it felt too easy.")

    assert memory == (
        Category.DECISION,
        "The user said: “I changed my mind about the ending. She keeps the ledger; burning it felt too easy.”",
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Please never use em dashes in my prose.", "Never use em dashes in the user's prose."),
        ("Talk to me in Spanish.", "Talk to the user in Spanish."),
        ("Let's decide the ending: she burns the ledger.", "The ending: she burns the ledger."),
        ("It turned out that the leak came from the image cache.", "The leak came from the image cache."),
        ("Our fiscal year starts in April.", "Our fiscal year starts in April."),
        ("El servidor de pruebas está en 10.0.0.5.", "El servidor de pruebas está en 10.0.0.5."),
    ],
)
def test_what_is_kept_stands_alone(said: str, kept: str) -> None:
    assert [text for _, text in _captured(said)] == [kept]


def _captured(said: str) -> list[tuple[Category, str]]:
    turn = Turn(2, prompts=(TranscriptEntry(Kind.USER, said),), replies=("Done.",))
    before = Turn(1, prompts=(TranscriptEntry(Kind.USER, "Good morning."),), replies=("I have read it.",))
    return [(memory.category, memory.text) for memory in extract([before, turn], 1).memories]
