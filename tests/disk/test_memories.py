"""Memory files on a real disk: what the contract can't ask of its twin."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from hearth.core.document import content_hash
from hearth.core.errors import Unavailable, UsageError
from hearth.core.memory import MAX_FILE_BYTES
from hearth.disk import collections as vault
from hearth.disk.memories import DiskMemories


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def memories(folder: Path) -> DiskMemories:
    return DiskMemories(folder)


def left_over(folder: Path) -> list[str]:
    return [name for _, _, names in os.walk(folder) for name in names if name.endswith(".tmp")]


def test_a_file_is_the_owners_alone_and_nothing_else_is_left(memories: DiskMemories, folder: Path) -> None:
    memories.create("a/x.md", b"one")
    memories.replace("a/x.md", b"two", content_hash(b"one"))
    memories.create("a/x.md", b"three")
    assert stat.S_IMODE((folder / "a/x.md").stat().st_mode) == 0o600
    assert left_over(folder) == []


def test_a_changed_mode_is_kept(memories: DiskMemories, folder: Path) -> None:
    memories.create("x.md", b"one")
    (folder / "x.md").chmod(0o640)
    memories.replace("x.md", b"two", content_hash(b"one"))
    assert stat.S_IMODE((folder / "x.md").stat().st_mode) == 0o640


def test_a_link_that_leads_out_is_refused(memories: DiskMemories, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    folder.mkdir()
    (folder / "agent").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="is outside"):
        memories.create("agent/x.md", b"one")
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_pipe_and_a_folder_in_the_place_of_a_file_are_named(memories: DiskMemories, folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(Unavailable, match=name):
            memories.read(name)
        assert not memories.create(name, b"one")


def test_a_file_in_the_place_of_a_folder_is_an_error_that_names_it(memories: DiskMemories, folder: Path) -> None:
    folder.mkdir()
    (folder / "agent").write_text("mine", encoding="utf-8")
    assert memories.read("agent/x.md") is None
    assert not memories.replace("agent/x.md", b"", "")
    with pytest.raises(Unavailable, match="agent"):
        memories.create("agent/x.md", b"one")


def test_without_hard_links_a_name_is_still_never_taken_over(
    memories: DiskMemories, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*places: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert memories.create("x.md", b"one")
    assert not memories.create("x.md", b"two")
    assert (folder / "x.md").read_bytes() == b"one"
    assert left_over(folder) == []


def test_of_many_writers_at_once_one_creates_and_each_replacement_follows_another(memories: DiskMemories) -> None:
    won: list[bytes] = []

    def work(number: int) -> None:
        text = f"{number}".encode()
        if memories.create("x.md", text):
            won.append(text)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [memories.read("x.md")] == won


def test_the_limit_is_what_a_scan_reads(memories: DiskMemories) -> None:
    assert MAX_FILE_BYTES == vault.MAX_FILE_BYTES
    memories.create("x.md", b"x" * (MAX_FILE_BYTES + 1))
    with pytest.raises(Unavailable, match="5 MB"):
        memories.read("x.md")
