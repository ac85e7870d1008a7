"""What sentences are by their form, and near ones that are not."""

from __future__ import annotations

import pytest

from hearth.extract.rules.extract import extract
from hearth.extract.rules.forms.directives import find_directive, find_request
from hearth.model.capture.extraction import Category
from hearth.model.host.transcript import Kind, TranscriptEntry, Turn

FORMS = {
    Category.PRINCIPLE: [
        "Stop adding comments to obvious code.",
        "please stop mocking the oven in tests",
        "use ruff, not flake8",
        "Nie Roggen mahlen.",
        "Füge niemals Hefe hinzu.",
        "Non usare mai il lievito.",
        "Loaves must never be counted as rolls.",
        "Recipes should always name the flour first.",
        "For weights, always grams.",
        "Pour les poids, toujours le système SI.",
        "Keep recipes under two pages, nobody reads more.",
        "please show weights with one decimal, not two, in everything I send to Ada",
        "teach through pictures only",
        "nobody works more than three nights in a row",
        "please don't give the same person two weekends in a row",
        "errors are raised in the library and never in the shop",
        "british spelling everywhere please",
        "Schreib Rechnungen auf Deutsch, mit der Nummer am Anfang",
        "Redacta los informes en español",
    ],
    Category.DECISION: [
        "We use pnpm, not npm.",
        "We store dates in UTC instead of local time.",
        "Let's not use pandas in the loader.",
        "Lass uns PostgreSQL für die Warteschlange nehmen.",
        "Usemos PostgreSQL para la cola.",
        "Utilisons PostgreSQL pour la file.",
        "Vamos usar PostgreSQL na fila.",
        "Usiamo PostgreSQL per la coda.",
        "Давай использовать PostgreSQL.",
        "我们改用PostgreSQL",
        "PostgreSQLを使いましょう",
        "Use polars for this, pandas takes four minutes.",
        "rye with spelt is what we use everywhere",
        "v1 ships without coupons, cards only.",
        "set the timeout explicitly to 5s instead of relying on the default",
        "public API stays frozen until 2.0",
        "let's call the accounts in English, the German names confuse Ada",
        "Coupons come in v2.",
        "We're not doing tastings for this one, the hall is too small.",
        "then no delivery van, we rent a bike",
        "Ghent sounds great, let's do 2 nights there",
        "also we retire the old oven next month",
        "I want Saturdays to be the only baking days, no exceptions.",
    ],
    Category.PREFERENCE: [
        "I want you to answer in short sentences.",
        "I always want recipes in the metric form.",
        "we don't want to change trains more than twice",
    ],
    Category.COMMITMENT: [
        "I have to send the draft to Ada by Friday",
        "We must submit the form before March 3.",
        "Tengo que entregar las notas antes del 5 de febrero",
        "Bis Freitag muss ich den Bericht an Ada schicken",
    ],
    Category.CORRECTION: [
        "holidays count double for overtime, you forgot that",
        "Ignore what I said about flour, use rye for it",
    ],
    Category.FACT: [
        "Jonas works at Bosch now.",
        "My sister Ana lives in Lisbon.",
        "Maria is the new tech lead of the billing team.",
        "Der Timeout ist jetzt 30 Sekunden statt 10.",
        "Our rate limit for guests is now 300 requests.",
        "Jonas arbeitet jetzt bei Bosch.",
        "Jonas trabaja ahora en Bosch.",
        "Jonas travaille maintenant chez Bosch.",
        "Jonas trabalha agora na Bosch.",
        "Jonas ist unser neuer Entwickler.",
        "Ada Roux owns the billing tables, ask her if a column looks odd",
    ],
}
OTHERS = [
    "Stop worrying about it.",
    "Stop the server.",
    "Use a dict here, not a list.",
    "Maybe we use pnpm, not npm.",
    "use the larder if it is open, not the shed",
    "The importer works at night.",
    "It works as expected.",
    "This lives in the attic.",
    "Jonas works at Bosch, I think.",
    "Ich hatte nie Probleme.",
    "Hatte nie Probleme mit dem Ofen.",
    "I want you to fix the oven.",
    "Let's not worry about it.",
    "The oven is hot now, 3 of us saw it.",
    "We use it a lot.",
    "The tests must be slow today, I guess.",
    "These must not be the right ones.",
    "For some reason, never mind.",
    "Keep things simple.",
    "show me the rows, not the totals",
    "use rye for this, please",
    "The demo comes with a bug, I think.",
    "We're not doing well.",
    "no problem, we keep it",
    "It sounds great, let's do it",
    "I always want to know more.",
    "I don't want to lose it.",
    "I have to send it by Friday.",
    "I have to go by bus.",
    "nobody works here",
    "no one has an idea",
    "please don't use it",
    "it stays open",
    "Schreib mir das auf Deutsch auf",
]


@pytest.mark.parametrize(
    ("category", "text"), [(category, text) for category, texts in FORMS.items() for text in texts]
)
def test_a_form_tells_what_a_sentence_is(category: Category, text: str) -> None:
    assert find_directive(text) is category


@pytest.mark.parametrize("text", OTHERS)
def test_a_near_form_tells_nothing(text: str) -> None:
    assert find_directive(text) is None


def test_a_question_that_asks_for_something_from_now_on_is_an_instruction() -> None:
    assert find_request("Can you use uv instead of pip from now on?") == "Use uv instead of pip from now on."
    assert find_request("Can you use uv instead of pip?") is None


@pytest.mark.parametrize(
    ("text", "category", "stated"),
    [
        (
            "ok let's not use pandas in the loader, use polars.",
            "decision",
            "We do not use pandas in the loader, use polars.",
        ),
        ("Let's use COPY for the import.", "decision", "We use COPY for the import."),
        ("We decided to use COPY instead of INSERT.", "decision", "We decided to use COPY instead of INSERT."),
        ("Our staging server runs on port 8080.", "fact", "Our staging server runs on port 8080."),
        ("Stop adding comments to obvious code.", "principle", "Stop adding comments to obvious code."),
        ("Always run the linter before you commit.", "principle", "Always run the linter before you commit."),
        ("Never add pandas as a dependency.", "principle", "Never add pandas as a dependency."),
        ("could you use uv instead of pip from now on?", "principle", "Use uv instead of pip from now on."),
        (
            "I'd like you to keep answers short.",
            "preference",
            "The user would like the assistant to keep answers short.",
        ),
    ],
)
def test_what_a_person_tells_an_agent_is_kept_as_a_statement_that_stands_alone(
    text: str, category: str, stated: str
) -> None:
    [found] = extract([Turn(1, prompts=(TranscriptEntry(Kind.USER, text),))]).memories
    assert (str(found.category), found.text, found.standalone) == (category, stated, True)
