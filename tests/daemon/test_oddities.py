"""The line that a hook leaves where it said nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hearth.core import files
from hearth.core.paths import HOOKS_LOG
from hearth.daemon import oddities

TEXT = "claude-code context-surfacing: nothing said: tëst"


def scrub(text: str) -> str:
    return text


def test_lines_are_of_one_form_whether_the_folder_was_there_or_not(tmp_path: Path) -> None:
    file = tmp_path / "state" / HOOKS_LOG
    for _ in range(2):
        oddities.log_failure(str(file.parent), TEXT)
    files.Log(file, scrub).write(TEXT)
    assert file.stat().st_mode & 0o777 == 0o600
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert all(re.fullmatch(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ {os.getpid()} {TEXT}", line) for line in lines)


def test_a_full_log_makes_room(tmp_path: Path) -> None:
    (tmp_path / HOOKS_LOG).write_bytes(b"x" * (files.MAX_BYTES + 1))
    oddities.log_failure(str(tmp_path), "why")
    assert (tmp_path / f"{HOOKS_LOG}.1").read_bytes().endswith(b" why\n")
    oddities.log_failure(str(tmp_path), "why")
    assert (tmp_path / HOOKS_LOG).read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("state", ["gone/x", "file/x"])
def test_a_log_that_cannot_be_written_costs_nothing(tmp_path: Path, state: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    oddities.log_failure(str(tmp_path / state), "why")


def test_a_line_loads_next_to_nothing(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(files.__file__).parents[2])!r});"
        f"from hearth.daemon import oddities; oddities.log_failure({str(tmp_path)!r}, 'why');"
        "print(*sorted({'pathlib', 're', 'datetime'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("\n", "")
    assert (tmp_path / HOOKS_LOG).read_text(encoding="utf-8").endswith(" why\n")
