"""What one search can't answer is told by its wording, and taken apart with the subject that its parts share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.recall.routing import MOST_CLAUSES, plan

OUTLINES = (
    "In what order did we change the backup?",
    "List the order in which I mentioned the rooms of the house",
    "Walk me through the chronology of the outage",
    "How has the importer progressed since spring?",
    "How did my training plan evolve over time?",
    "How many times did the oven fail?",
    "How many guests have I invited in total?",
    "Summarize what we know of the boiler",
    "Give me an overview of the garden project",
    "¿En qué orden cambiamos las copias?",
    "¿Cómo ha evolucionado el proyecto del huerto?",
    "Resume lo que hablamos del horno",
    "In welcher Reihenfolge haben wir die Räume gestrichen?",
    "Dans quel ordre avons-nous peint les pièces ?",
)
SINGLES = (
    "Why did we choose PostgreSQL?",
    "How many eggs does the dough need?",
    "Order a new kettle",
    "What is the port of the database?",
    "Who painted the fence and the shed?",
    "How does the importer order its steps?",
    "",
    "?",
)
PARTS = (
    ("Where is the key? Who has the spare?", ("Where is the key?", "Who has the spare?")),
    ("What runs on it and where are its backups", ("What runs on it", "where are its backups runs")),
    ("Which oven do we have, and also which pans?", ("Which oven do we have", "which pans?")),
    ("Compare restic with borg", ("restic", "borg")),
    ("What is the difference between restic and borg, for the photos?", ("restic photos", "borg photos")),
    ("Considering the rent, the commute and the school, which flat fits?", ("the rent", "the commute", "the school")),
    ("¿Dónde está la llave y quién tiene la copia?", ("¿Dónde está la llave", "quién tiene la copia?")),
)  # fmt: skip


@pytest.mark.parametrize("text", OUTLINES)
def test_a_question_of_order_progress_number_or_sum_asks_for_an_outline(text: str) -> None:
    made = plan(text)
    assert made.kind == "outline"
    assert made.why.lower() in text.lower()


@pytest.mark.parametrize("text", SINGLES)
def test_what_one_search_answers_stays_one(text: str) -> None:
    assert plan(text).kind == "single"


@pytest.mark.parametrize(("text", "clauses"), PARTS)
def test_several_questions_are_asked_one_by_one_with_their_subject(text: str, clauses: tuple[str, ...]) -> None:
    assert (plan(text).kind, plan(text).clauses) == ("parts", clauses)


@given(st.text(max_size=300))
def test_any_text_gets_a_plan_of_a_few_clauses(text: str) -> None:
    made = plan(text + " and what? and why? and who? and where? and when is it?")
    assert len(made.clauses) <= MOST_CLAUSES
    assert all(clause.strip() for clause in made.clauses)


@pytest.mark.timeout(10)
def test_a_long_text_costs_little() -> None:
    for text in ("between ", "how many ", "a and ", "how did x ", "considering a, "):
        plan(text * 1_000)
