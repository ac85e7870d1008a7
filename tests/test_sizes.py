"""What tools/check_sizes.py refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


def check(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "check_sizes.py"), str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def write(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "long.py").write_text(text, encoding="utf-8")
    return folder


def function(lines: int) -> str:
    return "async def grown():\n" + "    pass\n" * (lines - 1)


@pytest.mark.parametrize("text", [function(60), "pass\n" * 500], ids=["function", "module"])
def test_what_is_just_within_the_limit_passes(tmp_path: Path, text: str) -> None:
    assert check(write(tmp_path / "made", text)).returncode == 0


def test_a_function_over_60_lines_is_refused_by_name(tmp_path: Path) -> None:
    result = check(write(tmp_path / "made", function(61)))
    assert result.returncode == 1
    assert result.stderr == "made/long.py:1 grown: 61 lines, over the limit of 60; split it\n"


def test_a_module_over_500_lines_is_refused_by_name(tmp_path: Path) -> None:
    result = check(write(tmp_path / "made", "pass\n" * 501))
    assert result.returncode == 1
    assert "made/long.py: 501 lines" in result.stderr


def test_a_folder_that_is_not_there_does_not_pass_for_a_small_one(tmp_path: Path) -> None:
    assert check(tmp_path / "missing").returncode == 2


def test_the_longest_are_printed_on_request(tmp_path: Path) -> None:
    result = check(write(tmp_path / "made", function(12) + function(7)), "--top")
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["longest", "modules:"],
        ["19", "made/long.py"],
        ["longest", "functions:"],
        ["12", "made/long.py:1", "grown"],
        ["7", "made/long.py:13", "grown"],
    ]
