"""A person's home without settings of ours, seen from another folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    found = Path(environ["HOME"])
    found.mkdir(exist_ok=True)
    return found
