"""A person at a terminal changes what is remembered, and changes their mind."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SECRET = "the safe opens with quagmire-zeppelin"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "bread.md").write_text("# Rye bread\n\nRye bread needs a sour starter and patience.\n", "utf-8")
    (notes / "boats.md").write_text("# Boats\n\nThe dinghy leaks at the transom before every regatta.\n", "utf-8")
    return tmp_path


@pytest.fixture
def hearth(home: Path, forks: Any) -> Run:
    """Runs ``hearth`` with a terminal as its standard input."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HEARTH_", "PYTEST_"))}
    folders = {f"HEARTH_{name.upper()}_DIR": str(home / name) for name in ("config", "data", "cache", "state")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        leader, terminal = pty.openpty()
        try:
            environ = kept | folders | {"HOME": str(home), "HEARTH_DAEMON_MODE": "never"}
            code, out, err = forks.run(arguments, environ, stdin=terminal)
            return subprocess.CompletedProcess(arguments, code, str(out, "utf-8"), str(err, "utf-8"))
        finally:
            os.close(leader)
            os.close(terminal)

    return run


def test_forgetting_undoing_and_purging(hearth: Run, home: Path) -> None:
    def found(question: str) -> list[str]:
        result = hearth("search", question, "--json")
        rows: list[dict[str, Any]] = json.loads(result.stdout)["results"]
        return [row["path"] for row in rows]

    assert hearth("bootstrap", str(home / "notes")).returncode == 0
    assert hearth("forget", "the sour starter for rye bread", "--reason", "I buy it now").returncode == 0
    assert found("rye bread") == []
    (home / "notes/bread.md").rename(home / "notes/loaf.md")
    for name in ("index.sqlite", "index.sqlite-wal", "index.sqlite-shm"):
        (home / "cache/default" / name).unlink(missing_ok=True)
    assert found("rye bread") == []
    undone = hearth("undo")
    assert (undone.returncode, undone.stdout.split()[:2]) == (0, ["undone", "notes/loaf.md"])
    assert found("rye bread") == ["loaf.md"]

    written = json.loads(hearth("remember", SECRET, "--json").stdout)
    assert set(found("quagmire")) == {written["path"]}
    assert hearth("purge", written["docid"]).returncode == 2
    assert hearth("purge", written["docid"], "--yes").returncode == 0
    assert found("quagmire") == []
    files = [path for folder in ("data", "cache") for path in (home / folder).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"quagmire" in path.read_bytes().lower()] == []
    refused = hearth("undo")
    assert (refused.returncode, "can't be undone" in refused.stderr) == (4, True)
    events = json.loads(hearth("journal", "show", "--json").stdout)["events"]
    assert {event["data"]["actor"] for event in events if "actor" in event["data"]} == {"human"}
