"""What a prompt brings up and what a search finds agree; a shelf of reference pages stays out of short commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearth.app import compose, hooks, settings
from hearth.config import Config
from hearth.config.tree import CollectionSettings
from hearth.core import paths
from hearth.core.hook import PromptSubmitted
from hearth.vault.vault import Vault

EXAMPLES = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists()) / "examples"
_PLACE = re.compile(r"\| (?P<place>[\w-]+/[^|:]+):[\d,-]+ \|")
_VERBS = ("list", "copy", "commit", "test", "build", "remove", "fix", "install", "push", "watch")
_THINGS = ("files", "branches", "images", "packages", "rows", "tests", "keys", "jobs", "logs", "users")


def test_where_both_answer_the_first_document_is_the_same(examples: Vault) -> None:
    rows = [json.loads(row) for row in (EXAMPLES / "queries.jsonl").read_text("utf-8").splitlines()]
    pairs = []
    for text in (row["query"] for row in rows):
        shown = examples.recall(examples.query(text, recipe="surface", limit=26, budget_tokens=800)).hits
        found = examples.recall(examples.query(text)).hits
        if shown and found:
            pairs.append((text, shown[0].path, found[0].path))
    assert len(pairs) > 15
    # What is not likely to be wanted gives way to what is.
    assert len([pair for pair in pairs if pair[1] != pair[2]]) <= 1


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """Own notes beside three hundred pages of a manual on its shelf, as bootstrap leaves it there."""
    folder = tmp_path_factory.mktemp("shelf")
    own, pages = folder / "own", folder / "pages"
    for made in (own, pages):
        made.mkdir()
    (own / "commits.md").write_text("# How we commit\n\nCommit messages name the ticket of the shop.\n", "utf-8")
    (own / "tests.md").write_text(
        "# Flaky tests\n\nThe checkout test fails where the clock of the shop is late.\n", "utf-8"
    )
    for number in range(300):
        verb, thing = _VERBS[number % 10], _THINGS[number // 10 % 10]
        text = f"# tool-{number} {verb}\n\nThe command to {verb} {thing}; fix the failing ones and {verb} this again.\n"
        (pages / f"tool-{number}.md").write_text(text, "utf-8")
    environ = {f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in paths.NAMES} | {"HOME": str(folder)}
    chosen = settings(environ=environ)
    found = {"own": CollectionSettings(path=own), "pages": CollectionSettings(path=pages, surface="never")}
    vault = compose(replace(chosen, vault=replace(chosen.vault, collections=found)))
    vault.index.sync()
    yield vault
    vault.close()


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the failing test",
        "commit this",
        "list the files",
        "build the images and push them",
        "which packages to install?",
    ],
)
def test_no_reference_page_comes_with_a_short_command(shelf: Vault, prompt: str) -> None:
    assert not any(place.startswith("pages/") for place in _told(shelf, prompt))


def test_own_notes_are_told_first_beside_a_shelf_of_pages(shelf: Vault) -> None:
    assert _told(shelf, "why does the checkout test of the shop fail?")[:1] == ["own/tests.md"]
    assert _told(shelf, "what do our commit messages name?")[:1] == ["own/commits.md"]


def _told(vault: Vault, prompt: str) -> list[str]:
    event = PromptSubmitted(host="test", session="s1", prompt=prompt)
    context = hooks(vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""
    return [found["place"] for found in _PLACE.finditer(context)]
