"""Codex itself, set up by Hearth, asked something that the notes answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Home, Provider, client

QUESTION = "Why did we stop using JWT for sessions?"
PASSAGE = "kitchen tablet had been stolen"
HOOKS = '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "echo {}" } ] } ] } }\n'


@pytest.fixture(scope="session")
def codex() -> Path:
    """Asked for before anything is prepared for it."""
    return client("HEARTH_TEST_CODEX", "codex")


@pytest.fixture
def folder(home: Home, provider: Provider) -> Path:
    """Codex' own folder, with the provider in its settings."""
    found = home.folder / ".codex"
    found.mkdir()
    (found / "config.toml").write_text(
        'model = "gpt-5.5"\nmodel_provider = "own"\n\n[model_providers.own]\nname = "own"\n'
        f'base_url = "{provider.url}/v1"\nwire_api = "responses"\nenv_key = "OWN_KEY"\n',
        encoding="utf-8",
    )
    return found


@pytest.fixture
def ask(codex: Path, home: Home, folder: Path) -> Any:
    """Runs Codex once, with the approval that a person gives by ``/hooks``, and returns the id of its session."""

    def run(prompt: str, *options: str) -> str:
        trusted = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
        command = (codex, "exec", "--skip-git-repo-check", *trusted, "--json", *options, prompt)
        done = home.run(*command, OWN_KEY="none")
        assert done.returncode == 0, done.stdout + done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        said = [event["item"]["message"] for event in events if event.get("item", {}).get("type") == "error"]
        assert not [text for text in said if "hook" in text and "bypass-hook-trust" not in text], said
        return str(next(event["thread_id"] for event in events if event["type"] == "thread.started"))

    return run


def test_what_the_notes_know_about_a_prompt_arrives_in_the_request(home: Home, provider: Provider, ask: Any) -> None:
    printed = home.hearth("setup", "codex")
    assert "type /hooks" in printed.stderr
    ask(QUESTION)
    assert provider.seen("<vault-context>") == 1, home.complaints()
    assert provider.seen(PASSAGE) == 1


def test_without_approval_codex_runs_no_hook_as_the_setup_says(
    codex: Path, home: Home, folder: Path, provider: Provider
) -> None:
    home.hearth("setup", "codex")
    done = home.run(codex, "exec", "--skip-git-repo-check", "--json", QUESTION, OWN_KEY="none")
    assert done.returncode == 0, done.stderr
    assert provider.requests and provider.seen("<vault-") == 0


def test_the_state_before_a_compaction_comes_back_after_it(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "codex")
    provider.plan = [("exec_command", {"cmd": "true"})]
    provider.tokens = 900_000
    ask(f"{QUESTION} We decided: sessions live in PostgreSQL.", "-c", "model_auto_compact_token_limit=1000")
    assert len(home.written("precompact/*.md")) == 1, home.complaints()
    assert provider.seen("<vault-postcompact>") >= 1, home.complaints()


def test_turns_and_the_end_of_a_session_are_recorded(home: Home, ask: Any) -> None:
    home.hearth("setup", "codex")
    session = ask(QUESTION)
    recorded = json.loads(home.hearth("log", session, "--json").stdout)
    assert recorded["ended"] is not None, (recorded, home.complaints())
    assert [turn["hooks"] for turn in recorded["turns"]] == [["session-bootstrap"], ["context-surfacing"]], recorded


def test_a_note_about_a_file_arrives_with_the_patch_of_it(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "codex")
    provider.plan = [("apply_patch", "*** Begin Patch\n*** Add File: rotation.py\n+x = 1\n*** End Patch\n")]
    ask("Go ahead.")
    assert (home.project / "rotation.py").read_text(encoding="utf-8") == "x = 1\n"
    assert provider.seen("it asks the jar") == 1, home.complaints()


def test_removal_leaves_the_settings_as_they_were(home: Home, folder: Path, provider: Provider, ask: Any) -> None:
    file, config = folder / "hooks.json", folder / "config.toml"
    file.write_text(HOOKS, encoding="utf-8")
    before = config.read_bytes()
    home.hearth("setup", "codex", "--bootstrap")
    home.hearth("setup", "mcp", "--client", "codex")
    home.hearth("setup", "codex", "--remove")
    home.hearth("setup", "mcp", "--client", "codex", "--remove")
    assert (file.read_text(encoding="utf-8"), config.read_bytes()) == (HOOKS, before)
    assert sorted(entry.name for entry in folder.iterdir()) == ["config.toml", "hooks.json"]
    ask(QUESTION)
    assert provider.requests and provider.seen("<vault-") == 0


def test_the_server_that_was_registered_is_known_and_answers_the_agent(
    codex: Path, home: Home, provider: Provider, ask: Any
) -> None:
    home.hearth("setup", "mcp", "--client", "codex")
    listed = json.loads(home.run(codex, "mcp", "list", "--json", OWN_KEY="none").stdout)
    assert [(item["name"], item["transport"]["args"][-1]) for item in listed] == [("hearth", "mcp")]
    # Codex offers no tools of a server that takes over a second to start until it has; asking for its resources waits.
    provider.plan = [
        ("list_mcp_resources", {"server": "hearth"}),
        ("memory_retrieve", {"query": QUESTION}, "mcp__hearth"),
    ]
    ask("Look it up.", "-m", "gpt-5.2-codex")
    assert provider.seen("0008-server-side-sessions.md") >= 1


def test_the_plugin_of_claude_code_serves_codex_too(codex: Path, home: Home, folder: Path) -> None:
    market = ROOT / "integrations" / "claude-code"
    for words in (("marketplace", "add", str(market)), ("add", "hearth@hearth")):
        done = home.run(codex, "plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "each hook runs twice" in home.hearth("setup", "codex").stderr
