"""A gateway of OpenClaw with the plugin, and a model of ours behind it."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hearth.cli.agents.launcher import server
from hearth.cli.health.openclaw import Answer, search_first, serve_model

FOLDER = os.environ.get("HEARTH_TEST_OPENCLAW", "")
TREES = ("walnut", "chestnut", "hazel", "linden", "maple", "oak", "birch", "cedar", "willow", "poplar")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass
class Host:
    """A gateway with the plugin; ``requests`` are what reached the model, ``answer`` is what it answers."""

    folder: Path
    environ: dict[str, str]
    requests: list[dict[str, Any]]
    port: int
    answer: Answer = search_first
    answers: str = ""

    @property
    def settings(self) -> Path:
        return self.folder / "state" / "openclaw.json"

    @property
    def program(self) -> list[str]:
        modules = Path(FOLDER, "node_modules")
        node = next(iter(modules.glob("node-*/bin/node")), Path("node"))
        return [str(node), str(modules / "openclaw" / "openclaw.mjs")]

    def run(self, *command: str, code: int | None = 0) -> str:
        done = subprocess.run(
            command, env=self.environ, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=240,
            check=False,
        )  # fmt: skip
        assert code in (None, done.returncode), (command, done.stdout[-2_000:], done.stderr[-2_000:])
        return done.stdout.decode()

    def hearth(self, *arguments: str, code: int | None = 0) -> str:
        return self.run(*server()[:-1], *arguments, code=code)

    def say(self, text: str) -> dict[str, Any]:
        """One turn; the first request that it led to."""
        before = len(self.requests)
        self.run(*self.program, "agent", "--agent", "main", "--json", "-m", text)
        return self.requests[before] if len(self.requests) > before else {"messages": []}

    def post(self, text: str, session: str = "agent:main:main") -> float:
        """One turn of a session over HTTP, which starts no program; how many seconds it took."""
        message = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        headers = {
            "Authorization": "Bearer t",
            "Content-Type": "application/json",
            "x-openclaw-session-key": session,
        }
        address = f"http://127.0.0.1:{self.port}/v1/chat/completions"
        asked = urllib.request.Request(address, json.dumps(message).encode(), headers)
        began = time.monotonic()
        with urllib.request.urlopen(asked, timeout=900) as answer:
            self.answers += answer.read().decode()
        return time.monotonic() - began

    def kill_daemon(self) -> bool:
        pid = json.loads(self.hearth("daemon", "status", "--json"))["daemon"]
        if pid is not None:
            os.kill(pid["pid"], signal.SIGKILL)
        return pid is not None

    def entry(self, session: str = "agent:main:main") -> dict[str, Any]:
        """What OpenClaw notes of a session."""
        file = self.folder / "state" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            rows = database.execute("select entry_json from session_nodes where session_key = ?", (session,)).fetchall()
        return dict(json.loads(rows[0][0])) if rows else {}

    def is_captured(self) -> bool:
        """Whether the last session has ended and nothing waits to be captured."""
        [session, *_] = json.loads(self.hearth("log", "--json"))["sessions"]
        waiting = json.loads(self.hearth("capture", "status", "--json"))["waiting"]
        return session.get("ended") is not None and not waiting

    def conversations(self) -> str:
        return "".join(file.read_text("utf-8") for file in (self.folder / "hearth").rglob("conversations/*.md"))


def content_of(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def texts(request: dict[str, Any], role: str) -> list[str]:
    return [text for one in request["messages"] if one["role"] == role and (text := content_of(one))]


def since_answer(request: dict[str, Any]) -> dict[str, Any]:
    """Without what the model answered before, and what came before that."""
    messages = request["messages"]
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return {"messages": messages[last + 1 :]}


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Host]:
    with open_gateway(tmp_path, "memory") as host:
        yield host


@contextmanager
def open_gateway(folder: Path, *modes: str, change: Callable[[dict[str, Any]], None] | None = None) -> Iterator[Host]:
    """``modes`` are options of setup without their dashes; without any there is no plugin. ``change`` sees the settings
    before that."""
    if not FOLDER:
        pytest.skip("OpenClaw is not installed; make test-openclaw does that")
    for name in ("state", "home", "workspace"):
        (folder / name).mkdir()
    (folder / "workspace" / "MEMORY.md").write_text("# Memory\n\n- The barn is painted red.\n", "utf-8")
    mine = {
        name: value for name, value in os.environ.items() if not name.startswith(("HEARTH_", "OPENCLAW_", "PYTEST"))
    }
    folders = {f"HEARTH_{name}_DIR": str(folder / "hearth" / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    environ = {**mine, **folders, "OPENCLAW_STATE_DIR": str(folder / "state"), "HOME": str(folder / "home")}
    host = Host(folder, environ, [], free_port())
    with serve_model(lambda body: host.answer(body)) as (port, host.requests), tempfile.TemporaryFile() as log:
        given = settings(folder, port, host.port)
        if change is not None:
            change(given)
        host.settings.write_text(json.dumps(given, indent=2), "utf-8")
        host.hearth("init")
        if modes:
            host.hearth("setup", "openclaw", *(f"--{mode}" for mode in modes))
        command = [*host.program, "gateway", "run", "--port", str(host.port), "--bind", "loopback", "--auth", "token"]
        process = _start(command, environ, folder, log)
        try:
            yield host
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            host.hearth("daemon", "stop")


def _start(command: list[str], environ: dict[str, str], folder: Path, log: Any) -> subprocess.Popen[bytes]:
    """A gateway that listens. On a busy machine it may give up its own start."""
    for _ in range(3):
        process = subprocess.Popen(
            [*command, "--token", "t", "--allow-unconfigured"], env=environ, cwd=folder, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        if _comes_up(process, log):
            return process
    raise AssertionError(_read(log)[-2_000:])


def _comes_up(process: subprocess.Popen[bytes], log: Any) -> bool:
    until(lambda: b"http server listening" in _read(log) or process.poll() is not None)
    return process.poll() is None


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


def show(line: str) -> None:
    """Figures, for ``pytest -s``."""
    sys.stdout.write(f"{line}\n")


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("it never came to that")


CODE = """
import { appendFileSync } from "node:fs";

