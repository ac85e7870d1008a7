"""Real agents against a provider of this machine's own, in a home that is thrown away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Forks

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
NOTES = ROOT / "examples" / "notes"
# A decision about a file that the agents are made to write.
DECISION = "# 0100: Rotation of cookies\n\nDecision: `larder/rotation.py` keeps no state, it asks the jar.\n"

# A folder for the requests as the models saw them, a file for each test.
SHOW = os.environ.get("HEARTH_TEST_SHOW")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Provider:
    """Answers as the providers of Claude Code (``/v1/messages``), Codex (``/v1/responses``), Gemini and everybody else
    (``/v1/chat/completions``) do, and keeps what it was asked.
    ``plan`` is what the model runs, one tool a step, each with its arguments (and for Codex whose it is);
    ``tokens`` is how large it says that the conversation is, ``words`` what it says where it runs nothing."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.strange: list[str] = []
        self.plan: list[tuple[str, Any] | tuple[str, Any, str]] = []
        self.tokens = 100
        self.words: str | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def seen(self, text: str) -> int:
        """How many requests held this text."""
        return sum(text in json.dumps(request, ensure_ascii=False) for request in self.requests)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self.reply(200, "text/plain", b"")

            def do_GET(self) -> None:
                self.reply(200, "application/json", b'{"data":[],"models":[]}')

            def do_POST(self) -> None:
                body = json.loads(self.body() or b"{}")
                if self.path.startswith("/v1/messages/count_tokens"):
                    self.reply(200, "application/json", b'{"input_tokens": 100}')
                elif self.path.startswith("/v1/messages"):
                    provider.requests.append(body)
                    self.reply(200, "text/event-stream", provider.messages(body))
                elif self.path.startswith("/v1/responses"):
                    provider.requests.append(body)
                    self.reply(200, "text/event-stream", provider.responses())
                elif self.path.startswith("/v1/chat/completions"):
                    provider.requests.append(body)
                    kind = "text/event-stream" if body.get("stream") else "application/json"
                    self.reply(200, kind, provider.completions(body))
                elif ":streamGenerateContent" in self.path:
                    provider.requests.append(body)
                    self.reply(200, "text/event-stream", provider.gemini(body))
                elif self.path == "/api/show":  # Hermes asks whether this is Ollama
                    self.reply(404, "application/json", b"{}")
                else:
                    provider.strange.append(self.path)
                    self.reply(404, "application/json", b"{}")

            def body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                found = b""
                while size := int(self.rfile.readline(), 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return found

            def reply(self, status: int, kind: str, data: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler

    def messages(self, body: Mapping[str, Any]) -> bytes:
        """One streamed message of Anthropic's API."""
        name, number = body.get("model", "m"), len(self.requests)
        names = [tool.get("name") for tool in body.get("tools", [])]
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta: dict[str, Any] = {"type": "text_delta", "text": self.words or f"Answer number {number}."}
        stop = "end_turn"
        if self.plan and self.plan[0][0] in names:
            tool, arguments, *_ = self.plan.pop(0)
            block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": tool, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
            stop = "tool_use"
        usage = {"input_tokens": self.tokens, "output_tokens": 20}
        message = {"id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": name, "content": []}
        return _stream(
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        )

    def responses(self) -> bytes:
        """One streamed response of OpenAI's API."""
        number = len(self.requests)
        text = {"type": "output_text", "text": self.words or f"Answer number {number}.", "annotations": []}
        item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
        if self.plan:
            tool, given, *space = self.plan.pop(0)
            call = {"id": f"call_{number}", "call_id": f"call_{number}", "name": tool}
            if isinstance(given, str):
                item = {"type": "custom_tool_call", "input": given, **call}
            else:
                item = {"type": "function_call", "arguments": json.dumps(given), **call}
                item |= {"namespace": space[0]} if space else {}
        usage = {"input_tokens": self.tokens, "output_tokens": 5, "total_tokens": self.tokens + 5}
        return _stream(
            {"type": "response.created", "response": {"id": f"resp_{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}},
        )

    def gemini(self, body: Mapping[str, Any]) -> bytes:
        """One streamed answer of Gemini's API."""
        names = [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
        part: dict[str, Any] = {"text": self.words or f"Answer number {len(self.requests)}."}
        if self.plan and self.plan[0][0] in names:
            tool, arguments, *_ = self.plan.pop(0)
            part = {"functionCall": {"name": tool, "args": arguments}}
        said = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": self.tokens, "candidatesTokenCount": 5, "totalTokenCount": self.tokens + 5}
        answer = {"candidates": [said], "usageMetadata": usage, "modelVersion": "m"}
        return f"data: {json.dumps(answer)}\r\n\r\n".encode()

    def completions(self, body: Mapping[str, Any]) -> bytes:
        """One answer of OpenAI's older API, streamed where that is asked for."""
        number = len(self.requests)
        names = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
        delta: dict[str, Any] = {"role": "assistant", "content": self.words or f"Answer number {number}."}
        end = "stop"
        if self.plan and self.plan[0][0] in names:
            tool, arguments, *_ = self.plan.pop(0)
            called = {"name": tool, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": called}
            delta, end = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        usage = {"prompt_tokens": self.tokens, "completion_tokens": 5, "total_tokens": self.tokens + 5}
        head = {"id": f"chatcmpl-{number}", "created": 1, "model": "m", "usage": usage}
        if not body.get("stream"):
            choice = {"index": 0, "message": delta, "finish_reason": end}
            return json.dumps({**head, "object": "chat.completion", "choices": [choice]}).encode()
        chunks = ({"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": end})
        rows = [{**head, "object": "chat.completion.chunk", "choices": [chunk]} for chunk in chunks]
        return "".join(f"data: {json.dumps(row)}\n\n" for row in rows).encode() + b"data: [DONE]\n\n"


def _stream(*events: Mapping[str, Any]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode("utf-8")


@pytest.fixture
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    found = Provider()
    yield found
    found.close()
    if SHOW:
        kept = json.dumps(found.requests, indent=1, ensure_ascii=False)
        Path(SHOW, f"{request.node.path.stem}.{request.node.name}.json").write_text(kept, encoding="utf-8")
    assert found.strange == []


class Home:
    """A home with the example notes in a vault, and ``project`` to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "larder"
        (self.project / ".git").mkdir(parents=True)
        shutil.copytree(NOTES, folder / "notes")
        (folder / "notes" / "decisions" / "0100-sessions.md").write_text(DECISION, encoding="utf-8")
        self.environ = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(folder),
            **{f"HEARTH_{name.upper()}_DIR": str(folder / name) for name in ("config", "data", "cache", "state")},
        }

    def hearth(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.run(sys.executable, "-m", "hearth", *arguments, HEARTH_DAEMON_MODE="external")
        assert done.returncode == 0, done.stderr
        return done

    def run(self, *command: str | Path, seconds: float = 100, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=self.environ | variables,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )

    def written(self, pattern: str) -> list[Path]:
        """Files of the vault."""
        return sorted((self.folder / "data").rglob(pattern))

    def complaints(self) -> str:
        """What hooks had to say to nobody, and the events that still wait to be recorded."""
        state = self.folder / "state"
        log = state / "hooks.log"
        waiting = [file.name for file in state.glob("spool/*")]
        return (log.read_text("utf-8") if log.exists() else "") + (f"waiting: {waiting}" if waiting else "")


@pytest.fixture
def home(tmp_path: Path, forks: Forks) -> Iterator[Home]:
    found = Home(tmp_path / "home")
    environ = {name: value for name, value in found.environ.items() if name != "LANG"}

    def hearth(*arguments: str) -> None:
        code, _, said = forks.run(arguments, environ, folder=found.project)
        assert code == 0, said

    hearth("bootstrap", str(found.folder / "notes"))
    # Warm from the start: how long the first hook may take without the daemon is no question of these tests.
    hearth("daemon", "start")
    yield found
    hearth("daemon", "stop")


def client(variable: str, name: str) -> Path:
    """The program that drives real tests, else the test is skipped with a notice."""
    found = Path(os.environ.get(variable) or ROOT / ".clients" / name)
    if not found.exists():
        pytest.skip(f"{found} is not there: run `sh tools/clients.sh`, or name the program in {variable}")
    return found.resolve()
