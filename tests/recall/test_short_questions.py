"""Short questions of everyday notes: the answer is brought up where nobody asked the notes, and little else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.vault.vault import Vault

HERE = Path(__file__).parent
_ROWS = [row.split("\t") for row in (HERE / "asked_shortly.tsv").read_text("utf-8").splitlines() if row[0] != "#"]
_ASKED = [(path, line, question) for path, line, question in _ROWS if question]
_UNANSWERED = (HERE / "unanswered.txt").read_text("utf-8").splitlines()
_DAYS = (
    "The vendor showed the new dashboard, we liked the filters.",
    "Idea: a map of all benches in the quarter.",
    "Bought a lamp for the reading corner.",
    "Long call about the windows, somebody will come.",
    "Refactored the parser, tests are green again.",
    "The cake was too dry, less flour next time.",
    "Prepared the quarterly report, numbers look fine.",
    "Well done, now what else? Why not think of anything better.",
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The notes that answer, with other lines in each, beside a diary."""
    folder = tmp_path_factory.mktemp("everyday")
    notes = folder / "notes"
    lines: dict[str, list[str]] = {}
    for path, line, _ in _ROWS:
        lines.setdefault(path, []).append(f"- {line}")
    for day in range(60):
        lines[f"daily/2026-{1 + day // 20:02}-{1 + day % 20:02}.md"] = [
            _DAYS[day] if day < 8 else _DAYS[day % 7],
            "",
            _DAYS[(3 * day + 1) % 7],
        ]
    for path, held in lines.items():
        file = notes / path
        file.parent.mkdir(parents=True, exist_ok=True)
        title = "Day" if path.startswith("daily") else file.stem.capitalize()
        file.write_text("\n".join([f"# {title}", "", *held, ""]), "utf-8")
    made = open_folder(notes, folder / "work")
    made.index.sync()
    yield made
    made.close()


def _brought_up(vault: Vault, question: str, recipe: str) -> str:
    hits = vault.recall(vault.query(question, recipe=recipe, limit=20, budget_tokens=800)).hits
    return "\n".join(hit.text for hit in hits)


@pytest.mark.parametrize(("recipe", "most_missed"), [("surface", 9), ("surface-speed", 19)])
def test_a_short_question_brings_up_the_line_that_answers_it(vault: Vault, recipe: str, most_missed: int) -> None:
    missed = [question for _, line, question in _ASKED if line not in _brought_up(vault, question, recipe)]
    assert len(_ASKED) == 40
    assert len(missed) <= most_missed, missed


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
def test_what_no_note_answers_is_mostly_left_alone(vault: Vault, recipe: str) -> None:
    answered = [question for question in _UNANSWERED if _brought_up(vault, question, recipe)]
    assert len(_UNANSWERED) == 25
    assert len(answered) <= 6, answered


def test_a_question_may_be_one_word_if_a_note_holds_it(vault: Vault) -> None:
    assert "Lent the blue atlas" in _brought_up(vault, "who has the atlas?", "surface")
    assert not _brought_up(vault, "who has the drill?", "surface")


@pytest.mark.parametrize("question", ["is it done?", "why?", "what do you think?"])
def test_a_question_of_nothing_but_ordinary_words_brings_nothing_up(vault: Vault, question: str) -> None:
    assert not _brought_up(vault, question, "surface")


def test_an_instruction_of_one_such_word_says_as_little_as_before(vault: Vault) -> None:
    assert not _brought_up(vault, "move the atlas", "surface-speed")
