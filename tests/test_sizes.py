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
    folder.mkdir(parents=True, exist_ok=True)
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


METHODS = """
class Grown:
    def __init__(self): ...
    def __len__(self): ...
    @property
    def plain(self):
        "A field."
        return self._plain
    @overload
    def loaded(self, one): ...
"""


def methods(count: int, base: str = "") -> str:
    head = METHODS.replace("Grown:", f"Grown({base}):") if base else METHODS
    return head + "".join(f"    def m{number}(self):\n        return {number}\n" for number in range(count))


@pytest.mark.parametrize(("count", "code"), [(15, 0), (16, 1)])
def test_a_class_has_fifteen_methods_at_most_plain_ones_aside(tmp_path: Path, count: int, code: int) -> None:
    result = check(write(tmp_path / "made", methods(count)))
    assert result.returncode == code
    said = "made/long.py:2 Grown: 16 methods, over the limit of 15; split it\n"
    assert result.stderr == (said if code else "")


def test_a_property_that_works_a_setter_and_an_async_method_count(tmp_path: Path) -> None:
    more = "    @property\n    def first(self):\n        return self._all[0]\n    async def later(self): ...\n"
    assert "16 methods" in check(write(tmp_path / "made", methods(14) + more)).stderr
    more = "    @plain.setter\n    def plain(self, value):\n        self._plain = value\n"
    assert "16 methods" in check(write(tmp_path / "made", methods(15) + more)).stderr


@pytest.mark.parametrize(("base", "folder", "count", "code"), [
    ("Protocol", "ports", 8, 0), ("Protocol", "ports", 9, 1), ("typing.Protocol[T]", "ports", 9, 1),
    ("Protocol", "other", 9, 0), ("object", "ports", 9, 0), ("Protocol", "other", 16, 1),
])  # fmt: skip
def test_a_port_has_eight_methods_at_most(tmp_path: Path, base: str, folder: str, count: int, code: int) -> None:
    write(tmp_path / "made" / folder, methods(count, base))
    assert check(tmp_path / "made").returncode == code


@pytest.mark.parametrize(("count", "code"), [(130, 0), (131, 1)])
def test_there_are_130_settings_at_most(tmp_path: Path, count: int, code: int) -> None:
    config = tmp_path / "made" / "hearth" / "config"
    config.mkdir(parents=True)
    keys = "".join(f"    k{number}: int\n" for number in range(count))
    (config / "tree.py").write_text(f"class Part:\n{keys}class Config:\n    parts: dict[str, Part]\n    part: Part\n")
    result = check(tmp_path / "made")
    assert result.returncode == code
    assert result.stderr == ("made/hearth/config/tree.py: 131 keys, over the limit of 130; split it\n" if code else "")


def test_a_report_names_all_that_is_too_large_and_passes(tmp_path: Path) -> None:
    result = check(write(tmp_path / "made", function(61) + methods(17)), "--report")
    assert (result.returncode, result.stderr) == (0, "")
    assert "class: 1 over 15 methods\n   17  made/long.py:63 Grown\n" in result.stdout
    assert "function: 1 over 60 lines\n   61  made/long.py:1 grown\n" in result.stdout
    assert "module: 0 over 500 lines\n" in result.stdout


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
