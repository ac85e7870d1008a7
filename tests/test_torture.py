"""The suites run in parts that are gone on with: what is done is not done again, what is short is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.torture import SUITES, table

ROOT = Path(__file__).resolve().parents[1]
TEST = """
import os
from tests.torture import torture

@torture("damaged index", parts=5)
def test_it(part):
    part.count(part.cases - (repr(part) == os.environ.get("SHORT")))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\ntestpaths = ['.']\n"
        "markers = ['torture', 'timeout']\n",
        "utf-8",
    )
    (tmp_path / ".gitignore").write_text("*.jsonl\n__pycache__\n", "utf-8")
    (tmp_path / "test_it.py").write_text(TEST, "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    commit(tmp_path)
    return tmp_path


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True)


def commit(project: Path) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    git(project, *identity, "commit", "-q", "--allow-empty", "-m", "x")


def run(project: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tests.torture",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:randomly",
            *arguments,
        ],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **variables,
        },
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_run_goes_on_where_it_was_until_the_commit_is_another(project: Path) -> None:
    code, said = run(project, "test_it.py", SHORT="damaged-index-3")
    assert code == 1 and "damaged-index-3 ran 49 cases, not 50" in said
    assert "| damaged index | 250 | 249 | 1 |" in said
    code, said = run(project, "test_it.py")
    assert code == 0 and "1 passed, 4 deselected" in said
    assert "| damaged index | 250 | 250 | 0 |" in said and "| 0–4 |" in said
    commit(project)
    assert "5 deselected" in run(project, "test_it.py", "--other-commits")[1]
    assert "5 passed" in run(project, "test_it.py")[1]


def test_a_run_whose_time_is_over_says_what_is_left(project: Path) -> None:
    code, said = run(project, "test_it.py", "--budget", "0.000001")
    assert code == 1 and "5 parts are left: run it again to go on" in said
    assert "| damaged index | 250 | 0 | 0 |" in said


def test_a_whole_run_in_which_a_suite_did_nothing_fails(project: Path) -> None:
    code, said = run(project)
    assert code == 1 and "5 passed" in said


def test_the_table_counts_the_newest_of_each_part() -> None:
    rows = [
        {"suite": "power cuts", "seed": seed, "seconds": 2.5, "passed": not seed, "done": done}
        for seed, done in ((0, {"power cuts": 9, "power cuts, opened": 2}), (4, {"power cuts": 1}))
    ]
    lines = list(table(rows))
    assert "| power cuts | 100,000 | 10 | 1 | 5 | 0–4 |" in lines
    assert "| power cuts, opened | 1,000 | 2 | 0 | 0 | 0–0 |" in lines
    assert len(lines) == 2 + len(SUITES) + 1
