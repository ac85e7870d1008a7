"""What a collection's ``surface`` says holds where nobody asked, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearth import paths
from hearth.app import compose, hooks, open_folder, settings
from hearth.config import Config
from hearth.config.tree import CollectionSettings
from hearth.engine.vault import Vault
from hearth.model.host.hook import PromptSubmitted

PAGE = "# git commit\n\nCommit staged files to the repository with a message.\n"
OWN = "# Ours\n\nWhen we commit staged files, the message names the ticket.\n"
ASKED = "how do we commit staged files with a message?"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[float], Vault]]:
    """A vault of own notes beside pages of a manual, by what these count."""
    for name, text in (("own/commits.md", OWN), ("pages/git-commit.md", PAGE)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, "utf-8")
    vaults: list[Vault] = []

    def make(surface: float) -> Vault:
        work = tmp_path / f"work-{surface}"
        environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
        chosen = settings(environ=environ)
        found = {
            "own": CollectionSettings(path=tmp_path / "own"),
            "pages": CollectionSettings(path=tmp_path / "pages", surface=surface),
        }
        vault = compose(replace(chosen, vault=replace(chosen.vault, collections=found)))
        vaults.append(vault)
        vault.index.sync()
        return vault

    yield make
    for vault in vaults:
        vault.close()


def told(vault: Vault, prompt: str) -> str:
    event = PromptSubmitted(host="test", session="s1", prompt=prompt)
    return hooks(vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""


def test_reference_is_found_by_a_search_and_brought_up_by_no_hook(opened: Callable[[float], Vault]) -> None:
    vault = opened(0.0)
    assert {hit.collection for hit in vault.recall(ASKED).hits} == {"own", "pages"}
    text = told(vault, ASKED)
    assert "names the ticket" in text and "pages/" not in text
    assert told(vault, "git commit to the repository") == ""


def test_own_notes_come_before_pages_that_count_less(opened: Callable[[float], Vault]) -> None:
    assert told(opened(1.0), ASKED).index("pages/git-commit") < told(opened(1.0), ASKED).index("own/commits")
    text = told(opened(0.6), ASKED)
    assert "own/commits" in text
    assert "pages/git-commit" not in text or text.index("own/commits") < text.index("pages/git-commit")


def test_a_collection_that_is_named_is_searched_all_the_same(opened: Callable[[float], Vault]) -> None:
    hits = opened(0.0).recall(ASKED, recipe="surface", collections=("pages",)).hits
    assert {hit.collection for hit in hits} <= {"pages"}


@pytest.fixture
def code_notes(tmp_path: Path) -> Iterator[Vault]:
    notes = tmp_path / "code"
    notes.mkdir()
    (notes / "flow.md").write_text(
        "# Screens\n\nThe cart screen reads its StateFlow once, or it redraws twice.\n", "utf-8"
    )
    (notes / "cents.md").write_text("# Amounts\n\nRounding is done in billing/money.py, half to even.\n", "utf-8")
    for number in range(30):
        (notes / f"day{number}.md").write_text(f"# Day {number}\n\nWorked on the flow of screen {number}.\n", "utf-8")
    vault = open_folder(notes, tmp_path / "work")
    vault.index.sync()
    yield vault
    vault.close()


@pytest.mark.parametrize("recipe", ["surface", "surface-speed"])
@pytest.mark.parametrize(
    ("prompt", "path"),
    [("where is StateFlow used", "flow.md"), ("fix money.py", "cents.md"), ("clean up OtherFlow", None)],
)
def test_a_rare_name_in_code_brings_up_the_note_that_holds_it(
    code_notes: Vault, recipe: str, prompt: str, path: str | None
) -> None:
    found = code_notes.recall(code_notes.query(prompt, recipe=recipe, limit=10, budget_tokens=800))
    assert [hit.path for hit in found.hits] == ([path] if path else [])


def test_one_ordinary_word_brings_nothing_up(code_notes: Vault) -> None:
    assert not code_notes.recall(code_notes.query("commit this", recipe="surface", limit=10, budget_tokens=800)).hits
