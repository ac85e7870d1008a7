from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from hearth.server import port
from hearth.server.limits import Allowance, ClientLimits
from hearth.vault.vault import Vault

from .conftest import serving


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Endless:
    """Answers when told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def ask(limits: ClientLimits, client: str = "10.0.0.1", path: str = "/stats") -> tuple[int, dict[bytes, bytes]]:
    said: list[Any] = []

    async def send(message: Any) -> None:
        said.append(message)

    await limits({"type": "http", "client": (client, 1), "path": path}, None, send)  # type: ignore[arg-type]
    return said[0]["status"], dict(said[0]["headers"])


def test_a_client_over_its_rate_is_told_when_to_come_back_and_others_are_not() -> None:
    async def story() -> None:
        clock, app = Clock(), Endless()
        app.go.set()
        limits = ClientLimits(app, Allowance(rate=2, burst=3), clock=clock)
        assert [(await ask(limits))[0] for _ in range(4)] == [200, 200, 200, 429]
        assert (await ask(limits))[1][b"retry-after"] == b"1"
        assert (await ask(limits, "10.0.0.2"))[0] == 200
        clock.now += 1
        assert [(await ask(limits))[0] for _ in range(3)] == [200, 200, 429]

    asyncio.run(story())


def test_requests_under_way_are_bounded_for_one_client_and_for_all() -> None:
    async def story() -> None:
        app = Endless()
        limits = ClientLimits(app, Allowance(client=2, total=3), streams=("/mcp",))
        waiting = [asyncio.create_task(ask(limits)) for _ in range(2)]
        await asyncio.sleep(0)
        assert (await ask(limits))[0] == 429
        waiting.append(asyncio.create_task(ask(limits, "10.0.0.2")))
        await asyncio.sleep(0)
        status, headers = await ask(limits, "10.0.0.3")
        assert status == 503 and headers[b"retry-after"] == b"1"
        stream = asyncio.create_task(ask(limits, path="/mcp"))
        await asyncio.sleep(0)
        assert not stream.done()
        app.go.set()
        assert [(await task)[0] for task in (*waiting, stream)] == [200] * 4
        assert (await ask(limits))[0] == 200

    asyncio.run(story())


def test_very_many_clients_are_not_all_remembered() -> None:
    async def story() -> None:
        app = Endless()
        app.go.set()
        limits = ClientLimits(app)
        for number in range(5_000):
            await ask(limits, f"10.1.{number // 250}.{number % 250}")
        assert len(limits._clients) <= 4_096

    asyncio.run(story())


def test_a_crowd_gets_answers_or_is_told_to_wait(tmp_path: Path) -> None:
    with serving(tmp_path, allowed=Allowance(rate=50, burst=10, client=4, total=8)) as live:

        def one(number: int) -> httpx.Response:
            with live.client() as client:
                return client.post("/search", json={"query": f"postgres {number}"})

        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(one, range(60)))
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 429, 503} and 200 in statuses and 429 in statuses
    for answer in answers:
        if answer.status_code == 200:
            assert "results" in answer.json()
        else:
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.headers["content-type"] == "application/problem+json"


def test_a_client_is_who_is_connected_whatever_its_headers_say(tmp_path: Path) -> None:
    with serving(tmp_path, allowed=Allowance(rate=0.001, burst=3)) as live, live.client() as client:
        named = [{"x-forwarded-for": f"10.0.0.{number}", "forwarded": f"for=10.0.0.{number}"} for number in range(5)]
        assert [client.get("/vaults", headers=one).status_code for one in named] == [200, 200, 200, 429, 429]


def test_one_connection_too_many_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Callable[..., None]
) -> None:
    monkeypatch.setattr(port, "MOST", 3)
    with serving(tmp_path) as live:
        taken = [socket.create_connection(("127.0.0.1", live.port), 100) for _ in range(3)]
        with socket.create_connection(("127.0.0.1", live.port), 100) as fourth:
            said = fourth.recv(1_024)
        assert said.startswith(b"HTTP/1.1 503") and b"Retry-After: 5" in said
        for one in taken:
            one.close()

        def let_in() -> bool:
            with live.client() as client:
                return client.get("/vaults").status_code == 200

        until(let_in)


def test_an_index_of_another_version_is_rebuilt_elsewhere_and_says_so_meanwhile(
    tmp_path: Path, until: Callable[..., None]
) -> None:
    with serving(tmp_path) as live, live.client() as client:
        assert client.get("/health").status_code == 200
        with (tmp_path / "config" / "config.yaml").open("a", encoding="utf-8") as file:
            file.write("fragments:\n  words: 60\n")
        first = client.post("/search", json={"query": "postgresql joins"})
        assert first.status_code == 503 and first.json()["code"] == "rebuilding"
        assert int(first.headers["retry-after"]) > 0

        def rebuilt() -> bool:
            answer = client.get("/health")
            assert answer.status_code == 200 or answer.json()["code"] == "rebuilding"
            return answer.status_code == 200

        until(rebuilt)
        assert client.post("/search", json={"query": "postgresql joins"}).json()["results"]


def test_a_rebuild_that_failed_says_why(tmp_path: Path, until: Callable[..., None]) -> None:
    with serving(tmp_path) as live, live.client() as client:
        (tmp_path / "notes").rename(tmp_path / "gone")
        with (tmp_path / "config" / "config.yaml").open("a", encoding="utf-8") as file:
            file.write("fragments:\n  words: 60\n")
        answers = []

        def given_up() -> bool:
            answers.append(client.post("/search", json={"query": "postgresql joins"}))
            assert answers[-1].status_code == 503
            return answers[-1].json()["code"] != "rebuilding"

        until(given_up)
        assert answers[-1].json()["code"] == "unavailable"
        assert "documents would be lost; bring the folder back" in answers[-1].json()["detail"]
        assert "bring the folder back" in client.get("/health").json()["detail"]
        assert "bring the folder back" in client.get("/stats").json()["problems"][0]


def test_figures_name_a_collection_that_is_held(tmp_path: Path) -> None:
    with serving(tmp_path) as live, live.client() as client:
        (tmp_path / "notes").rename(tmp_path / "gone")
        assert client.post("/reindex").json()["held"]
        assert client.get("/stats").json()["problems"][0].startswith("collection 'notes' is held: ")


def test_an_answer_that_takes_too_long_is_given_up_and_the_server_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    status = Vault.status

    def stalling(vault: Vault) -> Any:
        go.wait(100)
        return status(vault)

    monkeypatch.setattr(Vault, "status", stalling)
    with serving(tmp_path, deadline=2) as live, live.client() as client:
        answer = client.get("/stats")
        assert answer.status_code == 503 and answer.json()["code"] == "deadline"
        assert int(answer.headers["retry-after"]) > 0
        assert client.get("/vaults").status_code == 200
        go.set()
