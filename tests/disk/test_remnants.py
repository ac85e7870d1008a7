"""What a killed process left half written is swept, and what is being written is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.app import open_vault
from hearth.core.files import beside
from hearth.disk.state_files import find_left, sweep_left

KILLED = """
import os, sys
from pathlib import Path
from hearth.disk.memories import DiskMemories
import hearth.disk.memories

def die(*args):
    os._exit(9)

hearth.disk.memories._link = die
DiskMemories(Path(sys.argv[1])).create("agent/notes/x.md", b"the plum tart is a secret")
"""


def leave(memory: Path) -> Path:
    """A remnant as a kill between write and link leaves it."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(memory)], check=False)
    assert done.returncode == 9
    (left,) = (memory / "agent" / "notes").glob(".hearth-*")
    assert left.read_bytes() == b"the plum tart is a secret"
    return left


def aged(path: Path) -> Path:
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def test_a_remnant_is_found_and_removed_at_any_depth(tmp_path: Path) -> None:
    left = leave(tmp_path)
    assert list(find_left([tmp_path])) == [left]
    assert list(find_left([tmp_path], age=60)) == []
    assert sweep_left([tmp_path], age=60) == []
    aged(left)
    assert sweep_left([tmp_path], age=60) == [left]
    assert not left.exists()


def test_what_is_being_written_is_left_alone_however_old_it_looks(tmp_path: Path) -> None:
    with beside(tmp_path, b"text", 0o600) as temporary:
        aged(temporary)
        assert list(find_left([tmp_path])) == sweep_left([tmp_path]) == []
        assert temporary.exists()
    assert list(tmp_path.iterdir()) == []


def test_nothing_but_our_own_files_is_taken(tmp_path: Path) -> None:
    kept = [tmp_path / name for name in (".hearth-x", "a.tmp", ".hearth-notes.md", "hearth-x.tmp")]
    for path in kept:
        path.write_text("x", "utf-8")
    (tmp_path / ".hearth-folder.tmp").mkdir()
    (tmp_path / "target").write_text("x", "utf-8")
    (tmp_path / ".hearth-link.tmp").symlink_to(tmp_path / "target")
    assert sweep_left([tmp_path, tmp_path / "nowhere"]) == []
    assert all(path.exists() for path in kept)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    folders = {f"HEARTH_{name.upper()}_DIR": str(tmp_path / name) for name in ("config", "data", "cache", "state")}
    return folders | {"HOME": str(tmp_path / "home")}


def test_an_old_one_goes_with_the_first_look_at_the_folders(tmp_path: Path, environ: dict[str, str]) -> None:
    old, young = aged(leave(tmp_path / "data/default/memory")), tmp_path / "data/default/memory/.hearth-young.tmp"
    young.write_bytes(b"x")
    with open_vault(environ=environ) as vault:
        vault.index.sync()
    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.parametrize("folder", ["config", "state", "cache/default"])
def test_what_was_left_of_settings_state_and_cache_goes_too(
    tmp_path: Path, environ: dict[str, str], folder: str
) -> None:
    left = tmp_path / folder / ".hearth-killed.tmp"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"search: {}")
    aged(left)
    with open_vault(environ=environ) as vault:
        vault.index.sync()
    assert not left.exists()


def test_a_purge_takes_every_remnant_along(tmp_path: Path, environ: dict[str, str]) -> None:
    with open_vault(environ=environ) as vault:
        written = vault.memories.remember("The plum tart is a secret of the house")
        left = leave_another(tmp_path / "data/default/memory")
        vault.state.purge(written.docid, yes=True)
    assert not left.exists()
    texts = [path for path in (tmp_path / "data").rglob("*") if path.is_file() and b"plum" in path.read_bytes()]
    assert texts == []


def leave_another(memory: Path) -> Path:
    left = memory / ".hearth-killed.tmp"
    left.write_bytes(b"the plum tart is a secret")
    return left


def test_doctor_names_remnants_and_fix_removes_them(hearth_in: Callable[..., Any], tmp_path: Path) -> None:
    hearth_in("remember", "Tea at noon")
    left = leave(tmp_path / "data/default/memory")
    rows = json.loads(hearth_in("doctor", "--json"))["findings"]
    (row,) = [row for row in rows if row["check"] == "remnants"]
    assert row["level"] == "warn" and str(left) in row["message"]
    fixed = json.loads(hearth_in("doctor", "--fix", "--json"))["fixed"]
    assert "removed 1 half-written file" in fixed
    assert not left.exists()


@pytest.fixture
def hearth_in(environ: dict[str, str], forks: Any) -> Callable[..., str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEARTH_", "PYTEST_"))}

    def run(*arguments: str) -> str:
        _, out, _ = forks.run(arguments, kept | environ)
        return str(out, "utf-8")

    return run
