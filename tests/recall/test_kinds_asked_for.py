"""Questions for a kind of memory bring what there is of it: decisions, promises, rules, the profile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.vault.vault import Vault

# What was decided, and a question about it that shares no telling word with it.
_DECIDED = {
    "We go with SQLite then.": "which database did we pick?",
    "Invoices are sent on the first of the month.": "when did we decide to bill customers?",
    "Mara narrates the whole second part.": "whose voice did we choose for telling the story?",
    "The landing page is plain HTML, no React.": "which frontend framework did we settle on?",
    "All releases go out on Tuesdays.": "which day did we agree on for deployments?",
    "The kitchen gets oak worktops.": "what wood did we pick?",
    "We fly to Lisbon in May.": "which city did we decide on for the holiday?",
}
_PROMISED = {
    "The user promised Ines a readout of her rain gauge.": "2023-11-17",
    "The user has to order the anemometer.": "2023-11-15",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("kinds")
    notes = folder / "notes"
    notes.mkdir()

    def write(name: str, kind: str, text: str, more: str = "") -> None:
        (notes / name).write_text(f"---\ncontent_type: {kind}\n{more}---\n{text}\n", "utf-8")

    for number, text in enumerate(_DECIDED):
        write(f"decision{number}.md", "decision", text)
    for number, (text, day) in enumerate(_PROMISED.items()):
        write(f"promise{number}.md", "commitment", text, f"due_at: {day}\n")
    write("timestamps.md", "principle", "Timestamps are always in UTC.")
    for number in range(20):
        (notes / f"garden{number}.md").write_text(f"# Garden {number}\n\nBed {number} wants water.\n", "utf-8")
    made = open_folder(notes, folder / "work")
    made.index.sync()
    yield made
    made.close()


def _ask(vault: Vault, text: str, recipe: str) -> list[str]:
    budget = 800 if recipe.startswith("surface") else None
    hits = vault.recall(vault.query(text, recipe=recipe, limit=10, budget_tokens=budget)).hits
    return list(dict.fromkeys(hit.path for hit in hits))


@pytest.mark.parametrize("recipe", ["surface", "hybrid"])
def test_a_question_about_a_decision_finds_it_without_its_words(vault: Vault, recipe: str) -> None:
    paths = {question: f"decision{number}.md" for number, question in enumerate(_DECIDED.values())}
    missed = [question for question, path in paths.items() if path not in _ask(vault, question, recipe)[:3]]
    assert len(missed) <= 3, missed


@pytest.mark.parametrize("text", ["which mattress did we pick?", "which lawyer did we choose?"])
def test_a_decision_on_something_else_is_none(vault: Vault, text: str) -> None:
    assert _ask(vault, text, "surface") == []


@pytest.mark.parametrize("recipe", ["surface", "surface-speed", "hybrid"])
def test_what_is_owed_comes_by_its_day(vault: Vault, recipe: str) -> None:
    assert _ask(vault, "what do I still have to do?", recipe)[:2] == ["promise1.md", "promise0.md"]
    assert _ask(vault, "what did I promise Ines?", recipe)[:1] == ["promise0.md"]


@pytest.mark.parametrize("recipe", ["surface", "surface-speed", "hybrid"])
def test_rules_are_told_where_they_are_asked_for(vault: Vault, recipe: str) -> None:
    assert _ask(vault, "what are our conventions?", recipe)[:1] == ["timestamps.md"]


def test_another_question_does_not_look_for_a_kind(vault: Vault) -> None:
    found = vault.recall(vault.query("which garden wants water?", explain=True)).hits
    assert found
    assert not any(score.lane == "kind" and score.raw for hit in found if hit.explain for score in hit.explain.lanes)


def test_what_lies_near_in_meaning_alone_is_no_sure_answer(vault: Vault) -> None:
    found = vault.recall("which wood did we pick?")
    assert found.hits[0].path == "decision5.md"
    assert not found.confident
    assert vault.recall("did we pick oak worktops?").confident


@pytest.mark.parametrize("recipe", ["surface", "hybrid"])
def test_a_question_for_a_kind_alone_puts_it_before_notes_with_that_word(tmp_path: Path, recipe: str) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "syntax.md").write_text("# Show all my rules\n\nMy rules of highlighting: these are the rules.\n", "utf-8")
    (notes / "own.md").write_text("---\ncontent_type: principle\n---\nTimestamps are always in UTC.\n", "utf-8")
    with closing(open_folder(notes, tmp_path / "work")) as made:
        made.index.sync()
        assert _ask(made, "what are my rules?", recipe)[0] == "own.md"


def test_what_was_decided_at_a_time_is_of_that_time(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    days = {"march.md": "2024-03-10"} | {f"later{number}.md": f"2024-05-0{number}" for number in range(1, 8)}
    for name, day in days.items():
        head = f"---\ncontent_type: decision\nauthored_at: {day}\n---\n"
        (notes / name).write_text(f"{head}The kitchen gets worktop {name}.\n", "utf-8")
    (notes / "garden.md").write_text("# Garden\n\nWe did decide to water bed 3.\n", "utf-8")
    with closing(open_folder(notes, tmp_path / "work")) as made:
        made.index.sync()
        assert _ask(made, "what did we decide in March 2024?", "hybrid")[0] == "march.md"
