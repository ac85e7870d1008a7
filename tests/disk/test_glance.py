"""A walk that is the last one again must never miss what a new one would find."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.disk.collections import DiskFiles
from hearth.ports import Collection

HOUR_NS = 3_600_000_000_000
FILES = ["a.md", "b.md", "x/a.md", "x/y/c.md", "Old/o.md", "z.txt", "m.canvas"]


def later() -> int:
    """A clock by which nothing has changed just now."""
    return time.time_ns() + HOUR_NS


def next_tick(beside: Path) -> None:
    """Returns when what is written now has another time than what was written before."""
    probe = beside / "tick"
    probe.write_text("")
    before = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == before:
        probe.write_text("")


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def append(root: Path, path: str) -> None:
    if (root / path).is_file():
        with (root / path).open("a", encoding="utf-8") as file:
            file.write("more\n")


def behind_its_back(root: Path, path: str) -> None:
    """A new file, and its folder with the time that it had before."""
    folder = (root / path).parent
    if folder.is_dir():
        before = folder.stat()
        (folder / "quiet.md").write_text(path, encoding="utf-8")
        os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path, str], object]] = {
    "write": lambda root, path: write(root, path, "# Text\n"),
    "append": append,
    "remove": lambda root, path: (root / path).unlink(missing_ok=True),
    "rename": lambda root, path: (root / path).is_file() and (root / path).rename(root / path.replace("a", "r")),
    "set back": lambda root, path: (root / path).is_file() and os.utime(root / path, (1, 1)),
    "empty": lambda root, path: shutil.rmtree((root / path).parent, ignore_errors=True) if "/" in path else None,
    "behind": behind_its_back,
    "ignore": lambda root, path: write(root, ".gitignore", f"{path}\n"),
    "ignore below": lambda root, path: write(root, "x/.gitignore", "*.md\n"),
    "repository": lambda root, path: (root / ".git").mkdir(exist_ok=True),
    "clone": lambda root, path: write(root, ".git/info/exclude", "b.md\n"),
    "obsidian": lambda root, path: write(root, ".obsidian/app.json", json.dumps({"userIgnoreFilters": [path]})),
    "templates": lambda root, path: write(root, ".obsidian/templates.json", json.dumps({"folder": "x"})),
    "above": lambda root, path: write(root.parent, ".obsidian/daily-notes.json", json.dumps({"folder": "days"})),
    "copy": lambda root, path: write(root, path.replace(".", ".sync-conflict-20240101-120000-ABCDEFG."), "text\n"),
    "number": lambda root, path: write(root, path.replace(".", " 2."), "text\n"),
    "link": lambda root, path: (root / "link.md").is_symlink() or (root / "link.md").symlink_to(root / path),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(FILES)), max_size=8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_second_walk_finds_what_a_new_one_does(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, str]]
) -> None:
    home = tmp_path_factory.mktemp("glance")
    root = home / "in" / "notes"
    for path in FILES[:5]:
        write(root, path, "text\n")
    collection = Collection("notes", str(root))
    warm = DiskFiles(later)
    warm.walk(collection)
    for name, path in changes:
        next_tick(home)
        CHANGES[name](root, path)
        assert warm.walk(collection) == DiskFiles().walk(collection), (name, path)


def test_nothing_is_listed_again_where_nothing_changed(tmp_path: Path) -> None:
    write(tmp_path, "x/a.md", "text")
    collection, warm = Collection("notes", str(tmp_path)), DiskFiles(later)
    assert warm.walk(collection) is warm.walk(collection)
    now = DiskFiles()
    assert now.walk(collection) is not now.walk(collection), "what is new may change again in one tick of the clock"
    assert pickle.loads(pickle.dumps(warm)).walk(collection) == warm.walk(collection)


def test_a_file_that_was_left_out_is_looked_at_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "x" * (5 * 1024 * 1024 + 1))
    collection, warm = Collection("notes", str(tmp_path)), DiskFiles(later)
    assert not warm.walk(collection).files
    assert warm.walk(collection) is warm.walk(collection), "but not before it changed"
    next_tick(tmp_path.parent)
    os.truncate(tmp_path / "a.md", 10)
    assert list(warm.walk(collection).files) == ["a.md"]