const note = (what) => appendFileSync(CALLS, `${what}\\n`);
const transcriptSemantics = {
  currentTurnFence: "before-current-turn-entry-v1",
  turnAdvancementIdempotency: "atomic-idempotent-v1",
};

export default {
  id: "other",
  name: "Other",
  register(api) {
    const promptBuilder = () => ["## Memory of the other plugin"];
    if (SLOT === "memory") return api.registerMemoryCapability({ promptBuilder });
    api.registerContextEngine("other", () => ({
      info: { id: "other", name: "Other", ownsCompaction: false, acceptedHostParams: [], transcriptSemantics },
      ingest: async () => ({ ingested: true }),
      assemble: async ({ messages }) => (note("assemble"), { messages, estimatedTokens: 1_000 }),
      compact: async () => ({ ok: true, compacted: false }),
      commitTurn: async () => (note("commit"), { status: "committed" }),
    }));
  },
};
"""


def add_other(folder: Path, slot: str) -> Callable[[dict[str, Any]], None]:
    """Another plugin, which has this slot."""
    place = folder / "other"
    kind = {"memory": "memory", "contextEngine": "context-engine"}[slot]
    schema = {"type": "object", "additionalProperties": False, "properties": {}}
    manifest = {"id": "other", "name": "Other", "version": "1.0.0", "kind": [kind], "configSchema": schema}
    package = {"name": "other", "version": "1.0.0", "type": "module", "openclaw": {"extensions": ["./index.js"]}}

    def change(settings: dict[str, Any]) -> None:
        place.mkdir()
        (place / "index.js").write_text(
            CODE.replace("SLOT", f'"{slot}"').replace("CALLS", f'"{place / "calls"}"'), "utf-8"
        )
        (place / "openclaw.plugin.json").write_text(
            json.dumps({**manifest, "description": "Another.", "activation": {"onStartup": True}}), "utf-8"
        )
        (place / "package.json").write_text(json.dumps(package), "utf-8")
        settings["plugins"] = {
            "load": {"paths": [str(place)]}, "slots": {slot: "other"}, "entries": {"other": {"enabled": True}},
        }  # fmt: skip

    return change
