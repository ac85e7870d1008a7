"""The passages that hold a name, whatever else its words could mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth import app
from hearth.graph.names import find_fragments
from hearth.ports import Filter
from hearth.vault.vault import Vault

NOTES = {
    "one.md": "Ines Aldana called about the roof.\n",
    "two.md": "Aldana and Ines are two families here.\n",
    "three.md": "---\npeople: [Ines Aldana]\n---\n\nThe roof is done.\n",
    "march.md": "Signed by Leo March in person.\n",
    "spanisch.md": "Der Dachdecker schrieb heute, dass Ines Aldana nicht kommen kann, weil sie krank ist.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    for name, text in NOTES.items():
        (tmp_path / "notes").mkdir(exist_ok=True)
        (tmp_path / "notes" / name).write_text(text, "utf-8")
    with app.open_folder(tmp_path / "notes", tmp_path / "work") as opened:
        opened.index.sync()
        yield opened


def paths(vault: Vault, name: str, limit: int = 100) -> list[str]:
    with vault.store.read() as reader:
        return [one.stored.document.path for one in find_fragments(reader, name, Filter(), limit)]


def test_only_what_holds_the_whole_name_is_found_in_every_language(vault: Vault) -> None:
    assert sorted(paths(vault, "ines aldana")) == ["one.md", "spanisch.md", "three.md"]
    assert len(paths(vault, "Ines Aldana", 2)) == 2
    assert paths(vault, "Ines Aldanas") == paths(vault, "…") == []


def test_a_name_that_is_a_word_for_a_time_is_a_name(vault: Vault) -> None:
    assert paths(vault, "March") == ["march.md"]
