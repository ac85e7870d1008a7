"""What tools/snapshot.py records, and whether it shows a difference."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


def compare(old: Path, new: Path) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / "tools" / "snapshot.py"), "compare", str(old), str(new)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout


def write(folder: Path, **texts: str) -> Path:
    (folder / "help").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "help" / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_equal_folders_are_the_same(tmp_path: Path) -> None:
    assert compare(write(tmp_path / "a", pin="Pin it.\n"), write(tmp_path / "b", pin="Pin it.\n")) == (0, "same\n")


def test_a_changed_line_and_a_missing_file_are_shown(tmp_path: Path) -> None:
    old = write(tmp_path / "a", pin="Pin it.\n", gone="", same="x\n")
    code, shown = compare(old, write(tmp_path / "b", pin="Pin that.\n", same="x\n"))
    assert code == 1
    assert "-Pin it." in shown and "+Pin that." in shown
    assert "help/gone.txt: only in one of them" in shown
    assert shown.endswith("2 of 3 files differ\n")
