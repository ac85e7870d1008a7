"""hearth incognito, and what doctor says of files that switch things off."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "boat"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return folder


def doctor(hearth: Run) -> list[dict[str, Any]]:
    found = json.loads(hearth("doctor", "--json").out)["findings"]
    return [one for one in found if one["check"] == "incognito"]


def test_this_folder_or_the_session_that_runs_it_is_made_incognito(
    hearth: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hearth("incognito", "status").out == f"not incognito: {here}\n"
    assert hearth("incognito", "on").out == f"incognito: {here} ({here} is incognito)\n"
    assert json.loads(hearth("incognito", "status", "--json").out)["folders"] == [str(here)]
    assert hearth("incognito", "off").out == f"not incognito: {here}\n"
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "chat-9")
    assert json.loads(hearth("incognito", "on", "--json").out)["sessions"] == ["chat-9"]
    assert hearth("incognito", "off", "--session", "chat-9").out == "not incognito: session chat-9\n"
    assert hearth("incognito", "on", "--session", "a", "--folder", "b").code == 2


def test_doctor_names_what_a_projects_file_may_not_say(hearth: Run, vault: Path, here: Path) -> None:
    [fine] = doctor(hearth)
    assert fine["level"] == "ok"
    (here / ".hearth.toml").write_text("capture = false\nrun = 'rm -rf /'\n")
    key, off = doctor(hearth)
    assert "'run' is not a key of this file" in key["message"] and key["level"] == "warn"
    assert off["message"] == f"capture is off in this folder: .hearth.toml of {here}"
    assert "capture is off" in hearth("incognito", "status").out
