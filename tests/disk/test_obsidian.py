"""What Obsidian's settings say is heard by every walk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.disk.collections import DiskFiles
from hearth.ports import Collection, DailyNotes, Walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".obsidian").mkdir(parents=True)
    return folder


def settings(vault: Path, name: str, value: Any) -> None:
    file = vault / ".obsidian" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text", encoding="utf-8")


def walk(root: Path) -> Walk:
    return DiskFiles().walk(Collection("notes", str(root)))


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (["Archive/"], ["Archives.md", "a.md", "deep/Archive/d.md"]),
        (["archive/OLD"], ["Archive/c.md", "Archives.md", "a.md", "deep/Archive/d.md"]),
        (["/(^|/)archive//"], ["Archives.md", "a.md"]),
        (["/archives?\\.md$/", "a.md"], ["Archive/c.md", "Archive/old.md", "deep/Archive/d.md"]),
        (
            ["/(unclosed/", "", "/", 7, None],
            ["Archive/c.md", "Archive/old.md", "Archives.md", "a.md", "deep/Archive/d.md"],
        ),
    ],
)
def test_excluded_files_are_left_out_and_counted(root: Path, given: list[Any], left: list[str]) -> None:
    everything = ["Archive/c.md", "Archive/old.md", "Archives.md", "a.md", "deep/Archive/d.md"]
    write(root, *everything)
    settings(root, "app.json", {"userIgnoreFilters": given})
    found = walk(root)
    assert sorted(found.files) == left
    assert bool(found.left_out.get("excluded in Obsidian")) == (left != everything)
    assert found.skipped == ()


def test_templates_of_both_plugins_and_the_daily_one_are_no_notes(root: Path) -> None:
    settings(root, "templates.json", {"folder": "Extras/Templates"})
    settings(root, "plugins/templater-obsidian/data.json", {"templates_folder": "/tp/"})
    settings(root, "daily-notes.json", {"template": "Extras/Daily template"})
    write(root, "a.md", "Extras/Templates/Meeting.md", "tp/Book.md", "Extras/Daily template.md", "tp.md")
    found = walk(root)
    assert sorted(found.files) == ["a.md", "tp.md"]
    assert found.left_out == {"template": 3}


def test_drawings_and_canvases_are_counted_and_never_read(root: Path) -> None:
    write(root, "a.md", "Map.canvas", "x/Flow.excalidraw.md", "x/Old.excalidraw", "x/About excalidraw.md")
    found = walk(root)
    assert sorted(found.files) == ["a.md", "x/About excalidraw.md"]
    assert found.left_out == {"canvas": 1, "Excalidraw drawing": 2}


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"userIgnoreFilters": "x"}', "\ud800".encode("utf-8", "replace").decode(), "[" * 9999]
)
def test_settings_that_can_not_be_read_say_nothing(root: Path, text: str) -> None:
    for name in ("app.json", "templates.json", "daily-notes.json", "plugins/periodic-notes/data.json"):
        settings(root, name, text)
    write(root, "a.md")
    found = walk(root)
    assert sorted(found.files) == ["a.md"]
    assert not found.left_out
    assert not found.daily


def test_a_collection_inside_a_vault_and_a_vault_inside_a_collection_follow_the_same_settings(root: Path) -> None:
    settings(root, "app.json", {"userIgnoreFilters": ["Work/Old"]})
    settings(root, "daily-notes.json", {"folder": "Work/Days", "format": "DD-MM-YYYY"})
    write(root, "Work/Old/x.md", "Work/a.md")
    inside, outside = walk(root / "Work"), walk(root.parent)
    assert sorted(inside.files) == ["a.md"]
    assert sorted(outside.files) == ["vault/Work/a.md"]
    assert inside.daily == (DailyNotes("Work/Days", "DD-MM-YYYY", above="Work"),)
    assert outside.daily == (DailyNotes("Work/Days", "DD-MM-YYYY", below="vault"),)


def test_the_plugin_for_periodic_notes_counts_where_it_is_on(root: Path) -> None:
    settings(root, "daily-notes.json", {"folder": "Core"})
    settings(root, "plugins/periodic-notes/data.json", {"daily": {"enabled": False, "folder": "P"}})
    assert walk(root).daily == (DailyNotes("Core", "YYYY-MM-DD"),)
    settings(
        root, "plugins/periodic-notes/data.json", {"daily": {"enabled": True, "folder": "P", "format": "YYYYMMDD"}}
    )
    assert walk(root).daily == (DailyNotes("P", "YYYYMMDD"),)
    settings(root, "plugins/periodic-notes/data.json", {"daily": {"enabled": True, "folder": "", "format": ""}})
    assert walk(root).daily == ()


def test_the_settings_and_backups_of_logseq_are_no_notes(tmp_path: Path) -> None:
    write(
        tmp_path, "logseq/config.edn", "logseq/bak/pages/a/1.md", "logseq/custom.md", "pages/a.md", "notes/logseq/b.md"
    )
    assert sorted(walk(tmp_path).files) == ["notes/logseq/b.md", "pages/a.md"]
