"""What tools/mutate.py changes, which tests it takes, and what it says of mistakes that nobody notices."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
CALC = '''"""A docstring with 1 and "text"."""

from __future__ import annotations

LIMIT = 3


def small(number: int = 0) -> bool:
    """Below the limit."""
    return number < LIMIT


def checked(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is below 0")
    return number


def idle(number: int) -> int:
    return number * 1
'''
TESTS = """from toy.calc import checked, small

def test_small():
    assert small(2) and not small(3) and small()
    assert checked(1) == 1 and checked(0) == 0
"""


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))

    def load(name: str) -> ModuleType:
        module = __import__(name)
        monkeypatch.delitem(sys.modules, name)
        return module

    return load


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Committed once."""
    for name, text in {
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--import-mode=importlib'\nmarkers = ['torture']\n",
        "src/toy/__init__.py": "",
        "src/toy/calc.py": CALC,
        "src/toy/over.py": "from toy import calc\n\n\ndef small(number):\n    return calc.small(number)\n",
        "src/toy/alone.py": "def nobody():\n    return 1\n",
        "tests/test_sums.py": TESTS,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    named = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")


def mutate(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "mutate.py"), "--root", str(project), *words]
    environ = {**os.environ, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize(("line", "changed"), [
    ("x = a < b <= c", {"x = a <= b <= c", "x = a < b < c"}),
    ("x = a not  in b", {"x = a in b"}),
    ("x = a is b and not c or d", {
        "x = a is not b and not c or d", "x = a is b or not c or d", "x = a is b and c or d",
        "x = a is b and not c and d",
    }),
    ("x = 'é' + str(-7)", {"x = 'é~' + str(-7)", "x = 'é' - str(-7)", "x = 'é' + str(-8)"}),
    ("x = True", {"x = False"}),
    ("x = a[b:c.d]", {"x = a[(b) + 1:c.d]", "x = a[b:(c.d) + 1]"}),
    ("self.x = y", {"pass"}),
    ("call(y)", {"pass"}),
    ("x += y", {"pass"}),
    ("raise Error('text', 1)", set()),
    ("x: Literal[1] = y", set()),
    ("__all__ = ['a']", set()),
])  # fmt: skip
def test_each_mutant_is_one_small_mistake(tool: Callable[[str], ModuleType], line: str, changed: set[str]) -> None:
    assert {mutant.source for mutant in tool("mutants").mutants(line)} == changed


def test_a_mutant_says_its_line_and_only_lines_asked_for_are_changed(tool: Callable[[str], ModuleType]) -> None:
    mutants = tool("mutants").mutants
    assert [mutant.line for mutant in mutants(CALC)] == [5, 8, 10, 10, 14, 14, 16, 20, 20, 20]
    assert {(mutant.line, mutant.what) for mutant in mutants(CALC, {10})} == {
        (10, "number < LIMIT -> None"),
        (10, "< -> <="),
    }


def test_the_nearest_tests_are_those_that_import_the_module_or_what_imports_it(
    tool: Callable[[str], ModuleType], project: Path
) -> None:
    found = tool("nearest").Project(project)
    assert found.module(Path("src/toy/__init__.py")) == "toy"
    assert list(found.nearest(Path("src/toy/calc.py"))) == [("tests/test_sums.py",)]
    assert list(found.nearest(Path("src/toy/alone.py"))) == []
    (project / "tests" / "test_over.py").write_text("from toy.over import small\n")
    (project / "tests" / "test_sums.py").write_text("")
    assert list(tool("nearest").Project(project).nearest(Path("src/toy/calc.py"))) == [("tests/test_over.py",)]
    (project / "tests" / "a" / "b" / "c").mkdir(parents=True)
    assert list(found.nearest(Path("src/toy/a/b/c/deep.py"))) == [("tests/a/b/c",), ("tests/a/b",)]
    assert list(found.nearest(Path("src/toy/a/b/less.py"))) == [("tests/a/b",)]


def test_lines_changed_since_a_commit_are_tried_and_what_survives_is_shown(project: Path) -> None:
    calc = project / "src" / "toy" / "calc.py"
    calc.write_text(CALC.replace("number * 1", "number * 2"), encoding="utf-8")
    result = mutate(project, "--base", "HEAD")
    assert result.returncode == 0, result.stderr
    assert "0 of 3 mutants killed" in result.stdout
    assert "survived: src/toy/calc.py:20: * -> /\n-    return number * 2\n+    return number / 2\n" in result.stdout


def test_what_a_test_notices_is_killed(project: Path) -> None:
    result = mutate(project, "--paths", "src/toy/calc.py")
    assert result.returncode == 0, result.stderr
    survivors = [line.split(": ")[1] for line in result.stdout.splitlines() if line.startswith("survived: ")]
    assert survivors == ["src/toy/calc.py:8"] + ["src/toy/calc.py:20"] * 3
    assert "6 of 10 mutants killed" in result.stdout


def row_of(printed: str, file: str) -> list[str]:
    return next(row.split()[1:] for row in printed.splitlines() if row.split()[:1] == [file])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_what_was_found_in_the_background_too(
    project: Path, until: Callable[..., None], number: signal.Signals
) -> None:
    (project / "src" / "toy" / "alone.py").write_text("def small(number):\n    return number * 1 < 3\n")
    test = (
        "import os, time\nfrom pathlib import Path\nfrom toy.alone import small\n\n"
        "def test_small():\n    if small(3):\n"
        "        Path('pid').write_text(str(os.getpid()))\n        time.sleep(90)\n"
    )
    (project / "tests" / "test_alone.py").write_text(test, encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "mutate.py"), "--root", str(project), "--paths", "src/toy/alone.py"]
    ignoring = ["sh", "-c", 'trap "" INT; exec "$0" "$@"', *command]
    environ = {**os.environ, "PYTEST_ADDOPTS": ""}
    with subprocess.Popen(ignoring, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        until(lambda: (project / "pid").exists() and (project / "pid").read_text())
        found = os.read(process.stdout.fileno(), 1 << 16).decode()
        process.send_signal(number)
        said, counted = process.communicate(timeout=100)
    assert found.startswith("\nsurvived: src/toy/alone.py:2: ")
    assert "1 of 5, 1 alive" in counted.decode()
    alive = found.count("survived: ")
    assert row_of(said.decode(), "src/toy/alone.py") == ["0", "0", str(alive), "0", "0"]
    assert f"0 of {alive} mutants killed, {5 - alive} not tried" in said.decode()
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int((project / "pid").read_text()), 0)


@pytest.mark.torture
def test_a_loop_without_end_is_ended_and_counts_as_killed(project: Path) -> None:
    loop = "def count(most):\n    number = 0\n    while number < most:\n        number += 1\n    return number\n"
    (project / "src" / "toy" / "alone.py").write_text(loop, encoding="utf-8")
    test = "from toy.alone import count\n\ndef test_count():\n    assert count(3) == 3\n"
    (project / "tests" / "test_alone.py").write_text(test, encoding="utf-8")
    result = mutate(project, "--paths", "src/toy/alone.py")
    assert row_of(result.stdout, "src/toy/alone.py") == ["3", "1", "1", "0", "0"]


def test_tests_that_fail_as_it_is_are_said_to(project: Path) -> None:
    (project / "tests" / "test_sums.py").write_text("import toy.calc\n\ndef test_no():\n    assert False, 'as ever'\n")
    result = mutate(project, "--paths", "src/toy/calc.py", "--limit", "2")
    assert result.returncode == 1
    assert "as ever" in result.stderr and "0 of 2 mutants killed" in result.stdout
    assert mutate(project).returncode == 2
