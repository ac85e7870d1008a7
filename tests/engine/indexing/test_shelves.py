"""A folder of many pages without a date is a manual: searches find it, below own notes, and no hook brings it up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hearth import paths
from hearth.app import compose, hooks, settings
from hearth.config import Config
from hearth.config.tree import CollectionSettings
from hearth.engine.indexing import shelves
from hearth.engine.indexing.shelves import list_shelves, note_shelves
from hearth.engine.vault import Vault
from hearth.model.host.hook import PromptSubmitted
from hearth.ports import CollectionState
from hearth.store.memory import InMemoryStore
from hearth.testing import START_MS, record

PAGE = "# git commit\n\nCommit staged files to the repository with a message.\n"
OWN = "# Ours\n\nWhen we commit staged files, the message names the ticket.\n"
ASKED = "how do we commit staged files with a message?"


MANY = 3


@pytest.fixture(scope="module", autouse=True)
def small_shelves() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelves, "LEAST", MANY)
        yield


def fill(store: InMemoryStore, collection: str, *folders: str, count: int = MANY, dated: int | None = None) -> None:
    with store.write() as writer:
        writer.set_collection(CollectionState(collection, f"/{collection}", START_MS))
        for folder in folders:
            for number in range(count):
                at = START_MS if number == dated else None
                writer.put(record(collection, f"{folder}{number}.md", f"Page {number}.", authored_at=at))


def find(store: InMemoryStore, *scanned: str, changed: bool = True) -> list[tuple[str, str]]:
    note_shelves(store, scanned, changed=changed)
    with store.read() as reader:
        return list(list_shelves(reader))


def test_the_outermost_folders_of_many_undated_documents_are_shelves() -> None:
    store = InMemoryStore()
    fill(store, "mixed", "own/", count=1, dated=0)
    fill(store, "mixed", "pages/linux/", "pages/osx/")
    fill(store, "manual", "")
    fill(store, "diary", "", dated=1)
    fill(store, "few", "", count=MANY - 1)
    assert find(store, "mixed", "manual", "diary", "few") == [("manual", ""), ("mixed", "pages")]
    with store.write() as writer:
        writer.put(record("mixed", "pages/osx/mine.md", "Mine.", authored_at=START_MS))
        writer.drop_collection("manual")
    assert find(store, "mixed", changed=False) == [("manual", ""), ("mixed", "pages")]
    assert find(store, "mixed") == [("mixed", "pages/linux")]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Own notes beside a manual, in one folder."""
    folder = tmp_path_factory.mktemp("notes")
    for name in ("own", "manual"):
        (folder / name).mkdir()
    (folder / "own" / "2026-03-01.md").write_text(OWN, "utf-8")
    (folder / "manual" / "git-commit.md").write_text(PAGE, "utf-8")
    for number in range(MANY - 1):
        (folder / "manual" / f"page{number}.md").write_text(f"# page {number}\n\nPrint page {number}.\n", "utf-8")
    return folder


@pytest.fixture(scope="module")
def vaults(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[float | None, Vault]]:
    """The same index, by what the owner says of the folder."""
    work = tmp_path_factory.mktemp("work")
    environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
    chosen, opened = settings(environ=environ), dict[float | None, Vault]()
    for surface in (None, 1.0):
        found = {"all": CollectionSettings(path=notes, surface=surface)}
        opened[surface] = compose(replace(chosen, vault=replace(chosen.vault, collections=found)))
    opened[None].index.sync()
    yield opened
    for vault in opened.values():
        vault.close()


def surfaced(vault: Vault, prompt: str) -> str:
    event = PromptSubmitted(host="test", session="s1", prompt=prompt)
    return hooks(vault, Config()).answer("context-surfacing", event, 60_000).reply.context or ""


def test_no_hook_brings_up_a_manual_that_lies_beside_own_notes(vaults: dict[float | None, Vault]) -> None:
    text = surfaced(vaults[None], ASKED)
    assert "own/2026-03-01" in text and "manual/" not in text
    assert surfaced(vaults[None], "git commit to the repository") == ""
    assert "manual/" in surfaced(vaults[1.0], "git commit to the repository")


def test_whoever_asks_finds_own_notes_before_a_manual_that_answers_as_well(
    vaults: dict[float | None, Vault],
) -> None:
    assert [hit.path for hit in vaults[1.0].recall(ASKED).hits][:2] == ["manual/git-commit.md", "own/2026-03-01.md"]
    hits = vaults[None].recall(ASKED).hits
    assert [hit.path for hit in hits][:2] == ["own/2026-03-01.md", "manual/git-commit.md"]


def test_a_page_of_a_manual_that_is_asked_for_by_its_name_comes_first(vaults: dict[float | None, Vault]) -> None:
    [first, *_] = vaults[None].recall(vaults[None].query("git commit", explain=True)).hits
    assert first.path == "manual/git-commit.md" and first.explain is not None
    assert "reference" not in [move.stage for move in first.explain.moves]
