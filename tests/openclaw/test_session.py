"""Real turns of OpenClaw with the plugin, where ``make test-openclaw`` installed it; a model of ours answers."""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hearth.cli.agents.launcher import server
from hearth.cli.health.openclaw import serve_model

FOLDER = os.environ.get("HEARTH_TEST_OPENCLAW", "")
pytestmark = [
    pytest.mark.skipif(not FOLDER, reason="OpenClaw is not installed; make test-openclaw does that"),
    pytest.mark.timeout(900),
]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Host:
    """A gateway with the plugin; ``requests`` are what reached the model."""

    folder: Path
    environ: dict[str, str]
    requests: list[dict[str, Any]]
    port: int

    @property
    def program(self) -> list[str]:
        modules = Path(FOLDER, "node_modules")
        node = next(iter(modules.glob("node-*/bin/node")), Path("node"))
        return [str(node), str(modules / "openclaw" / "openclaw.mjs")]

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, env=self.environ, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=240,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout.decode()

    def hearth(self, *arguments: str) -> str:
        return self.run(*server()[:-1], *arguments)

    def say(self, text: str) -> dict[str, Any]:
        """One turn; the first request that it led to."""
        before = len(self.requests)
        self.run(*self.program, "agent", "--agent", "main", "--json", "-m", text)
        return self.requests[before] if len(self.requests) > before else {"messages": []}

    def post(self, text: str) -> float:
        """One turn of the main session over HTTP, which starts no program; how many seconds it took."""
        message = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        headers = {
            "Authorization": "Bearer t",
            "Content-Type": "application/json",
            "x-openclaw-session-key": "agent:main:main",
        }
        address = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        asked = urllib.request.Request(address, json.dumps(message).encode(), headers)
        began = time.monotonic()
        with urllib.request.urlopen(asked, timeout=900) as answer:
            answer.read()
        return time.monotonic() - began

    def kill_daemon(self) -> bool:
        pid = json.loads(self.hearth("daemon", "status", "--json"))["daemon"]
        if pid is not None:
            os.kill(pid["pid"], signal.SIGKILL)
        return pid is not None

    def conversations(self) -> str:
        return "".join(file.read_text("utf-8") for file in (self.folder / "hearth").rglob("conversations/*.md"))


def texts(request: dict[str, Any], role: str) -> list[str]:
    found = []
    for message in request["messages"]:
        content = message.get("content")
        if message["role"] == role and content:
            found.append(content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content))
    return found


def since_answer(request: dict[str, Any]) -> dict[str, Any]:
    """Without what the model answered before, and what came before that."""
    messages = request["messages"]
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return {"messages": messages[last + 1 :]}


