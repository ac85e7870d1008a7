from __future__ import annotations

import hmac
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import HANGS, children

from hearth.core.errors import Unavailable
from hearth.disk.state_files import digest, local_key


def test_a_key_is_drawn_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    state = tmp_path / "state"
    key = local_key(state)
    assert (len(key), local_key(state)) == (32, key)
    assert (state / "prompt.key").stat().st_mode & 0o777 == 0o600
    assert local_key(tmp_path / "other") != key


def test_processes_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from hearth.disk.state_files import local_key; "
        "print(local_key(pathlib.Path(sys.argv[1])).hex())"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "state")]
    with children() as start:
        started = [start(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
        assert len({process.communicate(timeout=HANGS)[0] for process in started}) == 1


@pytest.mark.parametrize("damage", [b"", b"00ff\n", b"\xff" * 64, b"zz" * 32, b"0" * 10_000_000])
def test_a_damaged_key_is_drawn_anew_and_stays_private(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "prompt.key"
    path.write_bytes(damage)
    path.chmod(0o600)
    key = local_key(tmp_path)
    assert (len(key), local_key(tmp_path)) == (32, key)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_key_that_can_not_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "prompt.key").mkdir()
    with pytest.raises(Unavailable, match=r"prompt\.key"):
        local_key(tmp_path)


def test_a_digest_needs_the_key() -> None:
    assert digest(b"k", "prompt") == hmac.new(b"k", b"prompt", "sha256").hexdigest()[:32]
    assert len({digest(key, text) for key in (b"k", b"l") for text in ("a", "b", "\ud800")}) == 6
