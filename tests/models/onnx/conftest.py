from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="session")
def extra() -> None:
    """Skips what needs the extra ``onnx`` where it is not installed."""
    pytest.importorskip("fastembed", reason="the extra onnx is not installed: pip install -e '.[dev]'")


@pytest.fixture(scope="session")
def export() -> ModuleType:
    """``tools/export_onnx.py``."""
    spec = importlib.util.spec_from_file_location("export_onnx", ROOT / "tools" / "export_onnx.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tiny(extra: None, export: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tiny models: ``embedder``, ``small`` (int8) and ``reranker``."""
    folder = tmp_path_factory.mktemp("tiny")
    export.tiny(folder / "embedder")
    export.tiny(folder / "small", int8=True)
    export.tiny(folder / "reranker", reranker=True)
    return folder


@dataclass
class Remote:
    """A repository on the hub. ``faults`` maps a file to what goes wrong with it, once per entry."""

    name: str
    files: dict[str, bytes]
    faults: dict[str, list[str]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    claimed: dict[str, str] = field(default_factory=dict)
    revision: str = REVISION
    released: threading.Event = field(default_factory=threading.Event)
    reached: threading.Event = field(default_factory=threading.Event)

    def info(self) -> dict[str, Any]:
        return {"id": self.name, "sha": self.revision, "siblings": [self._sibling(name) for name in self.files]}

    def _sibling(self, name: str) -> dict[str, Any]:
        data = self.files[name]
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        row: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": self.claimed.get(name, blob)}
        if name.endswith(".onnx"):
            sha = self.claimed.get(name, hashlib.sha256(data).hexdigest())
            row["lfs"] = {"sha256": sha, "size": len(data), "pointerSize": 130}
        return row


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def log_message(self, *_: Any) -> None:
        return

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.startswith("/api/models/"):
            repository = self.server.repositories.get(path.removeprefix("/api/models/").split("/revision/")[0])
            if repository is None:
                self._send(404, b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"})
            else:
                self._send(200, json.dumps(repository.info()).encode())
            return
        match = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([0-9a-f]+)/(.+)", path)
        repository = self.server.repositories.get(match[1]) if match else None
        if repository is None or match is None or match[3] not in repository.files:
            self._send(404, b"Entry not found", {"X-Error-Code": "EntryNotFound"})
            return
        self._file(repository, match[3])

    def _file(self, repository: Remote, name: str) -> None:
        asked = self.headers.get("Range")
        repository.asked.append((name, asked))
        waiting = repository.faults.get(name)
        fault = waiting.pop(0) if waiting else ""
        data = repository.files[name]
        if fault in ("404", "500"):
            self._send(int(fault), b"no")
            return
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and fault != "whole" else 0
        if start > len(data):
            self._send(416, b"")
            return
        body = data[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if fault in ("drop", "stall"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            repository.reached.set()
            if fault == "stall":
                repository.released.wait(30)
            self.close_connection = True
            return
        self.wfile.write(body)

    def _send(self, code: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class HubServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, Remote] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self, name: str, files: dict[str, bytes]) -> Remote:
        self.repositories[name] = Remote(name, files)
        return self.repositories[name]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


@pytest.fixture
def hub() -> Iterator[HubServer]:
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    for repository in server.repositories.values():
        repository.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def files_of() -> Callable[[Path], dict[str, bytes]]:
    """The files of a model folder as a repository would hold them: all but Hearth's manifest."""

    def read(folder: Path) -> dict[str, bytes]:
        found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "hearth.json")
        return {str(path.relative_to(folder)): path.read_bytes() for path in found}

    return read
