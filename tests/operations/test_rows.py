"""A brief row tells whether to read a passage, and where, for a fifth of what the passage costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.benchmark.measures import load
from hearth.core.query import Recall
from hearth.operations.render import brief_fragments
from hearth.operations.search import answer
from hearth.operations.shapes import briefly
from hearth.text.lines import estimate_tokens

NOTES = {
    "adr.md": "# Which queue\n\nDate: 2026-02-03\nStatus: accepted\n\nWe decided to use RabbitMQ.\n",
    "prices.md": "# Prices\n\nWhat things cost.\n\n| thing | price |\n|---|---|\n"
    "| spoke | 3 |\n| rim | 7 |\n| hub | 11 |\n",
    "bakery.md": "# Bakery\n\nThe oven is old.\nIt needs care.\nMore of it.\nThe rest is on paper.\n"
    "Opening hours are seven to noon.\n",
}
EXAMPLES = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "examples"


def cost(recall: Recall, *, brief: bool) -> int:
    return estimate_tokens(json.dumps(answer(recall, brief=brief, full=not brief), ensure_ascii=False))


@pytest.mark.parametrize(
    ("question", "path", "line", "text"),
    [
        ("which queue do we use", "adr.md", 6, "We decided to use RabbitMQ."),
        ("price of the hub", "prices.md", 9, "| hub | 11 |"),
        ("opening hours", "bakery.md", 7, "Opening hours are seven to noon."),
    ],
)
def test_a_brief_row_cites_the_line_that_it_shows(
    tmp_path: Path, question: str, path: str, line: int, text: str
) -> None:
    (tmp_path / "notes").mkdir()
    for name, written in NOTES.items():
        (tmp_path / "notes" / name).write_text(written, "utf-8")
    vault = open_folder(tmp_path / "notes", tmp_path / "work", {})
    vault.index.sync()
    hit = vault.recall(vault.query(question)).hits[0]
    vault.close()
    assert hit.path == path
    assert briefly(hit) == (line, text)
    assert f"{path}:{line} " in brief_fragments([hit])


def test_brief_answers_about_the_examples_cost_about_a_quarter_of_whole_ones(tmp_path: Path) -> None:
    vault = open_folder(EXAMPLES / "notes", tmp_path / "work", {})
    vault.index.sync()
    [case] = load(EXAMPLES)
    answers = [vault.recall(vault.query(asked.text, limit=10)) for asked in case.questions]
    vault.close()
    brief, whole = (sum(cost(recall, brief=short) for recall in answers) for short in (True, False))
    assert 3.8 * brief <= whole
    assert all(row["snippet"] for recall in answers for row in answer(recall, brief=True, full=False)["results"])
