"""The tests of a room stand under the room's name."""

from __future__ import annotations

from pathlib import Path

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
SOURCE = ROOT / "src" / "hearth"
TESTS = ROOT / "tests"
ACROSS = {"openclaw", "contracts", "faults", "journeys"}


def test_each_folder_of_tests_is_named_after_a_room() -> None:
    rooms = {file.relative_to(TESTS).parts[0] for file in TESTS.rglob("test_*.py") if file.parent != TESTS}
    assert [room for room in sorted(rooms - ACROSS) if not (SOURCE / room).is_dir()] == []
