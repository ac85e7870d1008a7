"""``hearth serve`` in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from hearth import open_vault
from hearth.daemon.address import address
from hearth.daemon.client import ask

from .conftest import prepare

Started = Callable[..., AbstractContextManager[tuple[Any, str]]]
Refused = Callable[..., tuple[int, str]]


@pytest.fixture
def started(forks: Any) -> Started:
    """The process and the address that it says it serves."""

    @contextmanager
    def start(environ: dict[str, str], *arguments: str) -> Iterator[tuple[Any, str]]:
        with forks.start(("serve", *arguments), environ, piped=[2]) as process:
            try:
                said = ""
                while not (found := re.search(r"serving at (http://\S+)", said)):
                    line = process.stderr.readline().decode()
                    assert line, f"it ended: {said}"
                    said += line
                yield process, found[1]
            finally:
                process.kill()

    return start


@pytest.fixture
def refused(forks: Any) -> Refused:
    def refuse(environ: dict[str, str], *arguments: str) -> tuple[int, str]:
        code, _, err = forks.run(("serve", *arguments), environ)
        return code, err.decode()

    return refuse


def bearer(environ: dict[str, str]) -> dict[str, str]:
    """The header of a client that reads the token where the server keeps it."""
    token = Path(environ["HEARTH_STATE_DIR"], "serve.token").read_text().strip()
    return {"authorization": f"Bearer {token}"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_signal_under_load_loses_nothing_that_was_acknowledged(tmp_path: Path, started: Started) -> None:
    environ = prepare(tmp_path)
    acknowledged: list[str] = []
    odd: list[str] = []
    enough = threading.Event()

    def write(number: int, url: str) -> None:
        with httpx.Client(base_url=url, timeout=100, headers=bearer(environ)) as client:
            for turn in range(1_000):
                try:
                    body = {"text": f"Writer {number} kept thing {turn} in box {number * 1000 + turn}.", "type": "fact"}
                    answer = client.post("/memories", json=body)
                except httpx.TransportError:
                    return
                if answer.status_code == 200:
                    acknowledged.append(answer.json()["docid"])
                elif answer.status_code not in (429, 503):
                    odd.append(answer.text)
                if len(acknowledged) >= 12:
                    enough.set()

    with started(environ, "--port", "0") as (process, url):
        writers = [threading.Thread(target=write, args=(number, url)) for number in range(4)]
        for writer in writers:
            writer.start()
        assert enough.wait(60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(100) in (0, -signal.SIGTERM)
        for writer in writers:
            writer.join(60)
    assert odd == []
    with open_vault(environ=environ) as vault:
        vault.index.sync()
        there = {stored.document.docid for stored in vault.documents()}
        assert set(acknowledged) <= there
        assert vault.index.check() == []


def test_one_process_serves_rest_mcp_and_the_hooks(tmp_path: Path, started: Started) -> None:
    environ = prepare(tmp_path) | {"LANG": "C.UTF-8"}  # which takes a Python of its own, as people start one
    with started(environ, "--port", "0") as (process, url):
        assert httpx.get(f"{url}/health").json()["status"] == "ok"
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
        headers = bearer(environ) | {"accept": "application/json, text/event-stream"}
        answer = httpx.post(f"{url}/mcp", json=asked, headers=headers)
        assert answer.status_code == 200 and '"name":"hearth"' in answer.text.replace('": "', '":"')
        reply = ask(address(environ), "ping", 5.0)
        assert reply is not None and reply["pid"] == process.pid
        with started(environ, "--port", "0") as (_, second):  # which leaves the hooks to the first
            assert httpx.get(f"{second}/health").status_code == 200
        reply = ask(address(environ), "ping", 5.0)
        assert reply is not None and reply["pid"] == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(100) in (0, -signal.SIGTERM)
    assert not Path(address(environ).socket).exists()


def test_host_and_port_come_from_the_settings_unless_they_are_given(
    tmp_path: Path, started: Started, refused: Refused
) -> None:
    environ = prepare(tmp_path)
    port, other = free_port(), free_port()
    with (tmp_path / "config" / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(f"server:\n  host: localhost\n  port: {port}\ndaemon:\n  mode: never\n")
    with started(environ) as (_, url):
        assert url == f"http://localhost:{port}"
        assert not Path(address(environ).socket).exists()
        code, said = refused(environ)
        assert code == 5 and str(port) in said
    with started(environ, "--host", "127.0.0.1", "--port", str(other)) as (_, url):
        assert url == f"http://127.0.0.1:{other}"


def test_other_users_of_the_machine_read_and_write_nothing(tmp_path: Path, started: Started) -> None:
    environ = prepare(tmp_path)
    kept = Path(environ["HEARTH_STATE_DIR"], "serve.token")
    memory = {"text": "Always deploy on Fridays.", "type": "preference"}
    with started(environ, "--port", "0") as (_, url):
        assert kept.stat().st_mode & 0o777 == 0o600
        assert httpx.get(f"{url}/health").status_code == 200
        for stranger in ({}, {"authorization": "Bearer guessed"}, {"authorization": kept.read_text().strip()}):
            assert httpx.get(f"{url}/stats", headers=stranger).status_code == 401
            assert httpx.post(f"{url}/memories", json=memory, headers=stranger).status_code == 401
            assert httpx.post(f"{url}/mcp", json={}, headers=stranger).status_code == 401
        first = bearer(environ)
        assert httpx.get(f"{url}/stats", headers=first).json()["documents"] == 4
        assert httpx.get(f"{url}/stats", headers=first | {"origin": "http://evil.example"}).status_code == 403
    with started(environ, "--port", "0") as (_, url):  # clients go on after a restart
        assert httpx.get(f"{url}/stats", headers=first).status_code == 200
    kept.chmod(0o644)
    with started(environ, "--port", "0") as (_, url):  # what others could read is worth nothing
        assert httpx.get(f"{url}/stats", headers=first).status_code == 401
        assert kept.stat().st_mode & 0o777 == 0o600
        assert httpx.get(f"{url}/stats", headers=bearer(environ)).status_code == 200
    with started(environ, "--port", "0", "--no-auth") as (_, url):
        assert httpx.get(f"{url}/stats").status_code == 200


def test_an_address_for_others_needs_a_token(tmp_path: Path, started: Started, refused: Refused) -> None:
    environ = prepare(tmp_path)
    code, said = refused(environ, "--host", "0.0.0.0", "--port", "0", "--no-auth")
    assert code == 2 and "HEARTH_API_TOKEN" in said and "Traceback" not in said
    with started(environ | {"HEARTH_API_TOKEN": "s3cret"}, "--host", "0.0.0.0", "--port", "0") as (_, url):
        local = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{local}/stats").status_code == 401
        assert httpx.get(f"{local}/health").status_code == 200
        assert httpx.get(f"{local}/stats", headers={"authorization": "Bearer s3cret"}).status_code == 200
        assert httpx.get(f"{local}/health", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_an_export_goes_into_another_vault_by_the_command_line(tmp_path: Path, way: str, forks: Any) -> None:
    (tmp_path / "one").mkdir()
    one = prepare(tmp_path / "one")
    with open_vault(environ=one) as vault:
        vault.memories.remember("Gannets dive from thirty metres.", "fact")
        vault.state.pin("ideas/boat.md")
    two = {key: value.replace("/one", "/two") for key, value in one.items()}
    (tmp_path / "two" / "config").mkdir(parents=True)
    (tmp_path / "two" / "back").mkdir()
    settings = f"collections:\n  notes:\n    path: {tmp_path}/two/back/notes\n"
    (tmp_path / "two" / "config" / "config.yaml").write_text(settings, encoding="utf-8")
    kept = tmp_path / "kept.ndjson"
    if way == "file":
        assert forks.run(("export", "-o", str(kept)), one)[0] == 0
        assert kept.stat().st_mode & 0o777 == 0o600
        assert forks.run(("export", "-o", str(kept)), one)[0] == 5
        data = kept.read_bytes()
    else:
        code, data, _ = forks.run(("export",), one)
        assert code == 0
    source = str(kept) if way == "file" else "-"
    command = ("import", source, "--files-to", str(tmp_path / "two" / "back"), "--json")
    code, printed, _ = forks.run(command, two, stdin=data)
    assert code == 0
    report = json.loads(printed)
    assert (report["memories"], report["files"], report["problems"]) == (1, 4, [])
    with open_vault(environ=two) as vault:
        vault.index.sync()
        assert vault.recall("gannets dive").hits
        assert [d.document.path for d in vault.documents() if d.state.pinned] == ["ideas/boat.md"]
