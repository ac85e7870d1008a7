"""``hearth surface`` prints what the hooks would show, and writes nothing down unless a session is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ASKED = "why did we choose PostgreSQL over MongoDB?"


def test_a_prompt_brings_its_block(hearth: Run, vault: Path) -> None:
    found = hearth("surface", ASKED)
    assert found.code == 0
    assert found.out.startswith("<vault-context>\n") and "joins matter more" in found.out


def test_the_prompt_may_come_from_standard_input(spawn: Run, vault: Path) -> None:
    assert "joins matter more" in spawn("surface", "--context", "--stdin", stdin=ASKED.encode()).out


def test_nothing_relevant_prints_no_block_and_says_why(hearth: Run, vault: Path) -> None:
    silent = hearth("surface", "fix it")
    assert silent.out == "" and "nothing in this folder is relevant" in silent.err
    found = json.loads(hearth("surface", "fix it", "--json").out)
    assert (found["context"], "nothing in this folder is relevant" in found["reason"]) == (None, True)


def test_a_session_is_told_what_it_starts_from(hearth: Run, vault: Path) -> None:
    assert hearth("remember", "--type", "handoff", "Stopped at the lease renewal.").code == 0
    assert "lease renewal" in hearth("surface", "--bootstrap").out


def test_only_a_named_session_is_counted_and_not_told_twice(hearth: Run, vault: Path) -> None:
    hearth("surface", ASKED)
    assert json.loads(hearth("log", "--json").out)["sessions"] == []
    assert hearth("surface", "--session", "s1", ASKED).out
    assert hearth("surface", "--session", "s1", ASKED).out == ""
    assert [row["id"] for row in json.loads(hearth("log", "--json").out)["sessions"]] == ["s1"]


@pytest.mark.parametrize(
    ("settings", "found"), [("surface.other_projects", True), ("surface.heartbeats", False), ("profile", True)]
)
def test_the_settings_of_hooks_act(hearth: Run, vault: Path, settings: str, found: bool) -> None:
    hearth("remember", "--project", "elsewhere", "--type", "fact", "The zeppelin importer reads Atom feeds at noon.")
    asked = "when does the zeppelin importer read Atom feeds?"
    prompt = {"surface.other_projects": asked, "surface.heartbeats": ASKED, "profile": ASKED}[settings]
    value = {"surface.other_projects": "true", "surface.heartbeats": json.dumps([ASKED]), "profile": "speed"}[settings]
    before = hearth("surface", prompt).out
    assert hearth("config", "set", settings, value).code == 0
    after = hearth("surface", prompt).out
    assert bool(after) is found
    assert settings == "profile" or before != after
