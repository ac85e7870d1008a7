"""Clients that mean harm, and those that are only broken."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from hearth.core.errors import UsageError
from hearth.server import application, port
from hearth.server import routes as given
from hearth.server.port import Gate

from .conftest import Live, serving

CANARY = "canary-of-the-outside-7f3a"
JSON = {"content-type": "application/json"}


def head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join([f"{method} /v1{path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


# -- paths ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def outside(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file outside every collection, and links to it from inside."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "secret.md").write_text(f"# Secret\n\n{CANARY}\n", encoding="utf-8")
    links = [live.folder / "notes" / "link.md", live.folder / "notes" / "linked"]
    links[0].symlink_to(folder / "secret.md")
    links[1].symlink_to(folder)
    yield folder / "secret.md"
    for link in links:
        link.unlink()


def payloads(secret: Path, root: Path) -> list[str]:
    up = os.path.relpath(secret, root)
    return [
        str(secret),
        up,
        f"notes/{up}",
        f"./{up}",
        f"notes/../../{secret.name}",
        quote(up, safe=""),
        quote(quote(up, safe=""), safe=""),
        up.replace("/", "\\"),
        up.replace("../", "....//"),
        "\\\\localhost\\c$\\secret.md",
        "//localhost/share/secret.md",
        f"file://{secret}",
        f"hearth://notes/{up}",
        f"hearth://notes/{quote(up, safe='')}",
        "link.md",
        "notes/link.md",
        "linked/secret.md",
        f"notes/linked/{secret.name}",
        f"{secret}\0.md",
        "notes/\0../secret.md",
        "C:\\secret.md",
        "~/secret.md",
        "/proc/self/environ",
        "/etc/passwd",
        "../" * 40 + "etc/passwd",
        "a" * 4_000,
        ".." * 2_000,
    ]


def asked(client: httpx.Client, name: str) -> Iterator[httpx.Response]:
    raw = quote(name, safe="")
    for path in (name, raw):
        with_dots = httpx.URL(f"{client.base_url}documents/").copy_with(
            raw_path=b"/v1/documents/" + path.encode("utf-8", "replace").replace(b"\0", b"%00").replace(b" ", b"%20")
        )
        yield client.get(with_dots)
    yield client.get(f"/timeline/{raw}")
    yield client.get(f"/graph/similar/{raw}")
    yield client.get("/documents", params={"pattern": name, "full": "true"})
    yield client.post("/memory/get", json={"path": name})
    yield client.post(f"/documents/{raw}/pin")
    yield client.post("/documents/ideas%2Fboat.md/supersede", json={"by": name})
    yield client.post("/search", json={"query": "secret", "collections": [name[:64]]})
    yield client.get("/stats", params={"vault": name[:64]})
    yield client.get(f"/sessions/{raw}")
    yield client.post("/undo", json={"event": name[:64]})


def test_no_path_leads_out_of_the_collections(rest: httpx.Client, live: Live, outside: Path) -> None:
    for name in payloads(outside, live.folder / "notes"):
        for answer in asked(rest, name):
            place = f"{answer.request.method} {answer.request.url} with {name!r}"
            assert answer.status_code in (200, 400, 404, 409), place
            assert CANARY not in answer.text and "root:" not in answer.text, place
            if answer.status_code == 200 and answer.request.method == "POST":
                assert answer.json().get("status") in ("not_found", "error"), place


@pytest.mark.parametrize(
    "path",
    [
        "../escape.md",
        "/tmp/escape.md",
        "a/../../escape.md",
        "..\\escape.md",
        "C:escape.md",
        "a\0.md",
        ".hidden.md",
        "x.txt",
        "link/escape.md",
    ],
)
def test_an_import_writes_nothing_outside(rest: httpx.Client, live: Live, path: str, tmp_path: Path) -> None:
    memory = live.folder / "data" / "default" / "memory"
    memory.mkdir(parents=True, exist_ok=True)
    link = memory / "link"
    link.symlink_to(tmp_path)
    try:
        rows = [
            {"kind": "hearth-export", "version": 1},
            {"kind": "memory", "path": path, "modified_at": 0, "text": "out"},
            {"kind": "end", "collection": 0, "memory": 1, "file": 0, "event": 0, "problem": 0},
        ]
        body = "\n".join(map(json.dumps, rows))
        done = rest.post("/import", content=body.encode(), headers={"content-type": "application/x-ndjson"}).json()
    finally:
        link.unlink()
    assert done["memories"] == 0 and done["skipped"] == 1, done
    assert list(tmp_path.iterdir()) == []
    assert list(live.folder.rglob("*escape*")) == []


# -- who asks ---------------------------------------------------------------------------------------------------------

HOSTS = {
    "127.0.0.1": True,
    "localhost": True,
    "LOCALHOST:80": True,
    "[::1]:7438": True,
    "evil.example": False,
    "127.0.0.1.evil.example": False,
    "localhost.evil.example": False,
    "127.0.0.1@evil.example": False,
    "0.0.0.0": False,
    "": False,
    "localhost:99999999": False,
    "10.0.0.7": False,
}
ORIGINS = {
    None: True,
    "http://localhost:3000": True,
    "http://127.0.0.1": True,
    "https://evil.example": False,
    "http://localhost.evil.example": False,
    "null": False,
    "file://": False,
    "http://0.0.0.0": False,
}


def test_only_ours_of_hosts_and_origins_get_an_answer(rest: httpx.Client) -> None:
    for host, ours in HOSTS.items():
        for origin, same in ORIGINS.items():
            for method, path, status in (("GET", "/vaults", 200), ("POST", "/undo", 415), ("OPTIONS", "/search", 405)):
                headers = {"host": host} | ({} if origin is None else {"origin": origin})
                answer = rest.request(method, path, headers=headers, content=b"x" if method == "POST" else None)
                place = f"{method} {path} {headers}"
                if ours and same:
                    assert answer.status_code == status, place
                else:
                    assert answer.status_code in (400, 403, 421), place
                assert "access-control-allow-origin" not in answer.headers, place


def test_two_host_headers_are_refused(live: Live) -> None:
    answer = raw(live, b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))


KINDS = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "",
    "application/json; charset=utf-16",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_a_page_could_send_unasked_is_refused(rest: httpx.Client, kind: str) -> None:
    before = rest.get("/documents/ideas/boat.md").json()
    answer = rest.post("/documents/ideas/boat.md/forget", content=b'{"reason":"x"}', headers={"content-type": kind})
    assert answer.status_code == 415
    assert rest.get("/documents/ideas/boat.md").json() == before


def test_everything_but_health_wants_the_token(secret: Live) -> None:
    with secret.client() as client:
        paths = client.get("/openapi.json", headers={"authorization": "Bearer s3cret"}).json()["paths"]
        assert len(paths) > 25
        for path, operations in [*paths.items(), ("/openapi.json", {"get": {}}), ("/nothing", {"get": {}})]:
            for method in operations:
                for given_token in (None, "Bearer wrong", "Bearer", "Basic s3cret", "Bearer s3cret s3cret"):
                    headers = {} if given_token is None else {"authorization": given_token}
                    place = path.replace("{docid}", "x").replace("{session}", "x")
                    answer = client.request(method, place, headers=headers)
                    assert answer.status_code == (200 if path == "/health" else 401), f"{method} {path} {given_token}"
        assert client.get("/stats", headers={"authorization": "bearer s3cret"}).status_code == 200
        assert client.get("/stats", headers={"authorization": "Bearer wrong"}).headers["www-authenticate"] == "Bearer"
        assert client.get("/stats", params={"token": "s3cret"}).status_code == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "::", "example.org"])
def test_an_open_address_is_not_served_without_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="HEARTH_API_TOKEN"):
        Gate(lambda *_: None, host, None)  # type: ignore[arg-type,return-value]


# -- bodies -----------------------------------------------------------------------------------------------------------

MALFORMED = [
    b"{",
    b"nonsense",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe{}",
    b'{"query": "a", "query": "b"}',
    b'{"query": NaN}',
    b'{"query": "\\ud800"}',
    b'{"query": null}',
    b'{"query": ["a"]}',
    b'{"query": ""}',
    b'{"query": "x", "limit": 0}',
    b'{"query": "x", "limit": 101}',
    b'{"query": "x", "limit": "10"}',
    b'{"query": "x", "limit": true}',
    b'{"query": "x", "limit": 1e400}',
    b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}",
    b'{"query": "x", "limit": ' + b"9" * 400 + b"}",
    b'{"query": "x", "min_score": -' + b"9" * 400 + b"}",
    b'{"query": "x", "types": ["no-such-type"]}',
    b'{"query": "x", "since": "yesterday-ish"}',
    b'{"query": "x", "unknown": 1}',
    b"[" * 100_000,
    b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"query": "' + b"x" * 1_500_000 + b'"}',
]


@pytest.mark.parametrize("body", MALFORMED, ids=lambda body: repr(body[:24]))
def test_a_malformed_body_is_a_problem_of_its_sender(rest: httpx.Client, body: bytes) -> None:
    answer = rest.post("/search", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "usage" and len(answer.json()["detail"]) < 500


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"null", b'{"dry_run": "false"}', b'{"dry_run": null}', b'{"dry_rum": true}']
)
def test_a_malformed_body_does_nothing(rest: httpx.Client, body: bytes) -> None:
    before = [line for line in rest.get("/export").text.splitlines() if '"kind":"event"' in line]
    for path in ("/lifecycle/sweep", "/lifecycle/restore", "/documents/ideas/boat.md/forget", "/undo", "/memories"):
        assert rest.post(path, content=body, headers=JSON).status_code == 400
    assert [line for line in rest.get("/export").text.splitlines() if '"kind":"event"' in line] == before


QUERIES = ["limit=1&limit=2", "nope=1", "limit=ten", "limit=1.0", "limit=", "full=yes", "cursor=AAAA"]
QUERIES += ["pattern=%ff", "limit=%31%00"]


@pytest.mark.parametrize("query", QUERIES)
def test_a_malformed_query_is_a_problem_of_its_sender(rest: httpx.Client, query: str) -> None:
    assert rest.get(f"/documents?{query}").status_code == 400


def test_a_large_body_is_refused_by_its_length_and_without(rest: httpx.Client) -> None:
    large = b'{"text": "' + b"x" * given.MOST_BODY_BYTES + b'"}'
    assert rest.post("/memories", content=large, headers=JSON).status_code == 413
    pieces = (large[at : at + 65_536] for at in range(0, len(large), 65_536))
    assert rest.post("/memories", content=pieces, headers=JSON).status_code == 413


def test_a_body_without_end_is_cut_off(live: Live) -> None:
    with connected(live) as client_end:
        client_end.sendall(head("POST", "/memories", "Transfer-Encoding: chunked"))
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        sent = 0
        try:
            while sent < 64 * 1024 * 1024:
                client_end.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        assert sent < 32 * 1024 * 1024
    still_there(live)


@pytest.mark.parametrize("begun", [b"", b"GET /v1/hea", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_request_that_never_begins_is_not_waited_for(
    live: Live, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(port, "HEAD_SECONDS", 0.2)
    with connected(live) as broken:
        broken.sendall(begun)
        with suppress(ConnectionResetError):
            assert broken.recv(1_024) == b""
    still_there(live)


def test_a_body_that_does_not_come_is_not_waited_for(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "BODY_SECONDS", 0.2)
    answer = raw(live, head("POST", "/memories", "Content-Length: 100", "Connection: close") + b'{"text":')
    assert answer.startswith(b"HTTP/1.1 408") and b'"code": "too_slow"' in answer


# -- clients that don't read, or go away ------------------------------------------------------------------------------


def test_a_reader_that_does_not_read_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: Callable[..., None]
) -> None:
    monkeypatch.setattr(application, "SLOW_READER_SECONDS", 0.3)
    with serving(tmp_path) as live:
        # Revisions go out and are not indexed, which would take its time.
        revisions = tmp_path / "data" / "default" / "memory" / ".revisions" / "k3v9x2m7qhw8e5r4"
        revisions.mkdir(parents=True)
        for number in range(8):
            (revisions / f"{number}.md").write_text("--------\n" * 500_000, encoding="utf-8")
        with connected(live, receive=4_096) as client_end:
            client_end.sendall(head("GET", "/export"))
            assert client_end.recv(64).startswith(b"HTTP/1.1 200")

            def cut_off() -> bool:
                with live.client() as client:
                    said = client.get("/metrics").text
                return 'hearth_requests_total{route="/export",method="GET",status="200"} 1' in said

            until(cut_off)
            data = b"x"
            received = 0
            while data:
                try:
                    data = client_end.recv(1 << 20)
                except ConnectionError:
                    break
                received += len(data)
            assert received < 20_000_000
        for _ in range(8):  # more than may be under way
            with connected(live, receive=4_096) as client_end:
                client_end.sendall(head("GET", "/export"))
                client_end.recv(64)

        def served() -> bool:
            with live.client() as client:
                return client.get("/export?files=false").status_code == 200

        until(served)


def test_clients_that_vanish_leave_the_server_well(live: Live) -> None:
    requests = [
        head("GET", "/export"),
        head("POST", "/search", "Content-Type: application/json", "Content-Length: 20") + b'{"query": "postgres"',
        head("POST", "/memories", "Content-Type: application/json", "Content-Length: 5000") + b'{"text": "half',
        head("POST", "/import", "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked") + b'5\r\n{"kin\r\n',
        b"GET /hea",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ]
    for request in requests * 5:
        with connected(live) as client_end:
            client_end.sendall(request)
            client_end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    still_there(live)


SPOILT = [
    head("GET", "/vaults", "Transfer-Encoding: chunked"),
    head("POST", "/memories", "Content-Type: text/plain", "Transfer-Encoding: chunked") + b"5\r\nhello\r\n",
    head("POST", "/import", "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked") + b"5\r\nhello\r\n",
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    b"POST /search HTTP/1.1\r\nHost: elsewhere\r\nTransfer-Encoding: chunked\r\n\r\n",
]


@pytest.mark.parametrize("at_once", [False, True])
def test_what_comes_spoilt_behind_a_good_beginning_leaves_no_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, at_once: bool
) -> None:
    rest = b"ZZ\r\nxx\r\n"
    with serving(tmp_path) as live:
        for request in SPOILT:
            with connected(live) as client_end:
                client_end.sendall(request + rest if at_once else request)
                if b"GET" in request[:4] and not at_once:
                    assert client_end.recv(64).startswith(b"HTTP/1.1 200")
                if not at_once:
                    client_end.sendall(rest)
                with suppress(ConnectionResetError):
                    while client_end.recv(65_536):
                        pass
        still_there(live)
    assert "Traceback" not in capfd.readouterr().err + caplog.text
    assert not [record for record in caplog.records if record.exc_info]


def test_errors_tell_no_details_of_the_inside(live: Live, tmp_path: Path) -> None:
    with live.client() as client:
        for path in ("/documents/x", "/sessions/zzzz", "/nothing"):
            answer = client.get(path)
            assert answer.status_code == 404
            assert set(answer.json()) <= {"type", "title", "status", "detail", "code", "hint", "candidates"}
            assert str(live.folder) not in answer.text and "Traceback" not in answer.text


@contextmanager
def connected(live: Live, receive: int | None = None) -> Iterator[socket.socket]:
    connection = socket.socket()
    if receive is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    connection.settimeout(20)
    connection.connect(("127.0.0.1", live.port))
    try:
        yield connection
    finally:
        connection.close()


def raw(live: Live, request: bytes) -> bytes:
    with connected(live) as client_end:
        client_end.sendall(request)
        found = b""
        while piece := client_end.recv(65_536):
            found += piece
        return found


def still_there(live: Live) -> None:
    with live.client() as client:
        assert client.get("/health").json()["status"] == "ok"
