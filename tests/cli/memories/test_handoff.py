from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth import open_vault
from hearth.core.session import Sighting

Run = Callable[..., Any]


@pytest.fixture
def work_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def enter(name: str) -> Path:
        folder = tmp_path / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(folder)
        return folder

    return enter


def test_the_hand_off_of_another_project_is_said_to_be_one(hearth: Run, work_in: Callable[[str], Path]) -> None:
    shop = work_in("shop")
    assert hearth("handoff").code == 3
    with open_vault() as vault:
        vault.sessions.seen(Sighting("s1", "codex", cwd=str(shop)))
    hearth(
        "remember", "Half of the import is done.", "--title", "Hand-off: import", "--type", "handoff", "--session", "s1"
    )
    own = hearth("handoff")
    assert (own.out, own.err) == ("Half of the import is done.\n", "")
    assert "hand-off: import" in hearth("log", "s1").out
    work_in("farm")
    told = hearth("handoff")
    assert told.out == own.out and str(shop) in told.err
