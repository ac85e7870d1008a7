"""A model server on loopback for tests: it speaks each dialect strictly, keeps what it was sent, and can misbehave.

Shapes are those that the servers' documentation gives. A field that a dialect doesn't know is answered with 422, so a
request that is not exactly right fails its test.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hearth.testing import HashEmbedder
from hearth.text.terms import terms

# dialect -> path, fields that must be there, fields that may
EMBEDDING = {
    "openai": ("/v1/embeddings", {"input"}, {"model", "dimensions"}),
    "jina": ("/v1/embeddings", {"input", "model", "task"}, {"dimensions"}),
    "voyage": ("/v1/embeddings", {"input", "model", "input_type", "truncation"}, {"output_dimension"}),
    "cohere": (
        "/v2/embed",
        {"texts", "model", "input_type", "embedding_types", "truncate"},
        {"output_dimension"},
    ),
    "gemini": (r"/v1beta/models/([^/:]+):batchEmbedContents", {"requests"}, set()),
    "tei": ("/embed", {"inputs", "truncate"}, {"dimensions"}),
    "ollama": ("/api/embed", {"input", "model", "truncate"}, {"dimensions"}),
}
RERANKING = {
    "llama": ("/v1/rerank", {"query", "documents"}, {"model"}),
    "jina": ("/v1/rerank", {"query", "documents", "model", "return_documents"}, set()),
    "voyage": ("/v1/rerank", {"query", "documents", "model", "truncation"}, set()),
    "cohere": ("/v2/rerank", {"query", "documents", "model"}, set()),
    "tei": ("/rerank", {"query", "texts", "raw_scores", "truncate"}, set()),
    "completions": ("/v1/completions", {"prompt", "max_tokens", "temperature", "logprobs"}, {"model"}),
}
WIDTH = 32


@dataclass(frozen=True)
class Sent:
    """A request as it came in; ``headers`` have lower-case names."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass
class Answer:
    """``raw`` goes out as it is; ``drip`` sends it a byte at a time, ``cut`` stops before its end."""

    status: int = 200
    raw: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drip: bool = False
    cut: bool = False

    @staticmethod
    def of(reply: Any, status: int = 200, **headers: str) -> Answer:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(status, json.dumps(reply).encode(), named)


Script = Answer | Callable[[Any], Any] | str


class Refused(Exception):
    def __init__(self, status: int, reply: Any) -> None:
        super().__init__(status)
        self.status, self.reply = status, reply


