"""Who may ask a port: the matrix of Host, Origin and token."""

from __future__ import annotations

import itertools

import pytest

from hearth.core.errors import UsageError
from hearth.server.port import App, Gate, Message, loopback

OURS = ["localhost", "localhost:7438", "127.0.0.1:7438", "127.0.0.1", "[::1]:9", "LOCALHOST:1"]
OTHERS = ["evil.example", "evil.example:7438", "127.0.0.1.evil.example", "localhost.evil", "", "0.0.0.0",
          "10.0.0.1:7438", "localhost:7438@evil.example", "user@localhost", "localhost:abc", "[::1",
          "127.0.0.1:7438, evil.example"]  # fmt: skip
FINE = [None, "http://localhost", "http://localhost:3000", "https://127.0.0.1:8443", "http://[::1]:7438"]
FOREIGN = ["null", "http://evil.example", "http://localhost.evil.example", "file://", "http://localhost@evil.example",
           "", "chrome-extension://abc", "http://0.0.0.0:7438", "ftp://localhost"]  # fmt: skip


async def app(scope: object, receive: object, send: object) -> None:
    raise AssertionError("not reached")


def status(gate: Gate, host: str, origin: str | None, token: str | None, path: str = "/mcp") -> int:
    headers = [("host", host)]
    headers += [("origin", origin)] if origin is not None else []
    headers += [("authorization", token)] if token is not None else []
    refusal = gate.refusal(headers, path)
    return 200 if refusal is None else refusal.status


@pytest.mark.parametrize("host", OURS + OTHERS)
def test_only_our_own_pages_and_programs_get_in(host: str) -> None:
    guarded, free = Gate(app, "127.0.0.1", "s3cret", ["/health"]), Gate(app, "127.0.0.1", None)
    tokens = [
        None,
        "Bearer s3cret",
        "bearer s3cret",
        "Bearer wrong",
        "Basic s3cret",
        "Bearer",
        "Bearer s3cret x",
        "s3cret",
    ]
    for origin, token in itertools.product(FINE + FOREIGN, tokens):
        wanted = 421 if host in OTHERS else 403 if origin in FOREIGN else 200
        assert status(free, host, origin, token) == wanted
        assert status(guarded, host, origin, token, "/health") == wanted
        authorized = token in ("Bearer s3cret", "bearer s3cret")
        assert status(guarded, host, origin, token) == (wanted if wanted != 200 or authorized else 401)


def test_the_loopback_address_that_it_listens_on_is_its_own() -> None:
    for host in ("127.0.0.2", "[0:0:0:0:0:0:0:1]"):
        gate = Gate(app, host, None)
        assert status(gate, f"{host}:7438", f"http://{host}:7438", None) == 200
        assert status(gate, "127.0.0.3:7438", None, None) == 421


def test_a_request_with_two_hosts_or_none_or_two_tokens_is_refused() -> None:
    gate = Gate(app, "127.0.0.1", "s")
    for headers in ([], [("host", "localhost"), ("host", "evil.example")]):
        refusal = gate.refusal(headers, "/")
        assert refusal is not None
        assert refusal.status == 421
    two = [("host", "localhost"), ("authorization", "Bearer x"), ("authorization", "Bearer s")]
    refusal = gate.refusal(two, "/")
    assert refusal is not None
    assert refusal.status == 401


@pytest.mark.parametrize(
    ("authorization", "wanted"),
    [
        (["Bearer s3cr\xe9t"], 200),
        (["BEARER s3cr\xe9t"], 200),
        (["Bearer   s3cr\xe9t "], 200),
        (["Bearer s3cr\xe9t", "Bearer s3cr\xe9t"], 401),
        (["Bearer s3cr\xe9t", "Bearer x"], 401),
        ([], 401),
        ([""], 401),
        (["Bearer"], 401),
        (["Bearer "], 401),
        (["Bearers3cr\xe9t"], 401),
        (["Basic s3cr\xe9t"], 401),
        ([" s3cr\xe9t"], 401),
        (["Bearer s3cr\xe9"], 401),
        (["Bearer s3cr\xe9tt"], 401),
        (["Bearer S3CR\xe9T"], 401),
        (["Bearer s3cr\xe9t Bearer s3cr\xe9t"], 401),
    ],
)
def test_one_header_with_the_scheme_and_the_whole_token_gets_in(authorization: list[str], wanted: int) -> None:
    gate = Gate(app, "127.0.0.1", "s3cr\xe9t")
    # A client sends UTF-8, which a server takes for Latin-1.
    sent = [value.encode("utf-8").decode("latin-1") for value in authorization]
    refusal = gate.refusal([("host", "localhost"), *(("authorization", value) for value in sent)], "/mcp")
    assert (200 if refusal is None else refusal.status) == wanted
    if refusal is not None:
        assert (refusal.code, refusal.title) == ("unauthorized", "Unauthorized")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", "localhost.example"])
def test_what_others_reach_needs_a_token(host: str) -> None:
    assert not loopback(host)
    with pytest.raises(UsageError, match="HEARTH_API_TOKEN"):
        Gate(app, host, None)
    with pytest.raises(UsageError):
        Gate(app, host, "")
    gate = Gate(app, host, "s")
    assert status(gate, "192.168.1.4:7438", None, "Bearer s") == 200
    assert status(gate, "evil.example", None, "Bearer s") == 421
    assert status(gate, "192.168.1.4:7438", "http://evil.example", "Bearer s") == 403


def test_the_refusal_is_a_problem_and_websockets_are_closed() -> None:
    import anyio

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    wrapped: App = app
    gate = Gate(wrapped, "127.0.0.1", "s")
    anyio.run(gate, {"type": "http", "path": "/", "headers": [(b"Host", b"localhost")]}, receive, send)
    assert sent[0]["status"] == 401
    assert (b"www-authenticate", b"Bearer") in sent[0]["headers"]
    assert b'"status": 401' in sent[1]["body"]
    anyio.run(gate, {"type": "websocket", "path": "/", "headers": []}, receive, send)
    assert sent[2] == {"type": "websocket.close", "code": 1008}
