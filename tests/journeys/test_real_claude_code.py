"""Claude Code itself, set up by Hearth, asked something that the notes answer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Home, Provider, client

PLUGIN = ROOT / "integrations" / "claude-code"
QUESTION = "Why did we stop using JWT for sessions?"
PASSAGE = "kitchen tablet had been stolen"
SETTINGS = '{\n    "model": "opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}'


@pytest.fixture(scope="session")
def claude() -> Path:
    """Asked for before anything is prepared for it."""
    return client("HEARTH_TEST_CLAUDE", "claude")


@pytest.fixture
def ask(claude: Path, home: Home, provider: Provider) -> Any:
    """Runs Claude Code once and returns the id of its session."""
    variables = {
        "ANTHROPIC_BASE_URL": provider.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "IS_SANDBOX": "1",
    }

    def run(prompt: str, *options: str, **more: str) -> str:
        done = home.run(claude, "-p", prompt, "--output-format", "json", *options, **variables, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        result = json.loads(done.stdout)
        assert not result["is_error"], result
        return str(result["session_id"])

    return run


def settings(home: Home) -> Path:
    file = home.folder / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(SETTINGS, encoding="utf-8")
    return file


def test_what_the_notes_know_about_a_prompt_arrives_in_the_request(home: Home, provider: Provider, ask: Any) -> None:
    settings(home)
    home.hearth("setup", "claude-code")
    ask(QUESTION)
    assert provider.seen("<vault-context>") == 1, home.complaints()
    assert provider.seen(PASSAGE) == 1
    assert provider.seen("0008-server-side-sessions.md") == 1


def test_a_prompt_that_the_notes_can_not_answer_arrives_alone_and_any_where_hearth_is_disabled(
    home: Home, provider: Provider, ask: Any
) -> None:
    home.hearth("setup", "claude-code")
    ask("Write a haiku about the Sistine Chapel.")
    assert (provider.seen("<vault-session>"), provider.seen("<vault-context>")) == (1, 0), home.complaints()
    ask(QUESTION, HEARTH_DISABLE="1")
    assert len(provider.requests) == 2 and provider.seen("<vault-") == 1


def test_the_state_before_a_compaction_comes_back_after_it(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "claude-code")
    session = ask(f"{QUESTION} We decided: sessions live in PostgreSQL from now on.")
    ask("/compact", "--resume", session)
    assert len(home.written("precompact/*.md")) == 1, home.complaints()
    before = provider.seen("<vault-postcompact>")
    ask("And what comes next?", "--resume", session)
    assert (before, provider.seen("<vault-postcompact>")) == (0, 1), home.complaints()


def test_turns_and_the_end_of_a_session_are_recorded(home: Home, ask: Any) -> None:
    home.hearth("setup", "claude-code")
    session = ask(QUESTION)
    recorded = json.loads(home.hearth("log", session, "--json").stdout)
    assert session in json.dumps(recorded), home.complaints()
    assert recorded["ended"] is not None, recorded
    assert [turn["hooks"] for turn in recorded["turns"]] == [["session-bootstrap"], ["context-surfacing"]], recorded


def test_a_note_about_a_file_arrives_before_the_file_is_edited(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "claude-code")
    file = home.project / "rotation.py"
    provider.plan = [("Write", {"file_path": str(file), "content": "x = 1\n"})]
    ask("Go ahead.", "--allowedTools", "Write")
    assert file.read_text(encoding="utf-8") == "x = 1\n"
    assert provider.seen("it asks the jar") == 1, home.complaints()


def test_a_recorded_solution_arrives_after_a_command_failed(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("remember", "pumpctl fails with EPUMPSTALL. Solution: open the bleed valve.", "--type", "problem")
    home.hearth("setup", "claude-code")
    command = "echo 'pumpctl: EPUMPSTALL: rotor blocked' >&2; exit 3"
    provider.plan = [("Bash", {"command": command, "description": "x"})]
    ask("Go ahead.", "--allowedTools", "Bash")
    assert provider.seen("open the bleed valve") == 1, home.complaints()


def test_a_session_is_briefed_where_that_was_asked_for(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "claude-code", "--bootstrap")
    ask("Hello.")
    assert provider.seen("<vault-session>") == 1, home.complaints()


def test_removal_leaves_the_settings_as_they_were_and_the_agent_alone(home: Home, provider: Provider, ask: Any) -> None:
    file = settings(home)
    home.hearth("setup", "claude-code", "--bootstrap")
    assert file.read_text(encoding="utf-8") != SETTINGS
    home.hearth("setup", "claude-code", "--remove")
    assert file.read_text(encoding="utf-8") == SETTINGS
    assert [entry.name for entry in file.parent.iterdir()] == ["settings.json"]
    ask(QUESTION)
    assert provider.requests and provider.seen("<vault-") == 0


def test_a_hearth_that_is_gone_does_not_block_a_prompt(home: Home, provider: Provider, ask: Any) -> None:
    home.hearth("setup", "claude-code")
    file = home.folder / ".claude" / "settings.json"
    file.write_text(file.read_text("utf-8").replace("/hearth/stub.py", "/gone/hearth/stub.py"), encoding="utf-8")
    ask(QUESTION)
    assert len(provider.requests) == 1


@pytest.fixture
def plugin(claude: Path, home: Home) -> subprocess.CompletedProcess[str]:
    """The plugin, installed from the folder in this checkout."""
    for words in (("marketplace", "add", str(PLUGIN)), ("install", "hearth@hearth")):
        done = home.run(claude, "plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    return home.run(claude, "plugin", "list", "--json")


def test_the_plugin_is_valid_and_installs_from_a_folder(
    claude: Path, home: Home, plugin: subprocess.CompletedProcess[str]
) -> None:
    for folder in (PLUGIN, PLUGIN / "hearth"):
        checked = home.run(claude, "plugin", "validate", "--strict", str(folder))
        assert checked.returncode == 0, checked.stdout
    assert "agents: hearth:curator" in checked.stdout
    (listed,) = json.loads(plugin.stdout)
    assert (listed["id"], listed["enabled"]) == ("hearth@hearth", True)


def test_the_plugin_answers_through_the_program_on_the_path(
    home: Home, provider: Provider, ask: Any, plugin: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    ask(QUESTION)
    assert provider.seen("<vault-") == 0, "without hearth-hook it says nothing"
    scripts = tmp_path / "bin"
    scripts.mkdir()
    stub = ROOT / "src" / "hearth" / "stub.py"
    (scripts / "hearth-hook").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{stub}" "$@"\n', "utf-8")
    (scripts / "hearth-hook").chmod(0o755)
    ask(QUESTION, PATH=f"{scripts}:/usr/bin:/bin")
    assert provider.seen("<vault-context>") == 1, home.complaints()


@pytest.fixture
def curate(ask: Any, plugin: subprocess.CompletedProcess[str], tmp_path: Path) -> Any:
    """Asks with the plugin installed and the program on the path; what the curator does needs no further leave."""
    scripts = tmp_path / "bin"
    scripts.mkdir()
    (scripts / "hearth").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hearth "$@"\n', "utf-8")
    (scripts / "hearth").chmod(0o755)

    def run(prompt: str, *options: str) -> str:
        return str(ask(prompt, *options, "--allowedTools", "Bash(hearth:*)", PATH=f"{scripts}:/usr/bin:/bin"))

    return run


LOOK, APPLY = ({"command": f"hearth curate {options}--json", "description": "x"} for options in ("", "--apply "))
CURATOR = "# Curator of the user's memory"


def doubled(home: Home) -> None:
    """Two memories that say the same."""
    for text in ("The importer fails when the network is slow.", "When the network is slow, the importer fails."):
        home.hearth("remember", text, "--type", "problem")


def needs(home: Home) -> list[str]:
    return [action["kind"] for action in json.loads(home.hearth("curate", "--json").stdout)["actions"]]


def test_the_curator_of_the_plugin_looks_asks_applies_and_says_how_it_is_taken_back(
    home: Home, provider: Provider, curate: Any
) -> None:
    doubled(home)
    provider.plan, provider.words = [("Bash", LOOK)], "Two memories say the same. Shall I unite them?"
    session = curate("Tidy up my memory.", "--agent", "hearth:curator")
    assert provider.plan == [], "it may run commands"
    assert provider.seen(CURATOR) >= 2 and provider.seen('\\"kind\\": \\"duplicates\\"') == 1, home.complaints()
    assert "duplicates" in needs(home), "it asks first"
    provider.plan, provider.words = [("Bash", APPLY)], None
    curate("Yes, do it.", "--resume", session, "--agent", "hearth:curator")
    assert provider.plan == [] and "duplicates" not in needs(home)
    (run,) = re.findall(r"curation-[0-9a-z]{16}", json.dumps(provider.requests[-1]))[:1]
    home.hearth("undo", "--run", run)
    assert "duplicates" in needs(home)


def test_another_agent_starts_the_curator_which_looks_and_returns_what_is_to_be_asked(
    home: Home, provider: Provider, curate: Any
) -> None:
    doubled(home)
    task = {"description": "Look after memory", "prompt": "What is to be done?", "subagent_type": "hearth:curator"}
    task |= {"run_in_background": False}
    provider.plan, provider.words = [("Agent", task), ("Bash", LOOK)], "Two memories say the same. Shall I unite them?"
    curate("Tidy up my memory.")
    assert provider.plan == [], home.complaints()
    whose = [CURATOR in json.dumps(request["system"]) for request in provider.requests if "system" in request]
    assert whose.count(True) == 2, "one request to look, one to tell"
    assert "Shall I unite them?" in json.dumps(provider.requests[-1]["messages"]) and "duplicates" in needs(home)


def test_a_second_installation_is_noticed(home: Home, plugin: subprocess.CompletedProcess[str]) -> None:
    assert "each hook runs twice" in home.hearth("setup", "claude-code").stderr


def test_the_server_that_was_registered_connects_and_answers_the_agent(
    claude: Path, home: Home, provider: Provider, ask: Any
) -> None:
    home.hearth("setup", "mcp")
    assert "Connected" in home.run(claude, "mcp", "list").stdout
    tool = "mcp__hearth__memory_retrieve"
    # The search waits for servers that are still starting.
    provider.plan = [("ToolSearch", {"query": f"select:{tool}", "max_results": 1}), (tool, {"query": QUESTION})]
    ask("Look it up.", "--allowedTools", tool)
    assert provider.plan == [], "the tool was offered to the model"
    assert provider.seen("0008-server-side-sessions.md") >= 1
