"""What a collection's ``surface`` says holds where nobody asked, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearth.app import compose, hooks, open_folder, settings
from hearth.config import Config
from hearth.config.tree import CollectionSettings
from hearth.core import paths
from hearth.core.hook import PromptSubmitted
from hearth.vault.vault import Vault

PAGE = "# git commit\n\nCommit staged files to the repository with a message.\n"
OWN = "# Ours\n\nWhen we commit staged files, the message names the ticket.\n"
ASKED = "how do we commit staged files with a message?"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Vault]]:
    """A vault of own notes beside pages of a manual, by the surface of these."""
    for name, text in (("own/commits.md", OWN), ("pages/git-commit.md", PAGE)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, "utf-8")
    vaults: list[Vault] = []

    def make(surface: str, *projects: str) -> Vault:
        work = tmp_path / f"work-{surface}"
        environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
        chosen = settings(environ=environ)
        found = {
            "own": CollectionSettings(path=tmp_path / "own"),
            "pages": CollectionSettings(path=tmp_path / "pages", surface=surface, projects=projects),
        }
        vault = compose(replace(chosen, vault=replace(chosen.vault, collections=found)))
        vaults.append(vault)
        vault.index.sync()
        return vault

    yield make
    for vault in vaults:
        vault.close()


def told(vault: Vault, prompt: str, cwd: Path | None = None) -> str:
    event = PromptSubmitted(host="test", session="s1", prompt=prompt, cwd=None if cwd is None else str(cwd))
    return hooks(vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""


def test_what_is_never_to_be_brought_up_is_found_by_a_search_alone(opened: Callable[..., Vault]) -> None:
    vault = opened("never")
    assert {hit.collection for hit in vault.recall(ASKED).hits} == {"own", "pages"}
    text = told(vault, ASKED)
    assert "names the ticket" in text and "pages/" not in text
    assert told(vault, "git commit to the repository") == ""


TOLD = "sweep the polyphonic bassoon reed cabinet"
REED = "# Reed cabinet\n\nThe bassoon reed cabinet is swept with a dry polyphonic brush on Mondays only.\n"


@pytest.mark.parametrize(
    ("surface", "at_home", "elsewhere"),
    [("project", True, False), ("asked", False, False), ("always", True, True), ("never", False, False)],
)
def test_the_place_decides_what_an_instruction_brings(
    opened: Callable[..., Vault], tmp_path: Path, surface: str, at_home: bool, elsewhere: bool
) -> None:
    (tmp_path / "pages" / "music.md").write_text(REED.replace("Reed cabinet\n", "Mondays\n", 1), "utf-8")
    (tmp_path / "elsewhere").mkdir()
    vault = opened(surface)
    assert ("pages/music" in told(vault, TOLD, tmp_path / "pages")) is at_home
    assert ("pages/music" in told(vault, TOLD, tmp_path / "elsewhere")) is elsewhere


@pytest.mark.parametrize(("surface", "brought"), [("project", True), ("asked", True), ("never", False)])
def test_a_question_brings_what_lies_elsewhere(
    opened: Callable[..., Vault], tmp_path: Path, surface: str, brought: bool
) -> None:
    (tmp_path / "pages" / "music.md").write_text(REED, "utf-8")
    (tmp_path / "elsewhere").mkdir()
    text = told(opened(surface), "how is the bassoon reed cabinet swept?", tmp_path / "elsewhere")
    assert ("pages/music" in text) is brought


def test_an_instruction_brings_what_it_names_from_elsewhere(opened: Callable[..., Vault], tmp_path: Path) -> None:
    (tmp_path / "pages" / "music.md").write_text(REED, "utf-8")
    (tmp_path / "elsewhere").mkdir()
    assert "pages/music" in told(opened("project"), TOLD, tmp_path / "elsewhere")


def test_a_collection_is_at_home_in_the_projects_that_it_names(opened: Callable[..., Vault], tmp_path: Path) -> None:
    (tmp_path / "pages" / "music.md").write_text(REED.replace("Reed cabinet\n", "Mondays\n", 1), "utf-8")
    (tmp_path / "shop").mkdir()
    vault = opened("project", "shop")
    assert "pages/music" in told(vault, TOLD, tmp_path / "shop")


def test_a_collection_that_is_named_is_searched_all_the_same(opened: Callable[..., Vault]) -> None:
    hits = opened("never").recall(ASKED, recipe="surface", collections=("pages",)).hits
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


def test_a_stub_and_what_was_turned_down_are_not_brought_beside_what_holds(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "german.md").write_text("# German\n\n- a [[language]]\n", "utf-8")
    (notes / "kiln.md").write_text("# Kiln\n\nThe gneiss kiln is fired at 1,100 degrees on Fridays.\n", "utf-8")
    (notes / "kiln-plan.md").write_text("# Kiln plan\n\nTurned down.\nThe gneiss kiln is fired on Mondays.\n", "utf-8")
    vault = open_folder(notes, tmp_path / "work")
    vault.index.sync()
    assert told(vault, "set the language to german") == ""
    text = told(vault, "when is the gneiss kiln fired?")
    assert "notes/kiln.md" in text and "kiln-plan" not in text
    vault.close()
