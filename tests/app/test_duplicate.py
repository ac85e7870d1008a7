"""A folder of Hearth's copied whole, private and as often as it takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.disk.test_modes import mode, modes

from hearth.app.folders import close, duplicate
from hearth.core.errors import Conflict


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    (folder / "memory" / "facts").mkdir(parents=True)
    (folder / "memory" / "facts" / "one.md").write_text("one\n", "utf-8")
    (folder / "memory" / ".hearth-half.tmp").write_text("ha", "utf-8")
    (folder / "link").symlink_to("memory")
    os.mkfifo(folder / "pipe")
    os.utime(folder / "memory" / "facts" / "one.md", ns=(1, 2_000_000_007))
    return folder


def test_a_copy_is_closed_to_others_and_keeps_times_and_links(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    new.chmod(0o755)
    close(new)
    assert duplicate(old, new)
    file = new / "memory" / "facts" / "one.md"
    assert (file.read_text("utf-8"), file.stat().st_mtime_ns) == ("one\n", 2_000_000_007)
    assert (new / "link").readlink() == Path("memory")
    names = {"memory": 0o700, "memory/facts": 0o700, "memory/facts/one.md": 0o600}
    assert {name: bits for name, bits in modes(new).items() if name != "link"} == names
    assert mode(new) == 0o700


def test_only_what_changed_is_copied_again(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    close(new)
    duplicate(old, new)
    before = (new / "memory" / "facts" / "one.md").stat().st_ino
    assert not duplicate(old, new)
    assert (new / "memory" / "facts" / "one.md").stat().st_ino == before
    (old / "memory" / "facts" / "one.md").write_text("two\n", "utf-8")
    assert duplicate(old, new)
    assert (new / "memory" / "facts" / "one.md").read_text("utf-8") == "two\n"


def test_what_the_old_folder_has_no_more_is_told_and_not_removed(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    close(new)
    duplicate(old, new)
    (old / "memory" / "facts" / "one.md").unlink()
    with pytest.raises(Conflict, match=r"one\.md is not in"):
        duplicate(old, new)
    assert (new / "memory" / "facts" / "one.md").exists()
