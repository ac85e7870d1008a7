"""A disk that refuses one call, or every call from one on: each command ends in a planned way and says what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.torture import Part, torture

DRIVER = Path(__file__).with_name("failing.py")
COMMANDS = {
    "init": ["init"],
    "config": ["config", "set", "search.mmr", "true"],
    "add": ["collection", "add", "{home}/more", "--name", "more"],
    "update": ["update"],
    "reindex": ["reindex"],
    "remember": ["remember", "The cellar keeps its apples in a MongoDB of its own"],
    "note": ["note", "tea at noon"],
    "search": ["search", "river"],
    "query": ["query", "which river"],
    "status": ["status"],
    "pin": ["pin", "tea.md"],
    "forget": ["forget", "coffee.md"],
    "undo": ["undo"],
    "purge": ["purge", "--yes", "larder"],
    "export": ["export", "-o", "{home}/export.jsonl"],
    "sweep": ["lifecycle", "sweep"],
    "setup": ["setup", "claude-code"],
    "multi-get": ["multi-get", "*.md"],
}
ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS")
# What a doctor finds is its output, not an error; it is tried with fewer calls, since it does everything.
Run = tuple[str, list[str], list[str], int]


@pytest.fixture
def template(site: Any) -> Path:
    """Notes, a memory and a pin, and nothing that names the folder."""
    for word in ("river", "coffee", "tea"):
        (site.notes / f"{word}.md").write_text(f"# About {word}\n\nThe {word} stands here.\n", encoding="utf-8")
    (site.home / "more").mkdir()
    (site.home / "more" / "bread.md").write_text("# About bread\n", encoding="utf-8")
    (site.home / "home").mkdir()
    site.run("bootstrap", str(site.notes)).ok()
    site.run("remember", "We decided on PostgreSQL for the larder").ok()
    site.run("pin", "river.md").ok()
    assert isinstance(site.home, Path)
    return site.home


def endings(template: Path, work: Path, runs: list[Run]) -> list[dict[str, Any]]:
    given = json.dumps({"template": str(template), "work": str(work), "runs": runs})
    done = subprocess.run([sys.executable, str(DRIVER)], input=given, capture_output=True, text=True, timeout=3_000)
    assert done.returncode == 0, done.stderr[-3_000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def unplanned(row: dict[str, Any]) -> bool:
    """Anything but success, or one line that says what, where and what to do."""
    said = str(row["err"])
    if "SystemError" in said and "apsw.Backup" in said:  # how apsw reports an error of a Python VFS as a backup ends
        return False
    if any(word in said for word in ("unexpected", "Traceback", "Exception ignored")):
        return True
    if row["code"] == 0:
        return False
    lines = [line for line in said.splitlines() if line.startswith("hearth: ") and "warning:" not in line]
    return row["code"] not in range(1, 7) or len(lines) != 1 or "; " not in lines[0] or "None" in lines[0]


def judge(rows: list[dict[str, Any]]) -> None:
    bad = [row for row in rows if unplanned(row)]
    shown = [(row["command"], row["error"], row["at"], row["first"], row["code"], row["err"][-300:]) for row in bad]
    assert shown == []


# Calls between two that fail, so that each command's are spread over some six runs.
@pytest.mark.parametrize(("kind", "step"), [("calls", 83), ("sqlite", 97)])
def test_a_call_that_fails_ends_in_one_line_that_says_what_to_do(
    template: Path, tmp_path_factory: Any, kind: str, step: int
) -> None:
    chosen = ("config", "reindex", "remember", "search")
    rows = endings(
        template, tmp_path_factory.mktemp("work"), [(kind, COMMANDS[name], ["EIO"], step) for name in chosen]
    )
    assert len(rows) >= 12
    assert any(row["code"] == 5 for row in rows)
    judge(rows)


@torture("failing calls, commands", parts=len(COMMANDS))
def test_every_call_that_fails_ends_in_one_line_that_says_what_to_do(
    part: Part, template: Path, tmp_path_factory: Any
) -> None:
    """A part is a command."""
    command = list(COMMANDS.values())[part.seed]
    runs: list[Run] = [("calls", command, list(ERRORS), 7), ("sqlite", command, ["ENOSPC", "EIO"], 11)]
    rows = endings(template, tmp_path_factory.mktemp("work"), runs)
    part.count()
    part.count(len(rows), "failing calls")
    judge(rows)


def test_a_file_that_can_not_be_replaced_keeps_the_first_error(tmp_path: Path) -> None:
    """Tidying up must not hide what went wrong."""
    script = """
import os, sys
from pathlib import Path
from hearth.core.errors import Unavailable
from hearth.core.files import write_atomically

def refuse(*args, **given):
    raise OSError(30, "Read-only file system")

def full(*args, **given):
    raise OSError(28, "No space left on device")

os.fsync, os.unlink = full, refuse
try:
    write_atomically(Path(sys.argv[1]), b"x")
except Unavailable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "x")], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == f"can't write {tmp_path / 'x'}: No space left on device; free some space and try again\n"
