"""Two machines that note on one day before their folders have met."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hearth.app import open_vault
from hearth.engine.vault import Vault


@contextmanager
def machine(home: Path) -> Iterator[Vault]:
    folders = {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in ("config", "data", "cache", "state")}
    with open_vault(environ=folders | {"HOME": str(home / "home")}) as vault:
        yield vault


def memory(home: Path) -> Path:
    return home / "data" / "default" / "memory"


def days(home: Path) -> list[str]:
    return sorted(path.name for path in (memory(home) / "daily").iterdir() if not path.name.startswith("."))


def carry(source: Path, target: Path, conflict: str | None = None) -> None:
    """As a sync program does: what differs and is there already stays, and what came becomes a conflict copy."""
    for path in (source / "data").rglob("*"):
        place = target / "data" / path.relative_to(source / "data")
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        elif not place.exists():
            shutil.copy2(path, place)
        elif place.read_bytes() != path.read_bytes() and conflict is not None:
            shutil.copy2(path, place.with_name(place.name.replace(".md", "") + conflict))


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "one", tmp_path / "two"


def test_a_machine_that_joined_a_vault_adds_its_name_from_its_first_note_on(homes: tuple[Path, Path]) -> None:
    one, two = homes
    with machine(one):  # it makes the vault, and writes nothing yet
        pass
    carry(one, two)
    with machine(two) as vault:
        vault.memories.note("bread at night")
    with machine(one) as vault:
        vault.memories.note("tea at noon")
    carry(two, one, ".sync-conflict-20260101-120000-ABCDEFG.md")
    plain, suffixed = sorted(days(one), key=len)
    assert (len(plain), len(suffixed)) == (len("2026-01-01.md"), len("2026-01-01.0123456789.md"))
    assert "tea at noon" in (memory(one) / "daily" / plain).read_text("utf-8")
    assert "bread at night" in (memory(one) / "daily" / suffixed).read_text("utf-8")


def test_the_machine_that_made_the_vault_keeps_the_plain_name_whoever_wrote_last(homes: tuple[Path, Path]) -> None:
    one, two = homes
    with machine(one) as vault:
        vault.memories.note("tea at noon")
    carry(one, two)
    with machine(two) as vault:
        vault.memories.note("bread at night")
        vault.memories.note("milk at night")
    assert len(days(two)) == 2
    shutil.rmtree(memory(one) / "daily")
    with machine(one) as vault:
        vault.memories.note("tea at five")
    assert [len(name) for name in days(one)] == [len("2026-01-01.md")]


def test_of_vaults_that_were_made_apart_and_joined_both_days_are_read_once(homes: tuple[Path, Path]) -> None:
    one, two = homes
    for home, text in ((one, "the basalt tea at noon"), (two, "the granite bread at night")):
        with machine(home) as vault:
            vault.memories.note(text)
    carry(two, one, ".sync-conflict-20260101-120000-ABCDEFG.md")
    with machine(one) as vault:
        vault.index.sync()
        for word in ("basalt", "granite"):
            hits = vault.recall(word, recipe="keyword").hits
            assert [hit for hit in hits if word in hit.snippet] == [hits[0]]
        assert vault.status().documents == 2
        copied = [why for _, why in vault.status().problems]
        assert len(copied) == 1 and "sync conflict" in copied[0]
    # What the other machine writes from now on, now that it knows who made the vault.
    carry(one, two)
    shutil.copy2(memory(one) / ".made-by", memory(two) / ".made-by")
    shutil.rmtree(memory(two) / "daily")
    with machine(two) as vault:
        vault.memories.note("milk at night")
    assert [len(name) for name in days(two)] == [len("2026-01-01.0123456789.md")]


def test_both_sides_of_a_conflict_in_the_record_name_one_machine(homes: tuple[Path, Path]) -> None:
    ids = []
    for home in homes:
        with machine(home):
            ids.append((memory(home) / ".made-by").read_text("ascii").strip())
    text = f"<<<<<<< HEAD\n{ids[0]}\n=======\n{ids[1]}\n>>>>>>> other\n"
    for home in homes:
        (memory(home) / ".made-by").write_text(text, "ascii")
        with machine(home) as vault:
            vault.memories.note("tea")
    assert sorted(len(days(home)[0]) for home in homes) == [len("2026-01-01.md"), len("2026-01-01.0123456789.md")]


def test_a_persons_conflict_copy_is_a_document_of_its_own_and_marked(tmp_path: Path) -> None:
    from hearth.app import open_folder

    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Larder\n\nThe basalt stands here.\n", "utf-8")
    copy = "a.sync-conflict-20260101-120000-ABCDEFG.md"
    (notes / copy).write_text("# Larder\n\nThe granite stands here.\n", "utf-8")
    with open_folder(notes, tmp_path / "work") as vault:
        vault.index.sync()
        assert vault.recall("granite", recipe="keyword").hits[0].path == copy
        assert [(uri.rpartition("/")[2], why) for uri, why in vault.status().problems] == [
            (copy, "a copy that a sync conflict left of a.md")
        ]
