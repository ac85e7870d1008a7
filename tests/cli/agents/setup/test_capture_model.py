"""Who reads sessions: offered once on a terminal, said by a flag elsewhere, rules unless somebody chose."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.agents.setup.test_one_home import answered

from hearth.cli.agents.setup_model import TOKENS_PER_CALL, estimate_use

Run = Callable[..., Any]


@pytest.fixture
def programs(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path that holds agents of no use, so that none of this machine is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(programs: Path, name: str) -> None:
    (programs / name).write_text("#!/bin/sh\nexit 1\n")
    (programs / name).chmod(0o755)


def llm(hearth: Run, key: str) -> str | None:
    value: str | None = json.loads(hearth("config", "get", f"llm.{key}", "--json").out)
    return value


@pytest.mark.parametrize(("host", "program"), [("claude-code", "claude"), ("codex", "codex")])
def test_the_agents_own_model_is_set_by_a_flag_with_what_it_takes(
    hearth: Run, programs: Path, host: str, program: str
) -> None:
    install(programs, program)
    tried = hearth("setup", host, "--capture-model", "agent", "--dry-run")
    assert "would be read by" in tried.err and llm(hearth, "provider") == "none"
    done = hearth("setup", host, "--capture-model", "agent")
    assert done.code == 0, done.err
    assert f"sessions are read by {program}" in done.err
    assert f"about {9 * TOKENS_PER_CALL:,} tokens a day in 9 calls (assuming 30 turns in 3 sessions a day)" in done.err
    assert (llm(hearth, "provider"), llm(hearth, "command")) == ("agent", program)
    off = hearth("setup", host, "--capture-model", "off")
    assert "sessions are read by rules" in off.err
    assert llm(hearth, "provider") == "none"


def test_nothing_is_set_where_the_program_is_not_there_or_none_is_configured(hearth: Run, programs: Path) -> None:
    for model, why in (("agent", "can't be found"), ("configured", "no model is configured")):
        refused = hearth("setup", "claude-code", "--capture-model", model)
        assert refused.code == 2 and why in refused.err
    assert hearth("setup", "claude-code", "--remove", "--capture-model", "off").code == 2
    assert llm(hearth, "provider") == "none"


def test_a_configured_model_stays_and_says_what_it_takes(hearth: Run, programs: Path) -> None:
    for key, value in (("provider", "openai"), ("url", "http://127.0.0.1:9/v1"), ("model", "small")):
        assert hearth("config", "set", f"llm.{key}", value).code == 0
    done = hearth("setup", "claude-code", "--capture-model", "configured")
    assert "sessions are read by openai" in done.err and "tokens a day" in done.err
    assert llm(hearth, "provider") == "openai"


def test_nobody_is_asked_without_a_terminal(hearth: Run, programs: Path) -> None:
    install(programs, "claude")
    assert hearth("setup", "claude-code").code == 0
    assert llm(hearth, "provider") == "none"


@pytest.mark.parametrize(("answer", "provider"), [("y", "agent"), ("n", "none")])
def test_a_person_at_a_terminal_is_asked_once(
    hearth: Run, programs: Path, environ: dict[str, str], answer: str, provider: str
) -> None:
    install(programs, "claude")
    given = environ | {"PATH": os.environ["PATH"], "HEARTH_EMBEDDING_PROVIDER": "static"}
    first = answered(given, answer, "setup", "claude-code")
    assert "tokens a day" in first and "Claude Code's own model" in first
    assert llm(hearth, "provider") == provider
    assert "tokens a day in" not in answered(given, answer, "setup", "claude-code")


def test_the_estimate_follows_what_was_seen() -> None:
    assert estimate_use(0, 0, 0, 5).words == estimate_use(420, 42, 14, 5).words.replace(
        "by your last 14 days: ", "assuming "
    )
    small, large = estimate_use(14, 14, 14, 5), estimate_use(1_400, 70, 14, 5)
    assert (small.turns, small.calls) == (1, 2)
    assert (large.turns, large.sessions, large.calls, large.tokens) == (100, 5, 25, 25 * TOKENS_PER_CALL)