class ModelServer:
    """``scripts`` are used up one a request: an ``Answer`` instead of the right one, a function that bends the right
    one, ``"reset"`` or ``"stall"``. ``always`` bends every right answer."""

    def __init__(self, dialect: str = "openai") -> None:
        self.dialect = dialect
        self.model: str | None = "stand-in"
        self.width = WIDTH
        self.key: str | None = None
        self.longest = 100_000
        self.most = 1_000
        self.service: Any = None
        self.scripts: deque[Script] = deque()
        self.always: Callable[[Any], Any] | None = None
        self.sent: list[Sent] = []
        self.over = threading.Event()
        self._port = 0
        self._http: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """On the port it had before, if any: a restart."""
        server = self

        class Handler(_Handler):
            owner = server

        self.over.clear()
        self._http = _Threaded(("127.0.0.1", self._port), Handler)
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.over.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    def bodies(self) -> list[Any]:
        return [sent.body for sent in self.sent if sent.raw]

    def texts(self) -> list[list[str]]:
        """The texts of each request for vectors."""
        return [texts_of(body) for body in self.bodies()]

    def vector(self, text: str) -> list[float]:
        """Shared words mean near vectors; the last number keeps a text without words from being zero."""
        words = HashEmbedder(self.width - 1).embed([text], "document")[0]
        return [*map(float, words), 0.1]

    # -- answers ---------------------------------------------------------------------------------------------------

    def answer(self, sent: Sent) -> Any:
        self._check_key(sent)
        if self.service is not None and not sent.path.endswith("/embeddings"):
            return self.service.answer(self, sent)
        for table, reply in ((EMBEDDING, self._embed), (RERANKING, self._rerank)):
            path, needed, allowed = table.get(self.dialect, ("", set(), set()))
            found = re.fullmatch(path, sent.path.partition("?")[0])
            if path and found:
                _check_fields(sent, needed, allowed)
                return reply(sent.body, *found.groups())
        raise Refused(404, {"error": {"message": f"no {sent.path} here"}})

    def _check_key(self, sent: Sent) -> None:
        header = "x-goog-api-key" if self.dialect == "gemini" else "authorization"
        given = sent.headers.get(header, "").removeprefix("Bearer ")
        if self.key is not None and given != self.key:
            raise Refused(
                401, {"error": {"message": f"Incorrect API key provided: {given}.", "code": "invalid_api_key"}}
            )

    def _embed(self, body: Any, *in_path: str) -> Any:
        texts = texts_of(body)
        if len(texts) > self.most:
            message = f"batch size {len(texts)} > maximum allowed batch size {self.most}"
            raise Refused(413, {"error": message, "error_type": "Validation"})
        if any(len(text) > self.longest for text in texts):
            message = "input (992 tokens) is too large to process. increase the physical batch size"
            raise Refused(500, {"error": {"code": 500, "message": message, "type": "server_error"}})
        one = body["requests"][0] if self.dialect == "gemini" else body
        names = ("dimensions", "output_dimension", "outputDimensionality")
        width = next((one[name] for name in names if name in one), self.width)
        vectors = [self.vector(text)[:width] for text in texts]
        if self.dialect == "tei":
            return vectors
        if self.dialect == "cohere":
            return {"id": "1", "embeddings": {"float": vectors}, "texts": texts, "meta": {}}
        if self.dialect == "ollama":
            return {"model": self.model, "embeddings": vectors, "total_duration": 1}
        if self.dialect == "gemini":
            for each in body["requests"]:
                known = {"model", "content", "taskType", "outputDimensionality"}
                if not set(each) <= known or each["model"] != f"models/{in_path[0]}":
                    raise Refused(400, {"error": {"message": f"Unknown name or model in {sorted(each)}"}})
            return {"embeddings": [{"values": vector} for vector in vectors]}
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return {"object": "list", "data": data, "model": self.model, "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    def _rerank(self, body: Any) -> Any:
        if self.dialect == "completions":
            return self._complete(body)
        texts = body["texts" if self.dialect == "tei" else "documents"]
        name = "score" if self.dialect == "tei" else "relevance_score"
        scale = 4.0 if self.dialect == "llama" else 0.2
        results = [{"index": at, name: scale * overlap(body["query"], text)} for at, text in enumerate(texts)]
        results.sort(key=lambda result: -result[name])
        if self.dialect == "tei":
            return results
        rows = "data" if self.dialect == "voyage" else "results"
        return {"model": self.model, "object": "list", rows: results}

    def _complete(self, body: Any) -> Any:
        fragment, _, question = body["prompt"].partition("Question:")
        sure = overlap(question.partition("Does")[0], fragment)
        table = {" yes": -0.1 - 2 / (1 + sure), " no": -2.0, " maybe": -6.0}
        choice = {"index": 0, "text": " yes", "finish_reason": "length", "logprobs": {"top_logprobs": [table]}}
        return {"object": "text_completion", "model": self.model, "choices": [choice]}


def texts_of(body: Any) -> list[str]:
    if "requests" in body:
        return [request["content"]["parts"][0]["text"] for request in body["requests"]]
    return next(list(body[name]) for name in ("input", "inputs", "texts", "documents") if name in body)


def overlap(query: str, text: str) -> int:
    return min(4, len(set(terms(query, "en")) & set(terms(text, "en"))))


def _check_fields(sent: Sent, needed: set[str], allowed: set[str]) -> None:
    assert sent.headers["content-type"] == "application/json"
    fields = set(sent.body)
    if sent.method != "POST" or not needed <= fields <= needed | allowed:
        problem = f"{sent.method} with {sorted(fields)}, needed {sorted(needed)}, allowed {sorted(allowed)}"
        raise Refused(422, {"detail": problem})


class _Threaded(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = Sent(self.command, self.path, headers, self.rfile.read(length))
        owner = self.owner
        owner.sent.append(sent)
        script = owner.scripts.popleft() if owner.scripts else None
        if script == "reset":
            self.close_connection = True
        elif script == "stall":
            owner.over.wait(30)
            self.close_connection = True
        elif isinstance(script, Answer):
            self._send(script)
        else:
            self._send(self._right(sent, script))

    do_GET = do_POST

    def _right(self, sent: Sent, bend: Any) -> Answer:
        try:
            reply = self.owner.answer(sent)
        except Refused as refused:
            return Answer.of(refused.reply, refused.status)
        if isinstance(reply, Answer):
            return reply
        for change in (self.owner.always, bend):
            reply = change(reply) if change is not None else reply
        return reply if isinstance(reply, Answer) else Answer.of(reply)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        headers = {"content-type": "application/json", "content-length": str(len(answer.raw)), **answer.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.drip:
            for at in range(len(answer.raw)):
                self.wfile.write(answer.raw[at : at + 1])
                if self.owner.over.wait(0.01):
                    break
        else:
            self.wfile.write(answer.raw[: len(answer.raw) // 2] if answer.cut else answer.raw)
        if answer.cut:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""


def packed(reply: Any) -> Answer:
    """The reply gzipped."""
    raw = gzip.compress(json.dumps(reply).encode())
    return Answer(200, raw, {"content-encoding": "gzip"})
