from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.text.related_words import split_kind


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        ("which database did we pick and why?", "decided", "database and why?"),
        ("What did we decide?", "decided", "?"),
        ("why did we finally settle on Hetzner?", "decided", "Hetzner?"),
        ("did we decide to use redis for the queue?", "decided", "redis for the queue?"),
        ("which port are we using?", "decided", "port ?"),
        ("¿Qué base de datos elegimos?", "decided", "¿ base de datos ?"),
        ("Wofür haben wir uns bei der Datenbank entschieden?", "decided", "bei der Datenbank ?"),
        ("quelle base de données avons-nous choisie ?", "decided", "base de données ?"),
        ("quale database abbiamo scelto?", "decided", "database ?"),
        ("que banco de dados escolhemos?", "decided", "banco de dados ?"),
        ("welke database hebben we uiteindelijk gekozen?", "decided", "database uiteindelijk ?"),
        ("какую базу мы выбрали?", "decided", "базу ?"),
        ("vilken databas valde vi?", "decided", "databas ?"),
        ("what do I still have to do?", "owed", "?"),
        ("what's on my to-do list?", "owed", "?"),
        ("what did I promise Ines?", "owed", "Ines?"),
        ("Was muss ich noch erledigen?", "owed", "?"),
        ("qu'est-ce qu'il me reste à faire ?", "owed", "?"),
        ("¿qué me queda por hacer?", "owed", "¿ ?"),
        ("what do you know about me?", "user", "?"),
        ("was weißt du über mich?", "user", "?"),
        ("what are our coding conventions?", "rules", "?"),
    ],
)
def test_a_question_asks_for_a_kind_about_something(text: str, kind: str, about: str) -> None:
    rest, found = split_kind(text)
    assert (found, " ".join(rest.split())) == (kind, about)


@pytest.mark.parametrize(
    "text",
    [
        "what's the broker address?",
        "what do I have to do to run the tests?",
        "use SQLite for this",
        "pick a name for the service",
        "what is a decision tree?",
        "remind the user of open tasks",
        "the user picks which database to use",
        "",
    ],
)
def test_what_asks_for_something_else_stays_whole(text: str) -> None:
    assert split_kind(text) == (text, "")


@given(st.text(max_size=60))
def test_what_a_question_is_about_is_never_lost(about: str) -> None:
    about = about.replace("\n", " ")
    assert split_kind(f"what did we decide on {about}")[0].endswith(about)
