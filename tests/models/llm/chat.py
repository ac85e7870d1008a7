"""A server of language models on loopback for tests: strict about what it is sent, and able to misbehave."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FIELDS = {
    "/v1/chat/completions": ({"messages"}, {"model", "response_format", "temperature"}),
    "/v1/messages": ({"messages", "model", "max_tokens"}, {"tools", "tool_choice"}),
}


@dataclass
class Reply:
    """``text`` is what the model says; ``status`` other than 200 makes it a complaint. ``raw`` goes out as it is."""

    text: str = ""
    status: int = 200
    raw: bytes | None = None
    usage: bool = True


@dataclass(frozen=True)
class Sent:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def held(self) -> bool:
        """Whether the server is to hold the model to a schema."""
        return "tools" in self.body or self.body.get("response_format", {}).get("type") == "json_schema"


Script = Reply | str | Callable[[Sent], "Reply | str"]


@dataclass
class ChatServer:
    """``replies`` are used up, ``always`` says what comes after them. The text ``stall`` never answers. ``refuses``
    names what a request must not hold."""

    always: Script = field(default="{}", repr=False)
    replies: deque[Script] = field(default_factory=deque, repr=False)
    sent: list[Sent] = field(default_factory=list, repr=False)
    refuses: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        server = self

        class Handler(_Handler):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def settings(self) -> str:
        """Those of a vault that asks it."""
        return f"llm:\n  provider: openai\n  url: {self.url}\n  model: small\n"

    def stop(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, sent: Sent) -> Reply | None:
        needed, allowed = FIELDS[sent.path]
        if not needed <= set(sent.body) <= needed | allowed:
            return _complaint(f"fields {sorted(sent.body)}")
        if (body := json.dumps(sent.body)) and any(f'"{name}"' in body for name in self.refuses):
            return _complaint("not supported here")
        script = self.replies.popleft() if self.replies else self.always
        found = script(sent) if callable(script) else script
        reply = Reply(found) if isinstance(found, str) else found
        if reply.text == "stall":
            self.over.wait(30)
            return None
        if reply.raw is None:
            reply = Reply(reply.text, reply.status, json.dumps(_shape(sent, reply)).encode())
        return reply


def _complaint(why: str) -> Reply:
    return Reply(status=400, raw=json.dumps({"error": {"message": why}}).encode())


def _shape(sent: Sent, reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        return {"error": {"message": reply.text}}
    if sent.path.endswith("messages"):
        block: dict[str, Any] = {"type": "text", "text": reply.text}
        if "tools" in sent.body and (given := _object(reply.text)) is not None:
            block = {"type": "tool_use", "id": "t", "name": sent.body["tools"][0]["name"], "input": given}
        return {"content": [block], **({"usage": {"input_tokens": 90, "output_tokens": 10}} if reply.usage else {})}
    message = {"role": "assistant", "content": reply.text}
    usage = {"usage": {"prompt_tokens": 90, "completion_tokens": 10}} if reply.usage else {}
    return {"choices": [{"index": 0, "message": message}], **usage}


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


class _Handler(BaseHTTPRequestHandler):
    owner: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        sent = Sent(self.path, {name.lower(): value for name, value in self.headers.items()}, json.loads(raw))
        self.owner.sent.append(sent)
        reply = self.owner.answer(sent)
        if reply is None:
            self.close_connection = True
            return
        assert reply.raw is not None
        self.send_response(reply.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply.raw)))
        self.end_headers()
        self.wfile.write(reply.raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""
