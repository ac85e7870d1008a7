"""What every adapter of ``ports.MemoryFiles`` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hearth.core.document import content_hash
from hearth.core.errors import UsageError
from hearth.disk.memories import DiskMemories
from hearth.ports import MemoryFiles


@pytest.fixture
def memories(tmp_path: Path) -> MemoryFiles:
    return DiskMemories(tmp_path / "memory")


def test_what_is_created_is_read_back(memories: MemoryFiles) -> None:
    assert memories.read("agent/facts/x.md") is None
    assert memories.create("agent/facts/x.md", b"one\n")
    assert memories.read("agent/facts/x.md") == b"one\n"


def test_creating_never_replaces(memories: MemoryFiles) -> None:
    memories.create("x.md", b"one")
    assert not memories.create("x.md", b"two")
    assert memories.read("x.md") == b"one"


def test_replacing_takes_the_hash_of_what_is_there(memories: MemoryFiles) -> None:
    memories.create("x.md", b"one")
    assert memories.replace("x.md", b"two", content_hash(b"one"))
    assert not memories.replace("x.md", b"three", content_hash(b"one"))
    assert memories.read("x.md") == b"two"


def test_what_is_gone_is_not_replaced(memories: MemoryFiles) -> None:
    assert not memories.replace("x.md", b"two", content_hash(b"one"))
    assert memories.read("x.md") is None


def test_names_are_the_visible_files_of_one_folder(memories: MemoryFiles) -> None:
    for path in ("daily/b.md", "daily/a.md", "daily/.hidden", "daily/deeper/c.md", "top.md"):
        memories.create(path, b"")
    assert memories.names("daily") == ["a.md", "b.md"]
    assert memories.names("missing") == []


def test_what_is_removed_is_gone_and_its_name_free(memories: MemoryFiles) -> None:
    memories.create("a/x.md", b"one")
    assert memories.remove("a/x.md")
    assert memories.read("a/x.md") is None
    assert not memories.remove("a/x.md")
    assert memories.create("a/x.md", b"two")


@pytest.mark.parametrize("path", ["", "../x.md", "/etc/passwd", "a/../../x.md", "a\\b.md", "a\0.md"])
def test_a_path_that_leads_out_is_refused(memories: MemoryFiles, path: str) -> None:
    for call in (
        lambda: memories.read(path),
        lambda: memories.create(path, b""),
        lambda: memories.replace(path, b"", ""),
        lambda: memories.names(path),
        lambda: memories.remove(path),
    ):
        with pytest.raises(UsageError):
            call()
