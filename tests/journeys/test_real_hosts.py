"""Hosts themselves, set up by Hearth, where ``make test-hosts`` installed them; a provider of ours answers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import Home, Provider

FOLDER = os.environ.get("HEARTH_TEST_HOSTS", "")
pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="the hosts are not installed; make test-hosts does that"),
    pytest.mark.timeout(900),
]
# Seconds for one turn: hosts start slowly where others work, too.
_PATIENCE = 300
MODULES = Path(FOLDER, "node_modules")
QUESTION = "Why did we stop using JWT for sessions?"
PASSAGE = "kitchen tablet had been stolen"
DECISION = "We decided: the jars are labelled in blue."
PROBLEM = "pumpctl fails with EPUMPSTALL after a power cut. Solution: open the bleed valve before the restart."
FAILING = "echo 'pumpctl: EPUMPSTALL: rotor blocked' >&2; exit 3"


def node() -> Path:
    return next(iter(MODULES.glob("node-*/bin/node")), Path("node"))


class Host:
    """One host in a home of its own; ``say`` runs one turn of it and gives the requests that the turn led to."""

    def __init__(self, name: str, home: Home, provider: Provider) -> None:
        self.name = name
        self.home = home
        self.provider = provider
        getattr(self, f"_prepare_{name}")()

    def say(self, prompt: str) -> list[dict[str, Any]]:
        before = len(self.provider.requests)
        done: subprocess.CompletedProcess[str] = getattr(self, f"_run_{self.name}")(prompt)
        assert done.returncode == 0, done.stdout + done.stderr
        return self.provider.requests[before:]

    def _write(self, name: str, settings: dict[str, Any]) -> None:
        file = self.home.folder / name
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")

    def _prepare_gemini(self) -> None:
        self.file, self.tool = ".gemini/settings.json", "run_shell_command"
        self._write(self.file, {"security": {"auth": {"selectedType": "gemini-api-key"}}})

    def _run_gemini(self, prompt: str) -> subprocess.CompletedProcess[str]:
        command = (node(), MODULES / ".bin" / "gemini", "-m", "gemini-2.5-flash", "--yolo", "-p", prompt)
        key = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": self.provider.url}
        return self.home.run(*command, seconds=_PATIENCE, GEMINI_CLI_TRUST_WORKSPACE="true", **key)

    def _prepare_qwen(self) -> None:
        self.file, self.tool = ".qwen/settings.json", "run_shell_command"
        self._write(self.file, {"security": {"auth": {"selectedType": "openai"}}})

    def _run_qwen(self, prompt: str) -> subprocess.CompletedProcess[str]:
        command = (node(), MODULES / "@qwen-code" / "qwen-code" / "cli.js", "--yolo", "-p", prompt)
        key = {"OPENAI_API_KEY": "none", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": f"{self.provider.url}/v1"}
        path = f"{node().parent}:{self.home.environ['PATH']}"
        return self.home.run(*command, seconds=_PATIENCE, QWEN_CODE_SUPPRESS_YOLO_WARNING="1", PATH=path, **key)

    def _prepare_opencode(self) -> None:
        self.file, self.tool = ".config/opencode/opencode.json", "bash"
        model = {"name": "m", "limit": {"context": 200_000, "output": 2_000}, "tool_call": True}
        options = {"baseURL": f"{self.provider.url}/v1", "apiKey": "none"}
        own = {"npm": "@ai-sdk/openai-compatible", "name": "Own", "options": options, "models": {"m": model}}
        self._write(self.file, {"model": "own/m", "permission": {"bash": "allow"}, "provider": {"own": own}})

    def _run_opencode(self, prompt: str) -> subprocess.CompletedProcess[str]:
        program = next(MODULES.glob("opencode-*/bin/opencode"))
        alone = {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "LSP_DOWNLOAD", "MODELS_FETCH")}
        return self.home.run(program, "run", prompt, seconds=_PATIENCE, **alone)

    def _prepare_hermes(self) -> None:
        self.file, self.tool = ".hermes/config.yaml", "terminal"
        file = self.home.folder / self.file
        file.parent.mkdir(parents=True)
        model = f"model:\n  default: m\n  provider: custom\n  base_url: {self.provider.url}/v1\n  api_key: none\n"
        file.write_text(f"# mine\n{model}agent:\n  max_turns: 5\n", encoding="utf-8")

    def _run_hermes(self, prompt: str) -> subprocess.CompletedProcess[str]:
        program = Path(FOLDER, "hermes", "bin", "hermes")
        return self.home.run(program, "chat", "-q", prompt, seconds=_PATIENCE, OPENAI_API_KEY="none")


@pytest.fixture(params=["gemini", "qwen", "opencode", "hermes"])
def host(request: pytest.FixtureRequest, home: Home, provider: Provider) -> Host:
    home.hearth("remember", PROBLEM, "--type", "problem")
    return Host(request.param, home, provider)


def text_of(requests: list[dict[str, Any]]) -> str:
    """The last request that offered tools: others are for titles."""
    return json.dumps([one for one in requests if one.get("tools")][-1], ensure_ascii=False)


def test_what_the_notes_know_about_a_prompt_reaches_the_model(host: Host) -> None:
    host.home.hearth("setup", host.name)
    requests = host.say(QUESTION)
    seen = text_of(requests)
    assert PASSAGE in seen, host.home.complaints()
    assert any("How I like code reviewed" in json.dumps(one) for one in requests), "the session is not briefed"
    if host.name in ("gemini", "qwen"):
        assert "[vault-context begins]" in seen and "[vault-context ends]" in seen
        block = seen.partition("[vault-context begins]")[2].partition("[vault-context ends]")[0]
        assert PASSAGE in block and "&gt;" not in block and "&lt;" not in block


def test_what_was_decided_in_one_session_is_found_afterwards(host: Host) -> None:
    host.home.hearth("setup", host.name)
    host.say(DECISION)
    host.home.hearth("capture", "run")
    found = host.home.hearth("search", "jars labelled", "--json").stdout
    assert "labelled in blue" in found, host.home.complaints()
    said = host.home.hearth("search", "designer", "--collection", "_hearth", "--json").stdout
    assert "How I like code reviewed" not in said, "a block of ours is nobody's words"


def test_a_recorded_solution_reaches_the_model_after_a_failure(host: Host) -> None:
    if host.name == "hermes":
        pytest.skip("Hermes lets a memory provider add nothing after a tool")
    host.home.hearth("setup", host.name)
    host.provider.plan = [(host.tool, {"command": FAILING, "description": "x", "is_background": False})]
    seen = text_of(host.say("Go ahead."))
    assert "open the bleed valve" in seen, host.home.complaints()


def files_of(folder: Path) -> dict[str, bytes]:
    """The settings of hosts, apart from what the hosts themselves write."""
    found = [
        *folder.glob(".*/*.json"),
        *folder.glob(".*/*.yaml"),
        *folder.glob(".*/plugins/**/*"),
        *folder.glob(".config/**/*.js*"),
    ]
    return {str(file): file.read_bytes() for file in found if file.is_file()}


def test_removal_leaves_the_settings_as_they_were(host: Host) -> None:
    before = files_of(host.home.folder)
    shown = host.home.hearth("setup", host.name, "--dry-run").stdout
    assert host.name in shown and files_of(host.home.folder) == before
    host.home.hearth("setup", host.name)
    host.home.hearth("setup", "mcp", "--client", host.name)
    assert files_of(host.home.folder) != before
    host.home.hearth("setup", host.name, "--remove")
    assert files_of(host.home.folder) == before
    assert "vault-" not in text_of(host.say(QUESTION))


def test_what_a_host_wrote_down_is_taken_in_once(host: Host) -> None:
    host.say(DECISION)
    folders = [str(folder) for folder in host.home.folder.glob(".*") if folder.is_dir()]
    done = json.loads(host.home.hearth("mine", *folders, "--json").stdout)
    assert done["by_source"].keys() == {host.name}, done
    assert "labelled in blue" in host.home.hearth("search", "jars labelled", "--json").stdout
    again = json.loads(host.home.hearth("mine", *folders, "--json").stdout)
    assert (again["taken"], again["merged"], again["known"]) == (0, 0, done["taken"])
