"""Two machines that note on one day before their folders have met."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.vault.indexing.test_warm_index import dump

from hearth.app import open_vault
from hearth.vault.vault import Vault


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


def day_and_copy(home: Path, spelling: str) -> tuple[Path, Path]:
    """A day of three notes, and the other side of a conflict: the first two of them, and one of its own."""
    with machine(home) as vault:
        for word in ("basalt", "granite"):
            vault.memories.note(f"the {word} at noon")
    [day] = (memory(home) / "daily").glob("2*.md")
    copy = day.with_name(f"{day.stem}{spelling}.md")
    shutil.copy2(day, copy)
    copy.write_text(copy.read_text("utf-8") + "\n## 23:58\n\nthe gneiss at night\n", "utf-8")
    with machine(home) as vault:
        vault.memories.note("the marble at dusk")
    return day, copy


SPELLINGS = (
    ".sync-conflict-20260101-120000-ABCDEFG",
    " (Ann’s conflicted copy 2026-01-01 (1))",
    " (Conflicted copy iPhone 202601011200)",
    "_HOST_Jan-01-120000-2026_Conflict",
    ".Conflict",
    " (1)",
    " 2",
    "-DESKTOP-4F2K1AB",
    "-Annas-Mac",
    " (whatever a program adds)",
)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_both_sides_of_a_day_say_is_found_once_and_what_one_says_is_not_lost(
    tmp_path: Path, spelling: str
) -> None:
    day, copy = day_and_copy(tmp_path, spelling)

    def places(vault: Vault) -> dict[str, list[str]]:
        found = {}
        for word in ("basalt", "granite", "marble", "gneiss", "slate"):
            hits = vault.recall(word, recipe="keyword").hits
            found[word] = [Path(hit.path).name for hit in hits if word in hit.snippet]
        return found

    once = {word: [day.name] for word in ("basalt", "granite", "marble")} | {"gneiss": [copy.name], "slate": []}
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert places(vault) == once
        [(_, why)] = vault.status().problems
        assert day.name in why and "sync conflict" in why
        # The lines are those of the file.
        [hit] = [hit for hit in vault.recall("gneiss", recipe="keyword").hits if "gneiss" in hit.snippet]
        assert "gneiss" in copy.read_text("utf-8").splitlines()[hit.end_line - 1]
        # What a person takes over into the day is no longer read of the copy, and the other way round.
        day.write_text(day.read_text("utf-8") + "\n## 23:58\n\nthe gneiss at night\n", "utf-8")
        vault.index.sync()
        assert places(vault) == once | {"gneiss": [day.name]}
        assert {Path(one.path).name: one.reason for one in vault.status().skipped} == {
            copy.name: "copy left by a sync conflict; its day contains all of it"
        }
        day.write_text(day.read_text("utf-8").replace("basalt", "slate"), "utf-8")
        vault.index.sync()
        assert places(vault) == once | {"basalt": [copy.name], "gneiss": [day.name], "slate": [day.name]}
        warm = dump(vault.store)
    shutil.rmtree(tmp_path / "cache")
    with machine(tmp_path) as vault:
        vault.index.sync()
        rebuilt = dump(vault.store)
    for what in ("documents", "files", "fragments", "skipped"):
        assert rebuilt[what] == warm[what], what


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_copy_of_a_memory_is_no_second_memory(tmp_path: Path, spelling: str) -> None:
    with machine(tmp_path) as vault:
        vault.memories.remember("We decided on PostgreSQL for the larder")
    [file] = memory(tmp_path).rglob("*larder*.md")
    copy = file.with_name(f"{file.stem}{spelling}.md")
    copy.write_text(file.read_text("utf-8").replace("PostgreSQL", "SQLite"), "utf-8")
    with machine(tmp_path) as vault:
        vault.index.sync()
        assert vault.status().documents == 1
        assert [Path(one.path).name for one in vault.status().skipped] == [copy.name]


def test_a_fence_of_a_day_is_whole_or_not_there(tmp_path: Path) -> None:
    from hearth.disk.copies import read_beside

    fence = b"## 10:00\n\n```\nfirst\n\n## 11:00\n\nlast\n```\n"
    (tmp_path / "daily").mkdir()
    (tmp_path / "daily/2026-01-01.md").write_bytes(b"# 2026-01-01\n\n" + fence + b"\n## 11:00\n\nlast\n")
    for text in (fence.replace(b"first", b"other"), fence):
        data = b"# 2026-01-01\n\n" + text + b"\n## 12:00\n\nown\n"
        left = read_beside(str(tmp_path), "daily/2026-01-01 2.md", data)
        assert len(left) == len(data) and left.count(b"\n") == data.count(b"\n") and left.endswith(b"own\n")
        assert (left == data) == (text != fence)
        assert text == fence or b"last" in left


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


def test_ordinary_names_that_look_like_copies_are_notes_unless_they_say_the_same(tmp_path: Path) -> None:
    from hearth.app import open_folder
    from hearth.cli.health import index as check

    notes = tmp_path / "notes"
    notes.mkdir()
    sides = {"bread": ("a\n\nb\n\nc\n", "a\n\nb\n\nd\n"), "tea": ("one\n", "two\n"), "milk": ("same\n", "same\n")}
    for name, (one, other) in sides.items():
        (notes / f"{name}.md").write_text(one, "utf-8")
        (notes / f"{name} 2.md").write_text(other, "utf-8")
        (notes / f"{name}-LAPTOP-9QX.md").write_text(other + "more\n", "utf-8")
    (notes / "lonely 2.md").write_text("alone\n", "utf-8")
    with open_folder(notes, tmp_path / "work") as vault:
        vault.index.sync()
        assert vault.status().documents == 9
        assert [(one.path, "sync conflict" in one.reason) for one in vault.status().skipped] == [("milk 2.md", True)]
        assert vault.status().problems == ()
        [warned] = [found for found in check.collections(vault) if found.level == "warn"]
        for name in ("bread 2.md", "bread-LAPTOP-9QX.md", "milk 2.md"):
            assert name in warned.message
        assert "tea" not in warned.message
