from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import HANGS, children

from hearth.core.errors import Unavailable
from hearth.journal import machine_id
from hearth.journal.machine import parse


def test_the_machine_keeps_its_id(tmp_path: Path) -> None:
    first = machine_id(tmp_path / "state", tmp_path / "data", "os-1")
    assert machine_id(tmp_path / "state", tmp_path / "data", "os-1") == first
    assert parse(f"{first}.jsonl") is not None


def test_another_system_or_data_folder_draws_another_id(tmp_path: Path) -> None:
    state = tmp_path / "state"
    ids = [
        machine_id(state, tmp_path / "data", "os-1"),
        machine_id(state, tmp_path / "data", "os-2"),
        machine_id(state, tmp_path / "data", None),
        machine_id(state, tmp_path / "copy", "os-1"),
    ]
    assert len(set(ids)) == 4
    assert machine_id(state, tmp_path / "data", "os-1") == ids[0]


def test_a_link_to_the_data_folder_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    state = tmp_path / "state"
    assert machine_id(state, tmp_path / "link", None) == machine_id(state, tmp_path / "data", None)


@pytest.mark.parametrize("content", [b"", b"short", b"AAAAAAAAAA", b"\xff\xfe", b"aaaaaaaaaa.0001"])
def test_a_damaged_id_is_drawn_anew(tmp_path: Path, content: bytes) -> None:
    machine_id(tmp_path, tmp_path / "data", None)
    stored = next(tmp_path.glob("machine-*"))
    stored.write_bytes(content)
    drawn = machine_id(tmp_path, tmp_path / "data", None)
    assert stored.read_text() == f"{drawn}\n"


def test_an_id_that_cannot_be_read_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    machine_id(tmp_path, tmp_path / "data", None)
    stored = next(tmp_path.glob("machine-*"))
    stored.unlink()
    stored.mkdir()
    with pytest.raises(Unavailable, match=stored.name):
        machine_id(tmp_path, tmp_path / "data", None)


def test_processes_that_race_end_with_one_id(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from hearth.journal import machine_id; sys.stdin.readline();"
        "print(machine_id(Path(sys.argv[1]), Path(sys.argv[2]), 'os'))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "state"), str(tmp_path / "data")]
    with children() as start:
        started = [start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        for child in started:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        assert len({child.communicate(timeout=HANGS)[0] for child in started}) == 1
