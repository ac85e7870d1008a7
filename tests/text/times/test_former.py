"""Which questions ask for what is no longer so."""

from __future__ import annotations

import pytest

from hearth.text.time_expressions import asks_former


@pytest.mark.parametrize(
    "question",
    [
        "what did we use before?",
        "Which database did we have before PostgreSQL?",
        "what editor did she use before we switched",
        "Where did Anna used to live?",
        "What was the previous port of staging",
        "Wo lief der Server früher?",
        "Welche Datenbank hatten wir vorher?",
        "Qu'est-ce qu'on utilisait avant ?",
        "¿Qué usábamos antes?",
        "Che editor usavamo prima?",
        "Que banco usávamos anteriormente?",
        "Welke editor gebruikten we vroeger?",
        "Что мы использовали раньше?",
        "Vad använde vi tidigare?",
    ],
)
def test_a_question_about_the_past_is_one(question: str) -> None:
    assert asks_former(question)


@pytest.mark.parametrize(
    "question",
    [
        "what must be checked before a release goes out",
        "remind me to call before Friday",
        "which database do we use?",
        "how do I run the tests before pushing",
        "Was muss vor dem Release geprüft werden?",
        "¿Qué hay que revisar antes del viernes?",
        "",
    ],
)
def test_a_question_that_only_orders_things_is_none(question: str) -> None:
    assert not asks_former(question)
