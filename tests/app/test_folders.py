"""A folder that can't be read does not become a collection."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from tests.config.test_edit import unprivileged

from hearth.app import settings
from hearth.app.folders import add_folder
from hearth.core.errors import Unavailable


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_a_folder_that_can_not_be_read_is_refused_before_it_is_added(tmp_path: Path, mode: int) -> None:
    environ = {f"HEARTH_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    notes = base / "notes"
    notes.mkdir()
    (notes / "one.md").write_text("The larder holds quinces.\n", encoding="utf-8")
    if os.geteuid() == 0:
        os.chown(notes, 65534, 65534)
    notes.chmod(mode)
    chosen = settings(environ=environ)
    with unprivileged(), pytest.raises(Unavailable, match="check its permissions"):
        add_folder(chosen, str(notes), None, {})
    notes.chmod(0o755)
    assert settings(environ=environ).vault.collections == {}
