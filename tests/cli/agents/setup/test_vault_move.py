"""A vault's memories in another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Result
from tests.faults.tracer import Tracer, available

from hearth.app import open_vault
from hearth.cli import main as hearth_main
from hearth.core.errors import Unavailable

Run = Callable[..., Result]


def modes(root: Path) -> set[int]:
    return {path.lstat().st_mode & 0o077 for path in (root, *root.rglob("*")) if not path.is_symlink()}


@pytest.fixture
def used(hearth: Run, vault: Path) -> None:
    assert hearth("remember", "We decided to keep the ledger in the cellar.").code == 0
    assert hearth("note", "Seen today: a heron").code == 0


def test_a_moved_vault_is_still_the_one_that_this_machine_made(hearth: Run, used: None, tmp_path: Path) -> None:
    new = tmp_path / "synced"
    assert hearth("vault", "move", "default", str(new)).code == 0
    assert hearth("note", "Seen later: a crane").code == 0
    assert len(list((new / "memory").rglob("20*-*-*.md"))) == 1
    assert len(list((new / "journal").glob("*.jsonl"))) == 1
    rebuilt = hearth("profile", "--rebuild")
    assert rebuilt.code == 0, rebuilt.err


def test_a_vault_copied_by_hand_or_made_where_one_was_has_a_writer_of_its_own(
    hearth: Run, used: None, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "data" / "default", tmp_path / "copy")
    assert hearth("vault", "add", "copy", "--data", str(tmp_path / "copy")).code == 0
    assert hearth("--vault", "copy", "remember", "The copy has a mooring of its own.").code == 0
    assert len(list((tmp_path / "copy" / "journal").glob("*.jsonl"))) == 2
    assert hearth("vault", "move", "default", str(tmp_path / "synced")).code == 0
    (tmp_path / "data" / "default.moved").rename(tmp_path / "data" / "default")
    assert hearth("vault", "add", "again", "--data", str(tmp_path / "data" / "default")).code == 0
    assert hearth("--vault", "again", "remember", "The former folder has a mooring, too.").code == 0
    assert len(list((tmp_path / "data" / "default" / "journal").glob("*.jsonl"))) == 2


def test_a_vault_goes_there_and_back(hearth: Run, used: None, tmp_path: Path) -> None:
    first = tmp_path / "data" / "default"
    assert hearth("vault", "move", "default", str(tmp_path / "synced")).code == 0
    assert hearth("vault", "move", "default", str(first)).code == 0
    assert hearth("remember", "The heron stands in the reeds.").code == 0
    assert len(list((first / "journal").glob("*.jsonl"))) == 1


def test_folders_are_closed_before_anything_is_in_them(hearth: Run, used: None, tmp_path: Path) -> None:
    new = tmp_path / "synced"
    new.mkdir()
    new.chmod(0o755)
    assert hearth("vault", "move", "default", str(new)).code == 0
    assert modes(new) == {0}


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_every_file_is_on_the_disk_before_the_settings_change(
    environ: dict[str, str], used: None, tmp_path: Path
) -> None:
    kept = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    log = tmp_path / "calls"
    subprocess.run(
        ["strace", "-f", "-y", "-o", str(log), "-e", "trace=openat,fsync,mkdir,rename,ftruncate",
         sys.executable, "-m", "hearth", "vault", "move", "default", str(tmp_path / "synced")],
        env=kept, check=True, capture_output=True,
    )  # fmt: skip
    calls = log.read_text("utf-8").splitlines()
    switched = next(n for n, call in enumerate(calls) if "rename(" in call and "config.yaml" in call)
    assert not [c for c in calls if "mkdir(" in c and str(tmp_path) in c and "0777" in c]
    assert not [c for c in calls if f"{tmp_path}/synced" in c and "O_TRUNC" in c]
    files = [path for path in (tmp_path / "synced").rglob("*.md") if path.is_file()]
    placed = [c for c in calls[:switched] if "rename(" in c and f'"{tmp_path}/synced/' in c]
    assert len(placed) >= len(files) > 0
    synced = [c for c in calls[:switched] if "fsync(" in c and f"{tmp_path}/synced/" in c and ".tmp>" in c]
    assert len(synced) == len(placed)


@pytest.mark.skipif(not available(), reason="ptrace as used here is of Linux")
@pytest.mark.timeout(600)
def test_a_move_that_is_killed_anywhere_is_finished_by_the_same_command(
    hearth: Run, used: None, tmp_path: Path
) -> None:
    home, kept = tmp_path, tmp_path.with_name(f"{tmp_path.name}-kept")
    (home / "notes").mkdir()
    arguments = ["vault", "move", "default", str(home / "target")]
    (home / "target").mkdir()
    (home / "target").chmod(0o755)
    hearth_main(["vault", "move", "nothing", "there"])  # what is loaded once is loaded
    shutil.copytree(home, kept, symlinks=True)
    tracer = Tracer()
    memories = _texts(home / "data" / "default")

    def fresh() -> None:
        for path in list(home.iterdir()):
            shutil.rmtree(path)
        shutil.copytree(kept, home, symlinks=True, dirs_exist_ok=True)

    whole = tracer.run(lambda: hearth_main(arguments))
    assert whole.code == 0
    # No two runs make the same number of calls: they are killed further on until one ends before its turn comes.
    step = max(1, whole.changing // 40)
    killed = 0
    ended = False
    while not ended:
        at = 1 + killed * step
        fresh()
        ending = tracer.run(lambda: hearth_main(arguments), at, changing=True)
        ended = ending.code is not None
        killed += not ended
        assert not ended or (ending.code == 0 and ending.changing < at), (at, ending)
        target = home / "target"
        if any(target.rglob("*")):
            assert modes(target) == {0}, at
        result = hearth(*arguments)
        assert result.code == 0 or "is already the vault's folder" in result.err, (at, result.err)
        assert _texts(target) == memories, at
        assert not (home / "data" / "default").exists() and (home / "data" / "default.moved").is_dir()
        assert not list((home / "state").glob("moving-*"))
        assert len(list((home / "state").glob("machine-*"))) == 1
    assert killed >= 20, (killed, whole)
    shutil.rmtree(kept)


def _texts(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_who_opened_the_vault_before_it_moved_writes_nothing_where_it_was(
    hearth: Run, used: None, tmp_path: Path
) -> None:
    with open_vault() as opened:
        assert hearth("vault", "move", "default", str(tmp_path / "synced")).code == 0
        with pytest.raises(Unavailable, match="moved away"):
            opened.memories.remember("The heron stands in the reeds.")
        with pytest.raises(Unavailable):
            opened.memories.note("Seen later: a crane")
    assert not (tmp_path / "data" / "default").exists()
