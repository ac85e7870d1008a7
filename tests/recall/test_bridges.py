"""A note that says it in other words answers, and never before one that says it in the question's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hearth.core.query import Query, Recall
from hearth.recall.interfaces import RankingSettings
from hearth.recall.lexicon import look_up
from hearth.recall.question import Language, Question
from hearth.recall.question import ask as take_apart
from hearth.recall.recall import Recaller

AT = 1_700_000_000_000
NOTES = {
    "pet.md": "The dog sleeps in the kitchen since the storm.\n",
    "dinner.md": "Marinate shrimp with garlic before the guests come.\n",
    "party.md": "Her birthday is in May; bring a present.\n",
    "standup.md": "The meeting moved to Tuesday at ten.\n",
    "hosting.md": "The invoice of the provider arrives on the first.\n",
    "clinic.md": "The physician asked for another appointment.\n",
    "paint.md": "Choose a color for the wall of the study.\n",
    "cluster.md": "Kubernetes restarts the pods of staging every night.\n",
    "names.md": "The filename holds the date of the recording.\n",
    "reise.md": "Wir haben die Rechnung für das Hotel noch nicht bezahlt und müssen sie an die Firma schicken.\n",
}


@pytest.fixture
def ask(box: Any) -> Iterator[Callable[..., Recall]]:
    for path, text in NOTES.items():
        box.write(path, text)
    box.sync()

    def answer(text: str, *, language: Language | None = None, **given: Any) -> Recall:
        recaller = Recaller(box.store, None, RankingSettings(language or Language()))
        return recaller(Query(text, AT, recipe="keyword", min_score=0.0, **given))

    yield answer


def read(text: str, language: Language) -> Question:
    return take_apart(Query(text, AT), language)


def first(recall: Recall) -> str:
    return recall.hits[0].path if recall.hits else recall.reason or ""


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("perro", "pet.md"),
        ("¿dónde duermen los perros?", "pet.md"),
        ("camarones", "dinner.md"),
        ("cumpleaños", "party.md"),
        ("¿cuándo es la reunión?", "standup.md"),
        ("réunion", "standup.md"),
        ("factura del proveedor", "hosting.md"),
        ("Garnelen", "dinner.md"),
        ("Geburtstag", "party.md"),
        ("cachorro", "pet.md"),
        ("doctor", "clinic.md"),
        ("colour of the walls", "paint.md"),
        ("kubernets", "cluster.md"),
        ("file name", "names.md"),
    ],
)
def test_other_words_for_the_same_find_the_note(ask: Callable[..., Recall], question: str, path: str) -> None:
    assert first(ask(question)) == path


def test_a_german_note_answers_an_english_and_a_spanish_question(ask: Callable[..., Recall]) -> None:
    assert "reise.md" in [hit.path for hit in ask("invoice").hits]
    assert "reise.md" in [hit.path for hit in ask("facturas").hits]


def test_a_note_with_the_words_of_the_question_is_before_one_with_others(ask: Callable[..., Recall]) -> None:
    paths = [hit.path for hit in ask("invoice").hits]
    assert paths[0] == "hosting.md"
    assert "reise.md" in paths


@pytest.mark.parametrize(("question", "path"), [("k8s", "cluster.md"), ("mascota", "pet.md")])
def test_the_owners_synonyms_reach_the_answer(ask: Callable[..., Recall], question: str, path: str) -> None:
    own = Language(synonyms={"k8s": ["kubernetes"], "dog": ["mascota"]})
    assert first(ask(question, language=own)) == path


def test_the_explanation_names_the_words_and_what_joins_them(ask: Callable[..., Recall]) -> None:
    bridges = ask("perros", explain=True).trace["bridges"]
    assert ["perros", "dog", "translation"] in bridges
    assert ["lobster", "shrimp", "meaning"] in ask("lobster", explain=True).trace["bridges"]


def test_no_bridge_is_crossed_where_synonyms_are_off(ask: Callable[..., Recall]) -> None:
    assert not ask("perros", language=Language(expand_synonyms=False)).hits


def test_a_pasted_run_of_letters_costs_what_a_word_does(
    ask: Callable[..., Recall], steps: Callable[[Callable[[], object]], int]
) -> None:
    ask("a" * 100)
    assert steps(lambda: ask("a" * 10_000)) < 1.2 * steps(lambda: ask("a" * 100))


def test_a_name_has_no_neighbours(ask: Callable[..., Recall]) -> None:
    assert not ask("what did we tell Doctor about it", explain=True).trace.get("bridges")


def test_a_question_in_another_language_is_asked_without_its_own_stop_words(box: Any) -> None:
    box.write("link.md", "A backlink shows the notes that mention the active one.\n")
    box.write("quote.md", "He sang con el viento, los dos, todo de la nada.\n")
    for number in range(6):
        box.write(f"{number}.md", f"Plain English words about shelf number {number}, and about nothing else.\n")
    box.sync()
    question = read("¿Cómo puedo ver todos los enlaces de la nota que está activa en el jardín?", Language(("en",)))
    asked = {variant for word in question.words for variant in word.variants}
    assert question.foreign and not asked & {"de", "la", "que", "los", "en", "el"}
    assert not read("how can I see all the links of the note?", Language(("en",))).foreign


def test_words_that_no_table_translates_do_not_drown_those_that_one_does(box: Any) -> None:
    box.write("dog.md", "The dog sleeps in the kitchen.\n")
    box.sync()
    with box.store.read() as reader:
        known = look_up(read("el perro en la cocina", Language(("en",))), reader, reader.statistics())
        unknown = look_up(read("el perro en la cocina con zumbático", Language(("en",))), reader, reader.statistics())
        english = look_up(read("the dog in the kitchen with zumbatic", Language(("en",))), reader, reader.statistics())
    assert known.mass < unknown.mass <= 1.5 * known.mass + 1e-9
    assert (known.native, english.native) == (0.0, 1.0)


def test_the_parts_of_a_word_are_looked_for_where_no_note_has_it_whole(box: Any) -> None:
    box.write("actions.md", "GitHub runs the actions of the workflow.\n")
    box.write("git.md", "The git hub of the wheel.\n")
    box.sync()

    def ids(text: str) -> int:
        with box.store.read() as reader:
            return len(look_up(read(text, Language(("en",))), reader, reader.statistics()).words)

    assert ids("GitHub") == 1
    assert ids("WheelHub") == 2


@pytest.mark.parametrize(
    ("french", "german", "found"),
    [
        ("fr/tests.md", "de/tests.md", "de/tests.md"),
        ("tests.fr.md", "tests.de.md", "tests.de.md"),
        ("lyon.md", "ulm.md", "lyon.md"),
    ],
)
def test_of_translations_that_in_the_language_of_the_question_comes_first(
    box: Any, french: str, german: str, found: str
) -> None:
    ours = "Wer mit der Datenbank spricht, wartet auf sie, und legt das in einen Ordner, der für die Suite da ist."
    box.write(french, "# Tests asynchrones\n\nLes tests asynchrones sont dans un dossier pour la suite.\n")
    box.write(german, f"# Asynchrone Tests\n\n{ours}\n")
    box.sync()
    recaller = Recaller(box.store, None, RankingSettings(Language()))
    for question, path in (("Was ist mit Tests asynchrone?", found), ("les tests asynchrones", french)):
        assert first(recaller(Query(question, AT, recipe="keyword", min_score=0.0))) == path
