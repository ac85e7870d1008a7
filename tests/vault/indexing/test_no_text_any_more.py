"""A note that becomes something that is no text leaves the index, and says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.app import open_folder
from hearth.cli.health import index
from hearth.vault.vault import Vault

BINARY = b"\x00\x01\x02" * 500


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for word in ("basalt", "granite", "marble"):
        (folder / f"{word}.md").write_text(f"# About {word}\n\nThe {word} stands here.\n", encoding="utf-8")
    return folder


@pytest.fixture
def vault(tmp_path: Path, notes: Path) -> Iterator[Vault]:
    with open_folder(notes, tmp_path / "work") as made:
        made.index.sync()
        yield made


def paths(vault: Vault, text: str) -> list[str]:
    """Where a word stands."""
    return [hit.path for hit in vault.recall(text, recipe="keyword").hits if text in hit.text]


def test_it_is_not_found_any_more_and_listed_with_its_reason(vault: Vault, notes: Path) -> None:
    assert paths(vault, "basalt") == ["basalt.md"]
    (notes / "basalt.md").write_bytes(BINARY)
    report = vault.index.sync()
    assert (report.retired, [(file.path, file.reason) for file in report.skipped]) == (
        1,
        [("basalt.md", "binary, not text")],
    )
    assert paths(vault, "basalt") == []
    assert vault.status().documents == 2
    again = vault.index.sync()
    assert (again.retired, [file.path for file in vault.status().skipped]) == (0, ["basalt.md"])


def test_it_comes_back_with_its_state_when_it_is_text_again(vault: Vault, notes: Path) -> None:
    text = (notes / "basalt.md").read_bytes()
    vault.state.pin("basalt.md")
    (notes / "basalt.md").write_bytes(BINARY)
    vault.index.sync()
    (notes / "basalt.md").write_bytes(text)
    vault.index.sync()
    assert paths(vault, "basalt") == ["basalt.md"]
    assert vault.status().states["pinned"] == 1


def test_doctor_names_it_once_and_asks_for_no_update(vault: Vault, notes: Path) -> None:
    (notes / "basalt.md").write_bytes(BINARY)
    vault.index.sync()
    levels = {found.level: found.message for found in index.agreement(vault)}
    assert levels["ok"] == "the index agrees with the files"
    assert levels["warn"] == "1 file can't be indexed: notes/basalt.md (binary, not text)"
    (notes / "basalt.md").write_text("# Text\n", encoding="utf-8")
    [found] = index.agreement(vault)
    assert found.fix == "run: hearth update"


def test_an_index_built_anew_says_the_same(vault: Vault, notes: Path) -> None:
    (notes / "basalt.md").write_bytes(BINARY)
    vault.index.sync()
    before = (vault.status().documents, vault.status().skipped)
    vault.index.reindex()
    assert (vault.status().documents, vault.status().skipped) == before


def test_several_documents_are_got_and_it_is_named_as_skipped(vault: Vault, notes: Path) -> None:
    (notes / "basalt.md").write_bytes(BINARY)
    for _ in range(2):  # before and after a look at the folder
        for pattern in ("*.md", "basalt.md, marble.md, granite.md"):
            excerpts, skipped = vault.multi_get(pattern)
            assert sorted(excerpt.document.path for excerpt in excerpts) == ["granite.md", "marble.md"]
            assert [(file.path, "binary, not text" in file.reason) for file in skipped] == [("basalt.md", True)]
        vault.index.sync()


def test_a_vault_whose_only_notes_are_none_any_more_is_not_called_empty(vault: Vault, notes: Path) -> None:
    for file in notes.glob("*.md"):
        file.write_bytes(BINARY)
    vault.index.sync()
    said = "no note can be read: 3 files are left out (binary, not text); see: hearth status --all"
    for recipe in ("keyword", "semantic", "hybrid"):
        assert vault.recall("basalt", recipe=recipe).reason == said
    for file in notes.glob("*.md"):
        file.unlink()
    vault.index.sync(force=True)
    assert vault.recall("basalt").reason == "the vault is empty; add notes with: hearth bootstrap FOLDER"
