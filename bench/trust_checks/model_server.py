"""A server of an OpenAI-compatible model on loopback that says of each turn what it was told to say."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

_TURN = re.compile(r"^\[turn (\d+)\] USER: (.*)$", re.MULTILINE)
MODEL = "invented-model"


class ModelServer:
    """``statements`` by what the person typed in the turn they are about; asked for anything else it says ``{}``."""

    def __init__(self, statements: Mapping[str, dict[str, Any]]) -> None:
        self.statements = statements
        self.given = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the base class)
                pass

            def do_GET(self) -> None:
                self._send({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
                prompt = "\n".join(str(message.get("content")) for message in body.get("messages", []))
                message = {"role": "assistant", "content": server.answer(prompt)}
                self._send(
                    {
                        "id": "chatcmpl-1",
                        "object": "chat.completion",
                        "created": 0,
                        "model": MODEL,
                        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                    }
                )

            def _send(self, body: dict[str, Any]) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def settings(self) -> str:
        """Those of a vault that asks it."""
        return f"llm:\n  provider: openai\n  url: http://127.0.0.1:{self._http.server_port}\n  model: {MODEL}\n"

    def answer(self, prompt: str) -> str:
        turns = {text.strip(): int(number) for number, text in _TURN.findall(prompt)}
        found = []
        for typed, statement in self.statements.items():
            if typed in turns:
                found.append({**statement, "turn": turns[typed], "certainty": "explicit"})
        self.given += len(found)
        return json.dumps({"memories": found}) if found else "{}"
