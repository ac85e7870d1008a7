"""Questions in other words than the notes', over the examples: hooks answer the sure ones, and no stranger's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.vault.vault import Vault

HERE = Path(__file__).parent
ROOT = next(folder for folder in HERE.parents if (folder / "pyproject.toml").exists())
PARAPHRASED = [line.split("\t") for line in (HERE / "paraphrased.tsv").read_text("utf-8").splitlines()]
STRANGERS = (HERE / "strangers.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    vault = open_folder(ROOT / "examples" / "notes", tmp_path_factory.mktemp("work"))
    vault.index.sync()
    vault.index.embed()
    yield vault
    vault.close()


def shown(vault: Vault, prompt: str) -> list[str]:
    query = vault.query(prompt, recipe="surface", limit=20, budget_tokens=800)
    return [hit.path for hit in vault.recall(query).hits]


def test_some_questions_in_other_words_bring_up_what_answers_them(examples: Vault) -> None:
    answered = [path in shown(examples, asked) for path, asked in PARAPHRASED]
    assert (len(answered), sum(answered) >= 8) == (38, True), sum(answered)


def test_questions_of_strangers_bring_up_nothing(examples: Vault) -> None:
    assert [asked for asked in STRANGERS if shown(examples, asked)] == []


@pytest.mark.parametrize(
    "prompt",
    ["How do we turn volumes into weights?", "Does the number of users matter for the fee?"],
)
def test_a_question_that_meaning_answers_brings_it_up(examples: Vault, prompt: str) -> None:
    expected = next(path for path, asked in PARAPHRASED if asked == prompt)
    assert expected in shown(examples, prompt)


@pytest.mark.parametrize("prompt", ["why did it fail?", "what did you change?", "how do i parse json in bash?"])
def test_a_question_that_says_little_still_brings_up_nothing(examples: Vault, prompt: str) -> None:
    assert shown(examples, prompt) == []
