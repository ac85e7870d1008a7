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
    pytest.mark.timeout(300),
]
MODULES = Path(FOLDER, "node_modules")
QUESTION = "Why did we stop using JWT for sessions?"
PASSAGE = "kitchen tablet had been stolen"
DECISION = "We decided: the jars are labelled in blue."
PROBLEM = (
    "---\ntype: problem\n---\n# Boiler pump stalls\n\n`pumpctl` fails with EPUMPSTALL after a power cut. "
    "Solution: open the bleed valve before the restart.\n"
)
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
        self.file = ".gemini/settings.json"
        self._write(self.file, {"security": {"auth": {"selectedType": "gemini-api-key"}}})

    def _run_gemini(self, prompt: str) -> subprocess.CompletedProcess[str]:
        command = (node(), MODULES / ".bin" / "gemini", "-m", "gemini-2.5-flash", "--yolo", "-p", prompt)
        key = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": self.provider.url}
        return self.home.run(*command, GEMINI_CLI_TRUST_WORKSPACE="true", **key)

    def _prepare_qwen(self) -> None:
        self.file = ".qwen/settings.json"
        self._write(self.file, {"security": {"auth": {"selectedType": "openai"}}})

    def _run_qwen(self, prompt: str) -> subprocess.CompletedProcess[str]:
        command = (node(), MODULES / "@qwen-code" / "qwen-code" / "cli.js", "--yolo", "-p", prompt)
        key = {"OPENAI_API_KEY": "none", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": f"{self.provider.url}/v1"}
        path = f"{node().parent}:{self.home.environ['PATH']}"
        return self.home.run(*command, QWEN_CODE_SUPPRESS_YOLO_WARNING="1", PATH=path, **key)


@pytest.fixture(params=["gemini", "qwen"])
def host(request: pytest.FixtureRequest, home: Home, provider: Provider) -> Host:
    (home.folder / "notes" / "boiler.md").write_text(PROBLEM, encoding="utf-8")
    home.hearth("update")
    return Host(request.param, home, provider)


def text_of(requests: list[dict[str, Any]]) -> str:
    return json.dumps(requests[-1], ensure_ascii=False)


def test_what_the_notes_know_about_a_prompt_reaches_the_model(host: Host) -> None:
    host.home.hearth("setup", host.name)
    seen = text_of(host.say(QUESTION))
    assert PASSAGE in seen, host.home.complaints()
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


def test_a_recorded_solution_reaches_the_model_after_a_failure(host: Host) -> None:
    host.home.hearth("setup", host.name)
    host.provider.plan = [("run_shell_command", {"command": FAILING, "description": "x", "is_background": False})]
    seen = text_of(host.say("Go ahead."))
    assert "open the bleed valve" in seen, host.home.complaints()


def test_removal_leaves_the_settings_as_they_were(host: Host) -> None:
    file = host.home.folder / host.file
    before = file.read_bytes()
    shown = host.home.hearth("setup", host.name, "--dry-run").stdout
    assert host.name in shown and file.read_bytes() == before
    host.home.hearth("setup", host.name)
    host.home.hearth("setup", "mcp", "--client", host.name)
    assert file.read_bytes() != before
    host.home.hearth("setup", host.name, "--remove")
    assert file.read_bytes() == before
    assert "vault-" not in text_of(host.say(QUESTION))