@pytest.fixture
def gateway(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Host]:
    (tmp_path / "state").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "MEMORY.md").write_text("# Memory\n\n- The barn is painted red.\n", "utf-8")
    mine = {
        name: value for name, value in os.environ.items() if not name.startswith(("HEARTH_", "OPENCLAW_", "PYTEST"))
    }
    folders = {f"HEARTH_{name}_DIR": str(tmp_path / "hearth" / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    environ = {**mine, **folders, "OPENCLAW_STATE_DIR": str(tmp_path / "state"), "HOME": str(tmp_path / "home")}
    with serve_model() as (port, requests), tempfile.TemporaryFile() as log:
        own = free_port()
        (tmp_path / "state" / "openclaw.json").write_text(json.dumps(settings(tmp_path, port, own)), "utf-8")
        host = Host(tmp_path, environ, requests, own)
        host.hearth("init")
        host.hearth("setup", "openclaw", f"--{getattr(request, 'param', 'memory')}")
        command = [*host.program, "gateway", "run", "--port", str(own), "--bind", "loopback", "--auth", "token"]
        process = subprocess.Popen(
            [*command, "--token", "t", "--allow-unconfigured"], env=environ, cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            until(lambda: b"http server listening" in _read(log) or process.poll() is not None)
            assert process.poll() is None, _read(log)[-2_000:]
            yield host
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            host.hearth("daemon", "stop")


def _read(log: Any) -> bytes:
    return os.pread(log.fileno(), 1_000_000, 0)


def settings(folder: Path, model_port: int, port: int) -> dict[str, Any]:
    model = {
        "id": "m",
        "name": "m",
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 200_000,
        "maxTokens": 2_000,
    }
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    provider = {"baseUrl": f"http://127.0.0.1:{model_port}/v1", "apiKey": "x", "api": "openai-completions"}
    return {
        "logging": {"file": str(folder / "openclaw.log")},
        "gateway": {
            "mode": "local",
            "bind": "loopback",
            "port": port,
            "auth": {"mode": "token", "token": "t"},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "models": {"providers": {"mock": {**provider, "models": [{**model, "cost": cost}]}}},
        "agents": {
            "defaults": {"model": {"primary": "mock/m"}, "workspace": str(folder / "workspace"), "skipBootstrap": True}
        },
    }


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("it never came to that")


def test_what_was_said_before_new_is_told_after_it(gateway: Host) -> None:
    first = gateway.say("Remember that the pump of the greenhouse is painted blue.")
    assert "The barn is painted red." in texts(first, "system")[0]
    assert "memory_search" in texts(first, "system")[0]
    gateway.say("We decided to water the tomatoes at six in the morning, never at noon.")
    gateway.say("/new")
    until(lambda: "painted blue" in gateway.hearth("query", "which colour is the pump of the greenhouse"))
    after = gateway.say("Which colour is the pump of the greenhouse?")
    asked = "\n".join(texts(after, "user"))
    assert "<vault-session>" in asked and "<vault-context>" in asked and "painted blue" in asked
    assert "water the tomatoes" not in "".join(texts(after, "assistant"))
    assert any("painted blue" in text for sent in gateway.requests for text in texts(sent, "tool"))
    log = json.loads(gateway.hearth("log", "--json"))
    assert json.dumps(log).count('"openclaw"') == 2


def test_a_turn_goes_on_while_the_daemon_is_killed_and_is_kept_with_the_next(gateway: Host) -> None:
    for number, word in enumerate(("walnut", "chestnut", "hazel", "linden")):
        gateway.kill_daemon()
        gateway.say(f"In bed {number} stands a {word} now.")
    gateway.hearth("daemon", "start")
    gateway.say("That is all of them.")
    gateway.hearth("capture", "run", "--all")
    kept = gateway.hearth("query", "which trees stand in the beds")
    session = json.loads(gateway.hearth("capture", "show", "--json"))
    assert session["pieces"], kept
    text = gateway.conversations()
    assert [text.count(f"stands a {word} now.\n") for word in ("walnut", "chestnut", "hazel", "linden")] == [1, 1, 1, 1]


def test_doctor_says_what_reached_the_model(gateway: Host) -> None:
    said = gateway.hearth("doctor", "openclaw", "--turn", "--openclaw", " ".join(gateway.program))
    assert said.count("\nok ") == 5 and "fail" not in said, said


TREES = ("walnut", "chestnut", "hazel", "linden", "maple", "oak", "birch", "cedar", "willow", "poplar")


def show(line: str) -> None:
    """Figures, for ``pytest -s``."""
    sys.stdout.write(f"{line}\n")


@pytest.mark.torture
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("gateway", ["memory", "both"], indirect=True)
def test_fifty_turns_with_ten_kills_are_kept_once_each(gateway: Host) -> None:
    names = [f"{TREES[number % 10]}-{number:02}" for number in range(50)]
    killed, took, brought = 0, [], 0
    for number, name in enumerate(names):
        killed += number % 5 == 2 and gateway.kill_daemon()
        before = len(gateway.requests)
        text = f"{'' if number % 4 else 'Remember that in'} bed {number} there is a {name} now."
        took.append(gateway.post(f"{text} Which tree is in bed {number - 3}?" if number % 7 == 6 else text))
        brought += "<vault-" in "".join(texts(since_answer(gateway.requests[before]), "user"))
    gateway.hearth("daemon", "start")
    gateway.post("That is all of them.")
    until(lambda: not list((gateway.folder / "state").rglob("hearth-waiting/*")))
    gateway.hearth("capture", "run", "--all")
    kept = gateway.conversations()
    show(f"{killed} kills; p50 {statistics.median(took):.2f} s a turn; {brought} turns with a block")
    assert killed == 10 and brought
    assert {name: count for name in names if (count := kept.count(f"there is a {name} now.")) != 1} == {}
