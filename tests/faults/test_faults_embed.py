"""A model's embedding that ends at any point: what was embedded is kept, and what answered before still does."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from hearth.models.static import StaticEmbedder

TEXTS = 230


class Model:
    """A real server on loopback that embeds by the built-in table. ``open`` requests are answered; then it stalls."""

    def __init__(self) -> None:
        self.table = StaticEmbedder()
        self.asked: list[str] = []
        self.answers = 10_000
        self.stalled = threading.Event()
        self.going = threading.Event()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.answer(self, given["input"])

            def log_message(self, *_: Any) -> None:
                return None

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def answer(self, request: Any, texts: list[str]) -> None:
        if len(self.asked) + len(texts) > self.answers:
            self.stalled.set()
            self.going.wait()
        self.asked += texts
        rows = self.table.embed(texts, "document").tolist()
        data = [{"index": at, "embedding": row} for at, row in enumerate(rows)]
        body = json.dumps({"object": "list", "model": "table", "data": data}).encode()
        try:
            request.send_response(200)
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)
        except OSError:  # the client was killed meanwhile
            request.close_connection = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def close(self) -> None:
        self.going.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def model() -> Iterator[Model]:
    pytest.importorskip("httpx")
    built = Model()
    yield built
    built.close()


@pytest.fixture
def served(site: Any, model: Model) -> Any:
    """Notes with static vectors, and a model configured that has embedded nothing yet."""
    site.plant(TEXTS)
    site.run("bootstrap", str(site.notes)).ok()
    site.environ |= {
        "HEARTH_EMBEDDING_PROVIDER": "http",
        "HEARTH_EMBEDDING_URL": model.url,
        "HEARTH_EMBEDDING_MODEL": "table",
    }
    return site


def spaces(site: Any) -> dict[str, Any]:
    rows = json.loads(site.run("status", "--json").ok().out)["spaces"]
    return {row["role"]: row for row in rows}


def answers(site: Any) -> list[str]:
    with site.vault() as vault:
        return [hit.path for hit in vault.recall("backup of the database on friday", recipe="semantic").hits]


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_an_embedding_that_is_ended_keeps_what_it_did_and_goes_on(served: Any, model: Model, signal_: int) -> None:
    before = answers(served)
    assert before
    model.answers = 300
    process = served.start("embed")
    assert model.stalled.wait(60)
    process.send_signal(signal_)
    model.going.set() if signal_ == signal.SIGINT else None
    process.wait(60)
    found = spaces(served)
    done = found["filling"]["vectors"]
    assert done >= 100
    assert found["static"]["missing"] == 0
    assert answers(served) == before
    model.answers = 10_000
    model.going.set()
    asked = len(model.asked)
    result = served.run("embed").ok()
    assert "is complete and answers from now on" in result.out
    assert spaces(served)["model"]["missing"] == 0
    fresh = [text for text in model.asked[asked:] if "About n" in text]
    assert len(fresh) <= 2 * TEXTS - done + 50, "what was embedded before the end was not embedded again"
    with served.vault() as vault:
        assert vault.check() == []


def test_embedding_anew_that_is_killed_leaves_the_answers_as_they_were(served: Any, model: Model) -> None:
    served.run("embed").ok()
    before = answers(served)
    model.answers = len(model.asked) + 300
    process = served.start("embed", "-f")
    assert model.stalled.wait(60)
    served.kill(process)
    model.going.set()
    model.answers = 10**6
    found = spaces(served)
    assert (found["model"]["serves"], found["model"]["missing"]) == (True, 0)
    assert found["filling"]["vectors"] > 0
    assert answers(served) == before
    served.run("embed").ok()
    assert [row["role"] for row in spaces(served).values()] == ["static", "model"]
    served.doctor()


def test_a_second_embedding_says_whom_it_waits_for(served: Any, model: Model) -> None:
    model.answers = 200
    first = served.start("embed")
    assert model.stalled.wait(60)
    second = served.start("embed")
    line = second.stderr.readline().decode()
    assert f"waiting for process {first.pid}, which is embedding this vault" in line
    served.write("fresh.md")
    served.run("update").ok()
    model.answers = 10**6
    model.going.set()
    assert served.end(first).ok()
    assert served.end(second).ok()
    assert spaces(served)["model"]["missing"] == 0


def test_a_server_that_is_down_costs_a_warning_and_no_answer(served: Any, model: Model) -> None:
    served.run("embed").ok()
    served.environ |= {"HEARTH_EMBEDDING_URL": "http://127.0.0.1:9/v1"}
    asked = served.run("query", "backup of the database", "--json").ok()
    assert json.loads(asked.out)["results"]
    failed = served.run("embed")
    assert failed.one_line(5)
    assert "embedding stopped" in failed.err
    assert spaces(served)["static"]["missing"] == 0


if sys.platform != "linux":  # pragma: no cover
    pytestmark = pytest.mark.skip("signals are sent to processes")
