"""What stands beside a question, pasted or said, neither silences nor displaces what the question finds."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hearth.app import hooks
from hearth.config import Config
from hearth.core.hook import PromptSubmitted
from hearth.vault.vault import Vault

EXAMPLES = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "examples"
QUESTIONS = [json.loads(row)["query"] for row in (EXAMPLES / "queries.jsonl").read_text("utf-8").splitlines()]
TRACE = (
    'Traceback (most recent call last):\n  File "/srv/app/main.py", line 12, in <module>\n    run(order)\n'
    '  File "/srv/app/worker.py", line 80, in run\n    raise TypeError("x is None")\nTypeError: x is None'
)
PASTED = {
    "a JSON error": '{question} {"error": "invalid token", "code": 500}',
    "a JSON error on a line of its own": '{question}\n{"error":{"code":"ECONNREFUSED","message":"connect failed"}}',
    "a traceback before it": f"{TRACE}\n{{question}}",
    "an error line": "{question}\nTypeError: x is None",
}
MEGABYTES = {
    "a log": "2026-02-11 08:12:01 INFO worker started\n" * 26_000,
    "prose": "The shop never closes on Sundays. We always pay in cash.\n" * 18_000,
    "fenced code": "```\n" + "serve(coffee)\n" * 75_000 + "```\n",
}
SAID = {
    "inches": '{question} the screen is 27" wide',
    "an operator": "{question} type: foo",
    "chatter before it": "I was reading the notes this morning. {question}",
    "chatter after it": "{question} My screen is small and the keyboard is loud.",
}
# With these, a search for the same text has the same document first.
SEARCHED = ("a JSON error", "an error line", "an operator", "chatter before it", "chatter after it")
# Where a question without a mark runs into what is said next, nothing tells the two apart: two in twenty-eight.
MOST_LOST = 0.07
# A search has no gate: it may have first what no prompt is brought.
MOST_APART = 0.11
_PLACE = re.compile(r"\| notes/(?P<path>[^|:]+):[\d,-]+ \|")


@pytest.fixture(scope="module")
def alone(examples: Vault) -> dict[str, str | None]:
    """The document that comes first for each question by itself."""
    return {question: _first(examples, question) for question in QUESTIONS}


@pytest.mark.parametrize("name", [*PASTED, *SAID])
def test_what_stands_beside_a_question_keeps_its_answer_first_and_brings_up_none_where_there_is_none(
    examples: Vault, alone: dict[str, str | None], name: str
) -> None:
    prompts = {question: (PASTED | SAID)[name].replace("{question}", question) for question in QUESTIONS}
    told = {question: _first(examples, prompt) for question, prompt in prompts.items()}
    brought = {question: path for question, path in alone.items() if path}
    lost = [question for question in brought if told[question] is None]
    moved = [question for question, path in brought.items() if told[question] not in (None, path)]
    assert len(brought) >= 25
    assert len(lost) <= MOST_LOST * len(brought)
    assert len(moved) <= MOST_LOST * len(brought)
    if name in PASTED:
        assert [question for question in QUESTIONS if question not in brought and told[question]] == []
    if name in SEARCHED:
        pairs = [(path, _found(examples, prompts[question])) for question, path in told.items() if path]
        assert len([pair for pair in pairs if pair[0] != pair[1]]) <= MOST_APART * len(pairs)


def test_a_pasted_error_brings_up_the_note_that_names_it(examples: Vault) -> None:
    assert _first(examples, "fix this\nValueError: getUserById got no id") == "daily/2026-03-02.md"
    prompt = 'fix this\n{"error": {"code": "ERR_PRIVATE_ADDRESS"}}'
    assert _first(examples, prompt) == "projects/recipe-importer.md"


def test_hardly_anything_comes_for_what_is_pasted_alone(examples: Vault) -> None:
    everyday = (EXAMPLES.parent / "bench" / "everyday.txt").read_text("utf-8")
    pasted = [line for line in everyday.split("\n# The same with")[1].splitlines()[1:] if line]
    assert len(pasted) >= 100
    assert len([line for line in pasted if _first(examples, line.replace("\\n", "\n"))]) <= 2


def _found(vault: Vault, prompt: str) -> str:
    return vault.recall(vault.query(prompt)).hits[0].path


def _first(vault: Vault, prompt: str) -> str | None:
    event = PromptSubmitted(host="test", session="s1", prompt=prompt)
    context = hooks(vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""
    found = _PLACE.search(context)
    return found["path"] if found else None


@pytest.mark.parametrize("name", MEGABYTES)
def test_behind_a_pasted_megabyte_a_question_finds_its_answer(
    examples: Vault, alone: dict[str, str | None], name: str
) -> None:
    asked = [question for question, first in alone.items() if first and question.endswith("?")][:8]
    found = [_first(examples, f"{MEGABYTES[name]}\n{question}") for question in asked]
    assert found == [alone[question] for question in asked]
