"""Below a root of a vault, every command works with that vault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_a_command_below_a_root_uses_the_vault_of_that_root(
    hearth: Run, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "app").mkdir(parents=True)
    config = tmp_path / "config" / "config.yaml"
    config.write_text(
        config.read_text("utf-8") + f"\nvaults: {{work: {{roots: [{json.dumps(str(work))}]}}}}\n", "utf-8"
    )
    monkeypatch.chdir(work / "app")
    assert hearth("remember", "--type", "fact", "The tern colony moved to the north pier.").code == 0
    assert "north pier" in hearth("query", "where did the tern colony move?").out
    assert "north pier" in hearth("surface", "where did the tern colony move, to which pier?").out
    monkeypatch.chdir(tmp_path)
    assert "north pier" not in hearth("query", "where did the tern colony move?").out
    assert "north pier" in hearth("query", "--vault", "work", "where did the tern colony move?").out
