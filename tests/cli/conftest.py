from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hearth.cli import main

NOTES = {
    "decisions/0001-postgres.md": "# PostgreSQL over MongoDB\n\nWe chose PostgreSQL because joins matter more.\n",
    "runbooks/restore.md": (
        "# Restore from backup\n\nFetch the dump with restic.\n\nThen load it with pg_restore into a new database.\n"
    ),
    "daily/2026-03-05.md": "# Thursday\n\n- Baked bread with rye flour.\n- Walked the dog along the river.\n",
}


@dataclass
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Four folders of this test alone, in this process's environment and in that of programs it starts."""
    for name in [name for name in os.environ if name.startswith("HEARTH_")]:
        monkeypatch.delenv(name)
    for name in ("config", "data", "cache", "state"):
        monkeypatch.setenv(f"HEARTH_{name.upper()}_DIR", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # Commands ask the daemon where there is one, and leave none behind.
    return {"HEARTH_DAEMON_MODE": "external"} | dict(os.environ)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "My Notes"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def hearth(environ: dict[str, str], capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Runs a command in this process."""

    def run(*arguments: str) -> Result:
        code = main(list(arguments))
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run


@pytest.fixture
def vault(hearth: Callable[..., Result], notes: Path) -> Path:
    """The notes, indexed as the collection ``my-notes``; returns their folder."""
    result = hearth("bootstrap", str(notes))
    assert result.code == 0, result.err
    return notes


@pytest.fixture
def spawn(environ: dict[str, str], forks: Any) -> Callable[..., Result]:
    """Runs ``python -m hearth`` in another process."""

    def run(*arguments: str | bytes, stdin: bytes = b"", **variables: str) -> Result:
        kept = {key: value for key, value in environ.items() if key != "PYTEST_CURRENT_TEST"}
        kept = {"HEARTH_DAEMON_MODE": "external"} | kept | variables
        code, out, err = forks.run(arguments, kept, stdin=stdin)
        return Result(code, out.decode("utf-8", "surrogateescape"), err.decode("utf-8"))

    return run
