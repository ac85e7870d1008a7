"""``hearth serve`` as people start it: a process of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from hearth import open_vault
from hearth.daemon.client import ask
from hearth.daemon.stub.address import address

from .conftest import prepare


@contextmanager
def started(environ: dict[str, str], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the address that it says it serves."""
    command = [sys.executable, "-m", "hearth", "serve", *arguments]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = ""
        while not (found := re.search(r"serving at (http://\S+)", said)):
            line = process.stderr.readline()
            assert line, f"it ended: {said}"
            said += line
        yield process, found[1]
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def refused(environ: dict[str, str], *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "hearth", "serve", *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stderr


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_a_signal_under_load_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    environ = prepare(tmp_path)
    acknowledged: list[str] = []
    odd: list[str] = []
    enough = threading.Event()

    def write(number: int, url: str) -> None:
        with httpx.Client(base_url=url, timeout=100) as client:
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


def test_one_process_serves_rest_mcp_and_the_hooks(tmp_path: Path) -> None:
    environ = prepare(tmp_path)
    with started(environ, "--port", "0") as (process, url):
        assert httpx.get(f"{url}/health").json()["status"] == "ok"
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who}
        headers = {"accept": "application/json, text/event-stream"}
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


def test_host_and_port_come_from_the_settings_unless_they_are_given(tmp_path: Path) -> None:
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


def test_an_address_for_others_needs_a_token(tmp_path: Path) -> None:
    environ = prepare(tmp_path)
    code, said = refused(environ, "--host", "0.0.0.0", "--port", "0")
    assert code == 2 and "HEARTH_API_TOKEN" in said and "Traceback" not in said
    with started(environ | {"HEARTH_API_TOKEN": "s3cret"}, "--host", "0.0.0.0", "--port", "0") as (_, url):
        local = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{local}/stats").status_code == 401
        assert httpx.get(f"{local}/health").status_code == 200
        assert httpx.get(f"{local}/stats", headers={"authorization": "Bearer s3cret"}).status_code == 200
        assert httpx.get(f"{local}/health", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_an_export_goes_into_another_vault_by_the_command_line(tmp_path: Path, way: str) -> None:
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
    hearth = [sys.executable, "-m", "hearth"]
    kept = tmp_path / "kept.ndjson"
    if way == "file":
        subprocess.run([*hearth, "export", "-o", str(kept)], env=one, check=True, capture_output=True)
        assert kept.stat().st_mode & 0o777 == 0o600
        again = subprocess.run([*hearth, "export", "-o", str(kept)], env=one, capture_output=True)
        assert again.returncode == 5
        data = kept.read_bytes()
    else:
        data = subprocess.run([*hearth, "export"], env=one, check=True, capture_output=True).stdout
    source = str(kept) if way == "file" else "-"
    command = [*hearth, "import", source, "--files-to", str(tmp_path / "two" / "back"), "--json"]
    done = subprocess.run(command, env=two, input=data, check=True, capture_output=True)
    report = json.loads(done.stdout)
    assert (report["memories"], report["files"], report["problems"]) == (1, 4, [])
    with open_vault(environ=two) as vault:
        vault.index.sync()
        assert vault.recall("gannets dive").hits
        assert [d.document.path for d in vault.documents() if d.state.pinned] == ["ideas/boat.md"]
