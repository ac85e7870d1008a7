"""Both ways in, as real processes: the official client in both eras, clients that vanish, calls that are cancelled."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from hearth.server.mcp.tool import tools

ERAS = ["legacy", "auto"]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
COMMAND = [sys.executable, "-m", "hearth", "mcp"]
DEADLINE = 30


@pytest.fixture
def environ(environ: dict[str, str]) -> dict[str, str]:
    """With every tool."""
    return {**environ, "HEARTH_SERVER_MCP_PROFILE": "full"}


class Pipe:
    """``hearth mcp`` at the end of two pipes, spoken to line by line."""

    def __init__(self, process: Any) -> None:
        self.process = process
        self._read = b""

    def send(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, **params: Any) -> None:
        meta = {**META, **params.pop("meta", {})}
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}
        self.send(json.dumps(message).encode())

    def line(self) -> dict[str, Any]:
        while b"\n" not in self._read:
            assert select.select([self.process.stdout], [], [], DEADLINE)[0], "no answer"
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            assert data, "the server ended"
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def answer(self, number: int) -> dict[str, Any]:
        while (found := self.line()).get("id") != number:
            pass
        return found

    def end(self) -> int:
        self.process.stdin.close()
        return self.process.wait(DEADLINE)


@pytest.fixture
def pipe(environ: dict[str, str], forks: Any) -> Iterator[Pipe]:
    found = Pipe(forks.start(("mcp",), environ, piped=range(3)))
    with found.process:
        yield found
        if found.process.poll() is None:
            found.process.kill()


Serving = Callable[..., AbstractContextManager[tuple[str, Any]]]


@pytest.fixture
def serving(forks: Any) -> Serving:
    """``hearth mcp --http`` on a free port; yields its address."""

    @contextmanager
    def start(environ: dict[str, str], *arguments: str) -> Iterator[tuple[str, Any]]:
        with forks.start(("mcp", "--http", "--port", "0", *arguments), environ, piped=[2]) as process:
            try:
                line = process.stderr.readline().decode()
                match = re.search(r"serving MCP at (http://[^\s;]+)", line)
                assert match is not None, line
                yield match[1], process
            finally:
                process.kill()

    return start


async def _session(client: Client) -> None:
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == list(tools())
    assert all(tool.input_schema and tool.output_schema for tool in listed.tools)
    found = await client.call_tool("memory_retrieve", {"query": "why PostgreSQL over MongoDB"})
    assert found.structured_content["results"][0]["path"] == "decisions/0001-postgres.md"
    assert (await client.call_tool("get", {"reference": "nowhere.md"})).is_error
    listed_prompts = await client.list_prompts()
    assert [prompt.name for prompt in listed_prompts.prompts] == ["recall", "remember", "handoff"]
    read = await client.read_resource("hearth://default/notes/runbooks%2Frestore.md")
    assert "restic" in read.contents[0].text  # type: ignore[union-attr]
    reports: list[float] = []

    async def seen(done: float, total: float | None, message: str | None) -> None:
        reports.append(done)

    assert not (await client.call_tool("reindex", {}, progress_callback=seen)).is_error


@pytest.mark.parametrize("era", ERAS)
def test_the_official_client_over_stdio(environ: dict[str, str], era: str) -> None:
    async def talk() -> None:
        started = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=environ)
        async with Client(stdio_client(started), mode=era) as client:  # type: ignore[arg-type]
            assert (client.protocol_version == "2026-07-28") == (era == "auto")
            await _session(client)

    anyio.run(talk)


def test_the_official_client_over_http_in_both_eras_and_a_port_that_is_taken(
    environ: dict[str, str], forks: Any, serving: Serving
) -> None:
    async def talk(address: str) -> None:
        kept = Path(environ["HEARTH_STATE_DIR"], "serve.token")
        for era in ERAS:
            headers = {"Authorization": f"Bearer {kept.read_text().strip()}"}
            async with create_mcp_http_client(headers) as http:
                transport = streamable_http_client(address, http_client=http)
                async with Client(transport, mode=era) as client:  # type: ignore[arg-type]
                    await _session(client)

    with serving(environ) as (address, process):
        assert httpx.post(address, json={}).status_code == 401
        anyio.run(talk, address)
        port = address.rsplit(":", 1)[1].removesuffix("/mcp")
        code, _, said = forks.run(("mcp", "--http", "--port", port), environ)
        assert (code, f"127.0.0.1:{port}" in said.decode()) == (5, True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) in (0, -signal.SIGTERM)


def test_standard_output_is_the_protocol_alone_and_what_was_acknowledged_survives_a_kill(
    pipe: Pipe, environ: dict[str, str], forks: Any
) -> None:
    pipe.request(1, "server/discover")
    result = pipe.line()["result"]
    assert result["resultType"] == "complete"
    assert len(result["instructions"].encode()) < 2_048
    assert "4 documents (notes 4)" in result["instructions"]
    pipe.request(2, "tools/call", name="memory_store", arguments={"content": "The walrus sleeps at noon."})
    assert not pipe.answer(2)["result"]["isError"]
    pipe.process.kill()
    assert (pipe.process.stdout.read(), pipe.process.stderr.read()) == (b"", b"")
    code, found, _ = forks.run(("search", "walrus", "--files"), {**environ, "HEARTH_DAEMON_MODE": "external"})
    assert code == 0
    assert b"_hearth/" in found


NO_REQUESTS = [
    b"not json", b"[]", b"{}", b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}', b"\xff\xfe\x00", b"", b'"\\ud800"',
    b"1e999",
    b'{"jsonrpc":"2.0","method":"notifications/unheard"}',
    b'{"jsonrpc":"2.0","id":5,"method":"tools/burn","params":{}}',
]  # fmt: skip


def test_lines_that_are_no_request_end_nothing_and_many_at_once_are_all_answered(pipe: Pipe) -> None:
    pipe.request(1, "tools/call", name="status", arguments={})
    assert "error" not in pipe.answer(1)
    for number, line in enumerate(NO_REQUESTS, 1_000):
        pipe.send(line)
        pipe.request(number, "tools/call", name="search", arguments={"query": "restic"})
        assert pipe.answer(number)["result"]["structuredContent"]["results"], line[:40]
    pipe.request(2, "tools/call", name="search", arguments={"query": "x" * 10_000_000})
    assert "it takes 1 to 10,000" in pipe.answer(2)["result"]["content"][0]["text"]
    for number in range(100, 200):
        pipe.request(number, "tools/call", name="query", arguments={"query": f"PostgreSQL {number}"})
    answers = [pipe.line() for _ in range(100)]
    assert sorted(answer["id"] for answer in answers) == list(range(100, 200))
    assert all(answer["result"]["structuredContent"]["results"] for answer in answers)
    assert pipe.end() == 0


UNREADABLE = [
    (-32700, b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"\\ud800","id":4}}'),
    (-32700, b'{"method":"tools/call","params":{"arguments":' + b'{"id":' * 500 + b"7" + b"}" * 501 + b',"id":%d}'),
    (-32700, b'{"id": %d, "params":' + b"[" * 100_000),
    (-32600, b'{"jsonrpc":"2.0","id":%d}'),
    (-32600, b'{"id":%d,"method":"ping"}'),
]
NAMELESS = [
    (-32700, b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'),
    (-32700, b'{"jsonrpc":"2.0","method":"ping","id":' + b"9" * 5_000 + b"}"),
    (-32700, b"not json"),
    (-32600, b"[]"),
    *(
        (-32600, b'{"jsonrpc":"2.0","method":"ping","id":%s}' % odd)
        for odd in (b"1.5", b"true", b"null", b"[1]", b"1e400")
    ),
]


def test_a_line_that_can_not_be_read_is_answered_under_its_id_or_under_none(pipe: Pipe) -> None:
    asked = [(number, code, line % number) for number, (code, line) in enumerate(UNREADABLE, 10)]
    for number, code, line in [*asked, *((None, code, line) for code, line in NAMELESS)]:
        pipe.send(line)
        answer = pipe.line()
        assert (answer["id"], answer["error"]["code"]) == (number, code), line[:60]


def test_a_body_that_can_not_be_read_is_answered_under_its_id_or_under_none(
    environ: dict[str, str], serving: Serving
) -> None:
    json_types = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    others = [b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"\xff"}}', b'{"id":%d,"method":"ping"} more']
    with serving(environ, "--no-auth") as (address, _), httpx.Client(headers=json_types, timeout=DEADLINE) as client:
        for number, line in enumerate([*(line for _, line in UNREADABLE), *others], 10):
            answer = client.post(address, content=line % number)
            assert (answer.status_code, answer.json()["id"]) == (400, number), line[:60]
        for line in (*(line for _, line in NAMELESS), b"", b'{"id":1,"result":"\\ud800"}'):
            answer = client.post(address, content=line)
            assert (answer.status_code, answer.json()["id"]) == (400, None), line[:60]


def test_what_asks_for_nothing_is_answered_with_nothing(pipe: Pipe) -> None:
    for line in (b"", b"  ", b'{"jsonrpc":"2.0","id":1,"result":"\\ud800"}', b'{"id":1,"error":{}}', b"[" * 10):
        pipe.send(line)
    pipe.request(2, "ping")
    assert [pipe.line()["id"], pipe.line()["id"]] == [None, 2]
    assert pipe.end() == 0


def test_a_client_that_closes_its_end_gets_the_answers_to_what_it_asked(environ: dict[str, str]) -> None:
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": opening},
        {"method": "notifications/initialized"},
        *({"id": n, "method": "tools/call", "params": {"name": "status", "arguments": {}}} for n in range(1, 6)),
    ]
    given = b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines)
    done = subprocess.run(COMMAND, env=environ, input=given, capture_output=True, timeout=DEADLINE)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(6))
    assert all("result" in answer for answer in answers)
    assert done.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_the_client_says_nothing(pipe: Pipe, number: signal.Signals) -> None:
    pipe.request(1, "tools/call", name="status", arguments={})
    assert "error" not in pipe.answer(1)
    pipe.process.send_signal(number)
    assert pipe.process.wait(DEADLINE) == 128 + number


def test_a_client_that_vanishes_in_the_middle_leaves_nothing_running(environ: dict[str, str], forks: Any) -> None:
    pipe = Pipe(forks.start(("mcp",), {**environ, "HEARTH_SERVER_MCP_PROFILE": "core"}, piped=range(3)))
    with pipe.process:
        pipe.request(1, "tools/list")
        assert [tool["name"] for tool in pipe.answer(1)["result"]["tools"]] == list(tools("core"))
        for number in range(2, 50):
            pipe.request(
                number, "tools/call", name="memory_store", arguments={"content": f"Fact {number} of the walrus."}
            )
        pipe.process.stdout.close()
        assert pipe.end() == 0
        assert b"Traceback" not in pipe.process.stderr.read()


def test_a_cancelled_scan_ends_and_the_next_one_finishes_with_progress_told_in_order(
    pipe: Pipe, tmp_path: Path
) -> None:
    for number in range(2_000):
        (tmp_path / "notes" / f"n{number}.md").write_text(f"# Note {number}\n\nCapybara number {number}.\n" * 8)
    pipe.request(1, "tools/call", name="reindex", arguments={}, meta={"progressToken": "p"})
    reported = pipe.line()
    assert (reported["method"], reported["params"]["progressToken"]) == ("notifications/progress", "p")
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": META}}
    pipe.send(json.dumps(cancelled).encode())
    pipe.request(2, "tools/call", name="list_vaults", arguments={})
    assert pipe.answer(2)["result"]["structuredContent"]["vaults"]
    told, number, result = [], 3, {"isError": True}
    while result["isError"]:  # as long as the cancelled one still stands at its file
        pipe.request(number, "tools/call", name="vault_sync", arguments={}, meta={"progressToken": number})
        while (message := pipe.line()).get("id") != number:
            told.append(message["params"]["progress"])
        result, number = message["result"], number + 1
    [notes] = [row for row in result["structuredContent"]["collections"] if row["name"] == "notes"]
    assert notes["documents"] == 2_004
    assert result["structuredContent"]["added"] > 0, "the cancelled scan went on to its end"
    assert told
    assert told == sorted(told)
    assert pipe.end() == 0


def test_http_turns_strangers_away(environ: dict[str, str], serving: Serving) -> None:
    token = "a-secret-of-the-test"
    request = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": META}}
    headers = {"Accept": "application/json, text/event-stream", "Mcp-Method": "server/discover",
               "MCP-Protocol-Version": "2026-07-28", "Authorization": f"Bearer {token}"}  # fmt: skip
    with serving({**environ, "HEARTH_API_TOKEN": token}) as (address, _), httpx.Client() as client:
        assert client.post(address, json=request, headers=headers).json()["result"]["supportedVersions"]
        for changed, status in (
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Host": "evil.example"}, 421),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Content-Type": "text/plain"}, 400),
        ):
            refusal = client.post(address, json=request, headers=headers | changed)
            assert refusal.status_code == status, changed
            assert "access-control-allow-origin" not in refusal.headers
        assert client.post(address, content=b"{" + b" " * 3_000_000, headers=headers).status_code == 413
        assert client.options(address, headers={"Origin": "http://evil.example"}).status_code == 403


def test_other_machines_need_a_token(environ: dict[str, str], forks: Any) -> None:
    code, _, said = forks.run(("mcp", "--http", "--port", "0", "--host", "0.0.0.0", "--no-auth"), environ)
    assert code == 2
    assert b"HEARTH_API_TOKEN" in said


def test_the_port_is_for_http_only(environ: dict[str, str], forks: Any) -> None:
    code, _, said = forks.run(("mcp", "--port", "1"), environ)
    assert (code, said) == (2, b"hearth: --host, --port and --no-auth need --http\n")


def test_nothing_of_the_sdk_is_loaded_for_another_command() -> None:
    code = "import sys; from hearth.cli import main; main(['--help']); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"mcp", "pydantic", "starlette", "anyio", "uvicorn"} & set(done.stderr.split())
