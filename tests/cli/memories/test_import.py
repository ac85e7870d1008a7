"""``hearth import`` where no daemon runs: what the imported memories replace is found out at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth import open_vault
from hearth.core.memory import NewMemory

Run = Callable[..., Any]


def test_files_of_people_are_named_with_the_command_that_has_them_searched(
    hearth: Run, notes: Path, vault: Path, tmp_path: Path
) -> None:
    source, back = str(tmp_path / "export.jsonl"), tmp_path / "my back"
    back.mkdir()
    assert hearth("export", "-o", source).code == 0
    told = hearth("import", source, "--files-to", f"{back}/")
    assert f"hearth collection add '{back}'/NAME --name NAME\n" in told.err and (back / "my-notes").is_dir()
    assert "collection add" not in hearth("import", source, "--files-to", str(back)).err


@pytest.mark.parametrize(("mode", "hidden"), [("never", True), ("auto", False)])
def test_what_was_imported_is_noticed_at_once_only_where_no_daemon_may_do_so(
    hearth: Run, environ: dict[str, str], tmp_path: Path, mode: str, hidden: bool
) -> None:
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config/config.yaml").write_text(f"daemon:\n  mode: {mode}\n", encoding="utf-8")
    old = json.loads(hearth("remember", "The API listens on port 8080.", "--json").out)["docid"]
    other = environ | {f"HEARTH_{name}_DIR": str(tmp_path / "other" / name) for name in ("DATA", "CACHE", "STATE")}
    with open_vault(environ=other) as vault:
        # As a writer leaves it that was killed before it looked what the memory replaces.
        vault.memories.writer.remember(NewMemory("The API now listens on port 9090."))
        (tmp_path / "export.jsonl").write_bytes(b"".join(vault.exchange.export()))
    assert hearth("import", str(tmp_path / "export.jsonl")).code == 0
    with open_vault(environ=environ) as vault:
        found = vault.documents()
        assert (old in {stored.document.docid for stored in found}) is not hidden


def test_a_pipe_is_refused_at_once(hearth: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for more in ((), ("--from", "mem0")):
        told = hearth("import", str(tmp_path / "pipe"), *more)
        assert told.code == 2
        assert "neither a file nor a folder" in told.err
