"""The tools that hold the house: counts that may only fall, instructions for agents, the tests of what changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.tool import load_tool

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source and the record of its counts, somewhere else."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "ratchets.toml", root / "tools")
    assert check(root, "--write").returncode == 0  # what fell since it was recorded
    return root


def check(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "check_ratchets.py"), str(root), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_a_module_too_many_is_refused_and_named(copy: Path) -> None:
    assert check(copy).returncode == 0
    added = copy / "src" / "hearth" / "extra.py"
    added.write_text('"""One more."""\n\n\nclass Extra:\n    pass\n', encoding="utf-8")
    try:
        refused = check(copy)
    finally:
        added.unlink()
    assert refused.returncode == 1
    assert {line.split(":")[0] for line in refused.stderr.splitlines()} >= {"modules", "small_modules", "classes"}


def test_what_fell_is_recorded_and_what_rose_is_not(copy: Path) -> None:
    record = copy / "tools" / "ratchets.toml"
    before = record.read_text(encoding="utf-8")
    told = f"# why there are so many\n{before}"
    record.write_text(told.replace("modules = ", "modules = 9", 1), encoding="utf-8")
    try:
        assert check(copy, "--write").returncode == 0
        assert record.read_text(encoding="utf-8") == told
    finally:
        record.write_text(before, encoding="utf-8")


def test_agents_are_told_what_the_pages_for_people_say() -> None:
    wanted = load_tool("agent_instructions").render(ROOT)
    for name in ("CLAUDE.md", "AGENTS.md"):
        said = (ROOT / name).read_text(encoding="utf-8")
        assert said == wanted, "run: python tools/agent_instructions.py"


@pytest.mark.parametrize(
    ("paths", "tests"),
    [
        (["src/hearth/markdown/links.py"], ["tests/markdown/test_links.py"]),
        (["src/hearth/operations/arguments.py"], ["tests/operations"]),
        (["docs/cli.md", "README.md"], ["tests/test_docs.py"]),
        (["src/hearth/stub.py"], ["tests/test_stub.py"]),
        (["pyproject.toml"], []),
        (["src/hearth/markdown/gone.py", "src/hearth/markdown/links.py"], ["tests/markdown"]),
    ],
)
def test_a_change_is_tested_by_its_own_tests_or_by_those_of_its_room(paths: list[str], tests: list[str]) -> None:
    assert load_tool("changed_tests").tests_of(paths, ROOT) == tests
