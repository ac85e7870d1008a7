"""The tests mirror the source, and a class has a name of its own."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
SOURCE = ROOT / "src" / "hearth"
TESTS = ROOT / "tests"
ACROSS = {"contracts", "faults", "journeys"}
TESTED = sorted(
    file.relative_to(TESTS)
    for file in TESTS.rglob("test_*.py")
    if file.parent != TESTS and file.relative_to(TESTS).parts[0] not in ACROSS
)


def homes(name: str, top: str) -> set[Path]:
    """The folders below ``top`` that hold a module or a package of this name."""
    return {found.parent.relative_to(SOURCE) for found in (SOURCE / top).rglob(name) if found.is_dir()} | {
        found.parent.relative_to(SOURCE) for found in (SOURCE / top).rglob(f"{name}.py")
    }


def test_each_folder_of_tests_is_one_of_the_source() -> None:
    assert [str(folder) for folder in sorted({file.parent for file in TESTED}) if not (SOURCE / folder).is_dir()] == []


@pytest.mark.parametrize("file", TESTED, ids=str)
def test_what_tests_a_module_stands_where_the_module_stands(file: Path) -> None:
    name = file.stem.removeprefix("test_")
    found = homes(name, file.parts[0])
    assert name == file.parent.name or len(found) != 1 or file.parent in found


def test_no_two_public_classes_share_a_name() -> None:
    names = Counter(
        node.name
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []
