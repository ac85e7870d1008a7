"""A brief row tells whether to read a passage, and where, for a fifth of what the passage costs."""

from __future__ import annotations

import json
from pathlib import Path

from hearth.app import open_folder
from hearth.engine.bench.cases import load
from hearth.model.query import Recall
from hearth.server.operations.search import answer
from hearth.text.budget import estimate_tokens

EXAMPLES = Path(__file__).parents[3] / "examples"


def cost(recall: Recall, *, brief: bool) -> int:
    return estimate_tokens(json.dumps(answer(recall, brief=brief, full=not brief), ensure_ascii=False))


def test_brief_answers_about_the_examples_cost_a_fifth_of_whole_ones(tmp_path: Path) -> None:
    vault = open_folder(EXAMPLES / "notes", tmp_path / "work", {})
    vault.index.sync()
    [case] = load(EXAMPLES)
    answers = [vault.recall(vault.query(asked.text, limit=10)) for asked in case.questions]
    vault.close()
    brief, whole = (sum(cost(recall, brief=short) for recall in answers) for short in (True, False))
    assert 5 * brief <= whole
    assert all(row["snippet"] for recall in answers for row in answer(recall, brief=True, full=False)["results"])
