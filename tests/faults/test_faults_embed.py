"""A model's embedding that ends at any point: what was embedded is kept, and what answered before still does."""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.models.http.batch_service import STEPS, BatchService
from tests.models.http.server import ModelServer, Sent, texts_of

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
        assert vault.index.check() == []


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


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_embeddings_killed_at_many_points_leave_one_whole_space(served: Any, model: Model) -> None:
    rng = random.Random(5)
    model.going.set()
    killed = 0
    for round_ in range(20):
        served.plant(20, start=TEXTS + 20 * round_)
        served.run("update").ok()
        model.answers = len(model.asked) + rng.randrange(20, 400)
        model.stalled.clear()
        process = served.start("embed", *(["-f"] if round_ % 4 == 3 else []))
        while process.poll() is None and not model.stalled.wait(0.02):
            pass
        time.sleep(rng.uniform(0, 0.1))
        killed += process.poll() is None
        served.kill(process)
        assert answers(served)
        assert spaces(served)["static"]["missing"] == 0 or round_ % 4 == 3
        with served.vault() as vault:
            assert vault.index.check() == []
    assert killed >= 10
    served.run("embed").ok()
    found = spaces(served)
    assert list(found) == ["static", "model"]
    assert (found["model"]["missing"], found["model"]["vectors"]) == (0, found["static"]["vectors"])
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


# -- the provider's batch service ------------------------------------------------------------------------------------

MANY = 1_010
"""More than what is worth a batch."""


class TableServer(ModelServer):
    """Its vectors mean something, so that the canary lets it pass."""

    def __init__(self) -> None:
        self.table = StaticEmbedder()
        super().__init__()

    def vector(self, text: str) -> list[float]:
        found: list[float] = self.table.embed([text], "document")[0].tolist()
        return found


class Slow(BatchService):
    """Works on a batch until ``ready``. ``mute``: it creates the first one, and its reply does not come."""

    def __init__(self, *, mute: bool) -> None:
        super().__init__()
        self.mute = mute
        self.reached, self.ready = threading.Event(), threading.Event()

    def answer(self, server: ModelServer, sent: Sent) -> Any:
        reply = super().answer(server, sent)
        if (sent.method, sent.path) == ("POST", "/v1/batches") and self.mute:
            self.reached.set()
            self.ready.wait(60)
        return reply

    def _look(self, server: ModelServer, name: str) -> Any:
        self.looks[name] = len(STEPS) if self.ready.is_set() else 0
        reply = super()._look(server, name)
        self.reached.set()
        return reply


@pytest.fixture
def provider() -> Iterator[ModelServer]:
    pytest.importorskip("httpx")
    made = TableServer()
    yield made
    made.stop()


@pytest.mark.parametrize("mute", [False, True], ids=["under way", "before the reply"])
def test_an_embedding_killed_once_its_batch_is_made_pays_for_no_second_one(
    site: Any, provider: ModelServer, mute: bool
) -> None:
    for number in range(MANY):
        site.write(f"n{number:04}.md")
    site.run("bootstrap", str(site.notes)).ok()
    site.environ |= {
        "HEARTH_EMBEDDING_PROVIDER": "http",
        "HEARTH_EMBEDDING_URL": f"{provider.url}/v1",
        "HEARTH_EMBEDDING_MODEL": "stand-in",
        "HEARTH_EMBEDDING_BATCH_API": "true",
    }
    provider.service = service = Slow(mute=mute)
    process = site.start("embed")
    assert service.reached.wait(60)
    site.kill(process)
    service.ready.set()
    assert spaces(site)["filling"]["vectors"] == 0
    done = site.run("embed").ok()
    assert "is complete and answers from now on" in done.out
    assert service.created == 1
    found = spaces(site)
    assert (found["model"]["vectors"], found["model"]["missing"]) == (found["static"]["vectors"], 0)
    alone = [text for sent in provider.sent if sent.path.endswith("/embeddings") for text in texts_of(sent.body)]
    assert not any("stands here" in text for text in alone), "every note went through the batch"
    assert list(site.cache.glob("batch-*.json*")) == []
    site.write("fresh.md")
    site.run("update").ok()
    site.run("embed").ok()
    assert service.created == 1, "one note is not worth a batch"
    assert spaces(site)["model"]["missing"] == 0


if sys.platform != "linux":  # pragma: no cover
    pytestmark = pytest.mark.skip("signals are sent to processes")
