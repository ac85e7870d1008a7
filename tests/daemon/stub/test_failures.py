"""The line that a hook leaves where it said nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hearth import log
from hearth.daemon.stub import failures
from hearth.paths import HOOKS_LOG


def scrub(text: str) -> str:
    return text


def test_lines_are_of_one_form_whether_the_folder_was_there_or_not(tmp_path: Path) -> None:
    state = tmp_path / "state"
    failures.write(str(state), "claude-code context-surfacing: nothing said: tëst")
    failures.write(str(state), "claude-code context-surfacing: nothing said: tëst")
    file = state / HOOKS_LOG
    assert file.stat().st_mode & 0o777 == 0o600
    log.Log(file, scrub).write("claude-code context-surfacing: nothing said: tëst")
    lines = [line.split(" ", 1) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [rest for _, rest in lines] == [lines[0][1]] * 3
    assert len({moment[:10] + str(len(moment)) for moment, _ in lines}) == 1


def test_a_full_log_makes_room(tmp_path: Path) -> None:
    (tmp_path / HOOKS_LOG).write_bytes(b"x" * (log.MAX_BYTES + 1))
    failures.write(str(tmp_path), "why")
    assert (tmp_path / f"{HOOKS_LOG}.1").read_bytes().endswith(b" why\n")
    failures.write(str(tmp_path), "why")
    assert (tmp_path / HOOKS_LOG).read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("state", ["gone/x", "file/x"])
def test_a_log_that_cannot_be_written_costs_nothing(tmp_path: Path, state: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    failures.write(str(tmp_path / state), "why")


def test_a_line_more_loads_next_to_nothing(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(log.__file__).parents[1])!r});"
        f"from hearth.daemon.stub import failures; failures.write({str(tmp_path)!r}, 'second');"
        "sys.exit(' '.join({'pathlib', 're', 'datetime'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) in ((0, ""), (1, "\n"))
    assert (tmp_path / HOOKS_LOG).read_text(encoding="utf-8").endswith(" second\n")
