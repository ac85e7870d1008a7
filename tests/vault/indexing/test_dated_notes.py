"""What a note's date, or the lack of one, does to answers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.house import House

from hearth.ports import Filter
from hearth.vault.vault import Vault

DAY = 86_400_000


@pytest.fixture
def house(tmp_path: Path) -> House:
    built = House(tmp_path, tmp_path / "notes")
    built.configure()
    built.write("adr/0001.md", "# 1. Use PostgreSQL\n\nDate: 2021-05-05\n\nWe chose PostgreSQL for the larder.\n")
    built.write("adr/0002.md", "# 2. Use Redis\n\nWe chose Redis for the pantry.\n")
    built.write("bread.md", "---\ndate: 2022-01-02\n---\n# Bread\n\nThe sourdough rests for a night.\n")
    built.write("2026-11-01.md", "# Day\n\nThe baker came and left early.\n")
    return built


def paths(vault: Vault, within: Filter) -> list[str]:
    return [stored.document.path for stored in vault.documents(within)]


def test_a_range_holds_what_is_dated_in_it_whatever_the_files_say(house: House) -> None:
    vault = house.vault
    now = vault.clock()
    assert paths(vault, Filter(since=now - 30 * 365 * DAY, until=1_672_531_200_000)) == ["adr/0001.md", "bread.md"]
    assert paths(vault, Filter(since=now - 7 * DAY)) == []
    hits = vault.recall("sourdough rests before:2023-01-01", recipe="keyword", syntax=True).hits
    assert [hit.path for hit in hits] == ["bread.md"]


def test_a_note_that_nothing_dates_has_no_date_anywhere(house: House) -> None:
    vault = house.vault
    hit = vault.recall("which store for the pantry Redis").hits[0]
    assert (hit.path, hit.authored_at) == ("adr/0002.md", None)
    assert [moment.stored.document.path for moment in vault.timeline("adr/0002.md")] == ["adr/0002.md"]
    assert "adr/0002.md" not in [moment.stored.document.path for moment in vault.timeline("bread.md")]


def test_a_touched_file_is_not_new_and_the_index_says_what_a_rebuild_says(house: House) -> None:
    vault = house.vault
    before = {d.document.path: d.document.dated_at for d in vault.documents()}
    for file in house.notes.glob("**/*.md"):
        os.utime(file, ns=(10**18, 10**18))
    vault.index.sync()
    touched = {d.document.path: (d.document.dated_at, d.document.modified_at) for d in vault.documents()}
    assert {path: dated for path, (dated, _) in touched.items()} == before
    assert {modified for _, modified in touched.values()} == {10**12}
    house.rebuilt()
    assert {d.document.path: (d.document.dated_at, d.document.modified_at) for d in house.vault.documents()} == touched


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_the_first_commit_dates_what_says_nothing(house: House) -> None:
    def git(*arguments: str) -> None:
        stamp = "1500000000 +0000"
        environ = {"PATH": os.defpath, "HOME": str(house.home), "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        names = ("-c", "user.name=A writer", "-c", "user.email=writer@example.org")
        subprocess.run(["git", *names, *arguments], cwd=house.notes, env=environ, check=True, capture_output=True)

    def dates() -> dict[str, int | None]:
        return {d.document.path: d.document.dated_at for d in house.vault.documents()}

    before = dates()
    assert before["adr/0002.md"] is None
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "notes")
    house.vault.index.sync()
    assert dates() == before | {"adr/0002.md": 1_500_000_000_000}
    house.rebuilt()
    assert dates()["adr/0002.md"] == 1_500_000_000_000
