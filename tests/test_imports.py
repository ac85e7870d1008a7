"""What tools/check_imports.py refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PAGE = "## Cold paths\n\n| where | why |\n|---|---|\n| `numpy` | slow |\n| `cli/`, `way/one.py` | lazy |\n\n## Next\n"


def check(folder: Path, files: dict[str, str], page: str = PAGE) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        file = folder / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "page.md").write_text(page, encoding="utf-8")
    tool = [sys.executable, str(ROOT / "tools" / "check_imports.py")]
    command = [*tool, str(folder / "package"), "--page", str(folder / "page.md")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


NAMED = {
    "a.py": "import os\n\n\nclass A:\n    async def run(self):\n        import numpy as np\n",
    "cli/b.py": "def run():\n    from hearth.engine import sync\n",
    "way/one.py": "def run():\n    from . import two\n",
}


def test_imports_at_the_top_and_on_named_paths_pass(tmp_path: Path) -> None:
    done = check(tmp_path, NAMED)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("inner", ["import yaml", "from hearth.model import event", "from . import other"])
def test_any_other_import_inside_a_function_is_refused_with_its_place(tmp_path: Path, inner: str) -> None:
    done = check(tmp_path, {**NAMED, "way/two.py": f"def run():\n    if True:\n        {inner}\n"})
    assert done.returncode == 1
    assert done.stderr.startswith("way/two.py:3: imports ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import re\n_A = re.compile('a')\n", 2),
        ("import re\nclass A:\n    a = (re.compile('a'), 1)\n", 3),
        ("import re\ndef a(b=re.compile('a')):\n    pass\n", 2),
        ("from dataclasses import dataclass, field\n", 1),
    ],
)
def test_patterns_and_dataclasses_that_are_made_at_loading_are_refused(tmp_path: Path, text: str, line: int) -> None:
    done = check(tmp_path, {**NAMED, "way/two.py": text})
    assert done.returncode == 1
    assert done.stderr.startswith(f"way/two.py:{line}: ") and "hearth.core.lazy" in done.stderr


def test_patterns_that_a_function_makes_pass(tmp_path: Path) -> None:
    text = "import re\nfrom dataclasses import field\ndef a():\n    return re.compile('a')\n"
    assert check(tmp_path, {**NAMED, "way/two.py": text}).returncode == 0


def test_a_name_that_no_import_needs_any_more_is_refused(tmp_path: Path) -> None:
    done = check(tmp_path, {name: text for name, text in NAMED.items() if name != "cli/b.py"})
    assert done.returncode == 1
    assert done.stderr.startswith("cli/ is named as a cold path")


def test_a_page_without_the_section_names_nothing(tmp_path: Path) -> None:
    done = check(tmp_path, {"a.py": "def run():\n    import numpy\n"}, "# A page\n")
    assert done.returncode == 1 and "a.py:2: imports numpy" in done.stderr


def test_what_is_loaded_with_the_module_anyway_is_refused_on_a_named_path_too(tmp_path: Path) -> None:
    files = {
        "cli/b.py": "from package.cli import c\ndef run():\n    from package.cli.d import one\n",
        "cli/c.py": "from package.cli import d\n",
        "cli/d.py": "one = 1\n",
    }
    done = check(tmp_path, {**NAMED, **files})
    assert done.returncode == 1
    assert done.stderr == "cli/b.py:3: package.cli.d is loaded with the module anyway; import it at the top\n"


@pytest.mark.parametrize(
    "loading",
    [
        "if TYPE_CHECKING:\n    import package.cli.d\n",
        "try:\n    import os\nexcept ImportError:\n    import package.cli.d\n",
        "def other():\n    import package.cli.d\n",
    ],
)
def test_what_may_not_be_loaded_with_the_module_passes(tmp_path: Path, loading: str) -> None:
    files = {"cli/b.py": f"{loading}def run():\n    from package.cli.d import one\n", "cli/d.py": "one = 1\n"}
    assert check(tmp_path, {**NAMED, **files}).stderr == ""


@pytest.mark.parametrize(
    "loader",
    ["__getattr__ = modules(__name__, 'one')\n", "def run():\n    return import_module('package.way.one')\n"],
)
def test_a_module_that_loads_others_by_name_is_to_be_named(tmp_path: Path, loader: str) -> None:
    assert "way/two.py" in check(tmp_path, {**NAMED, "way/two.py": loader}).stderr
    page = PAGE.replace("`way/one.py`", "`way/one.py`, `way/two.py`")
    assert check(tmp_path, {**NAMED, "way/two.py": loader}, page).returncode == 0
