"""``hearth serve``: REST, MCP and the hooks' socket over one pool, so that each vault is open once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from hearth import app
from hearth.app.pool import VaultPool
from hearth.cli.agents.serve import Beside
from hearth.server.application import ServerOptions, prepared
from hearth.server.port import Place, listening


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the vaults that were composed, in order."""
    found: list[str] = []
    compose = app.compose

    def counted(chosen: app.Settings, *more: Any) -> Any:
        found.append(chosen.vault.name)
        return compose(chosen, *more)

    monkeypatch.setattr(app, "compose", counted)
    return found


@pytest.fixture
def served(indexed_home: Any, opens: list[str]) -> Iterator[str]:
    """The address of a server whose daemon runs beside it, as ``hearth serve`` has it."""
    pool = VaultPool(environ=indexed_home.environ)
    beside = Beside(pool)
    place = Place("127.0.0.1", 0)
    server = prepared(pool, ServerOptions(place, None, "full"), beside.stop)
    port = listening(place)
    beside.start()
    thread = threading.Thread(target=server.run, args=([port],))
    thread.start()
    yield f"http://127.0.0.1:{_number(port)}"
    server.should_exit = True
    thread.join(20)
    port.close()
    assert not thread.is_alive()


def _number(port: socket.socket) -> int:
    return int(port.getsockname()[1])


async def by_mcp(url: str) -> str:
    async with Client(url) as client:
        return (await client.call_tool("memory_retrieve", {"query": "joins"})).model_dump_json()


def test_serving_opens_every_vault_once(
    indexed_home: Any, served: str, opens: list[str], until: Callable[..., None]
) -> None:
    until(lambda: indexed_home.status() and indexed_home.status()["vaults"][0]["scans"] > 0)
    assert "joins matter more" in indexed_home.patient_stub(indexed_home.prompt()).context
    found = httpx.post(f"{served}/v1/search", json={"query": "joins"}, trust_env=False)
    assert "joins matter more" in found.text
    assert "over MongoDB for the larder" in anyio.run(by_mcp, f"{served}/mcp")
    assert indexed_home.status()["requests"]["answered"] > 0
    assert opens == ["default"]


def test_a_server_goes_on_when_the_daemon_beside_it_is_stopped(
    indexed_home: Any, served: str, opens: list[str], until: Callable[..., None]
) -> None:
    assert indexed_home.hearth("daemon", "stop").code == 0
    until(lambda: indexed_home.status() is None)
    found = httpx.post(f"{served}/v1/search", json={"query": "joins"}, trust_env=False)
    assert "joins matter more" in found.text
    assert opens == ["default"]


def test_what_a_client_handed_over_is_captured_at_the_end_of_its_session(
    indexed_home: Any, served: str, until: Callable[..., None]
) -> None:
    for session in ("first", "second"):  # the second is handed over while nothing is looked for
        said = {"session": session, "user": f"Moor the {session} zeppelin.", "assistant": "Done.", "end": True}
        assert httpx.post(f"{served}/v1/capture", json=said, trust_env=False).status_code == 200
        until(lambda: indexed_home.hearth("capture", "status").err == "nothing waits\n")
        assert f"{session}  " in indexed_home.hearth("capture", "show", session).out
