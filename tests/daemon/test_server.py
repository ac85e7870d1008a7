"""Admission: who is let in, who is told ``busy``, and that no caller can hurt the next."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hearth.app.background import Background, FollowUp
from hearth.core.files import Log
from hearth.daemon.server import BUSY, DaemonLimits, Reply, Server

HANGS = 100.0
Handle = Callable[[Mapping[str, Any], float], Reply]


class Running:
    def __init__(self, folder: Path, handler: Handle, limits: DaemonLimits, tick: Callable[[], bool]) -> None:
        self.path = str(folder / "s")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen(128)
        listener.setblocking(False)
        self.log = Log(folder / "log", lambda text: text)
        self.background = Background(self.log)
        self.server = Server(listener, handler, self.background, self.log, tick, limits)
        self.thread = threading.Thread(target=self.server.serve)
        self.thread.start()

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(HANGS)
        try:
            connection.connect(self.path)
        except OSError:
            connection.close()
            raise
        return connection

    def send(self, request: Mapping[str, Any]) -> socket.socket:
        connection = self.connect()
        try:
            assert connection.recv(1) == b"."
            with suppress(BrokenPipeError):  # it said that it is busy and hung up
                connection.sendall(json.dumps(request).encode() + b"\n")
        except BaseException:
            connection.close()
            raise
        return connection

    def ask(self, request: Mapping[str, Any]) -> Any:
        with self.send(request) as connection:
            return reply(connection)

    def end(self) -> None:
        self.server.stop()
        self.thread.join(HANGS)
        assert not self.thread.is_alive()
        self.background.close(20)


def reply(connection: socket.socket) -> Any:
    data = b""
    while not data.endswith(b"\n"):
        piece = connection.recv(65536)
        assert piece, data
        data += piece
    return json.loads(data)


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    made: list[Running] = []
    with tempfile.TemporaryDirectory(prefix="h", dir="/tmp") as folder:

        def begin(
            handler: Handle, limits: DaemonLimits | None = None, tick: Callable[[], bool] = lambda: False
        ) -> Running:
            made.append(Running(Path(folder), handler, limits or DaemonLimits(), tick))
            return made[-1]

        yield begin
        for running in made:
            running.end()


def echo(request: Mapping[str, Any], came: float) -> Reply:
    return Reply({"echo": request})


class Gate:
    """A handler that waits until it is let go; ``inside`` counts who came in."""

    def __init__(self) -> None:
        self.inside = threading.Semaphore(0)
        self.go = threading.Event()

    def __call__(self, request: Mapping[str, Any], came: float) -> Reply:
        self.inside.release()
        self.go.wait(HANGS)
        return Reply({"done": request.get("n")})


def test_each_request_gets_its_reply(start: Callable[..., Running]) -> None:
    running = start(echo)
    for number in range(50):
        assert running.ask({"n": number, "text": "ü\n\ud800"}) == {"echo": {"n": number, "text": "ü\n\ud800"}}
    assert running.server.counts.answered == 50


def test_a_full_queue_is_busy_at_once_and_those_inside_are_served(start: Callable[..., Running]) -> None:
    gate = Gate()
    running = start(gate, DaemonLimits(workers=2, queue=3, wait=3_600))
    inside = [running.send({"n": n}) for n in range(2)]
    for _ in inside:
        assert gate.inside.acquire(timeout=HANGS)
    waiting = [running.send({"n": n}) for n in range(2, 5)]
    assert running.ask({"n": 9}) == BUSY
    assert running.server.counts.answered == 0
    gate.go.set()
    assert [reply(connection)["done"] for connection in (*inside, *waiting)] == [0, 1, 2, 3, 4]
    for connection in (*inside, *waiting):
        connection.close()
    assert running.server.counts.busy == 1


def test_who_waited_too_long_is_busy(start: Callable[..., Running]) -> None:
    gate = Gate()
    running = start(gate, DaemonLimits(workers=1, queue=10, wait=3_600))
    first = running.send({"n": 1})
    assert gate.inside.acquire(timeout=HANGS)
    second = running.send({"n": 2})
    running.server.limits = DaemonLimits(workers=1, queue=10, wait=0)
    gate.go.set()
    assert reply(first) == {"done": 1}
    assert reply(second) == BUSY
    first.close(), second.close()


@pytest.mark.parametrize("line", [b"nonsense\n", b"[]\n", b"\n", b"[" * 100_000 + b"\n", b"\xff\xfe\n"])
def test_what_is_no_request_is_refused(start: Callable[..., Running], line: bytes) -> None:
    running = start(echo)
    with running.connect() as connection:
        connection.sendall(line)
        assert connection.recv(1) == b"."
        assert reply(connection) == {"refused": "malformed"}
    assert running.ask({"n": 1}) == {"echo": {"n": 1}}


def test_an_endless_request_is_cut_off(start: Callable[..., Running]) -> None:
    running = start(echo, DaemonLimits(workers=1))
    with running.connect() as connection, pytest.raises(OSError):
        for _ in range(100):
            connection.sendall(b"x" * 100_000)
    assert running.ask({"n": 1}) == {"echo": {"n": 1}}
    assert running.server.counts.malformed == 1


def test_a_handler_that_fails_costs_its_own_request_only(start: Callable[..., Running]) -> None:
    def fail(request: Mapping[str, Any], came: float) -> Reply:
        if request.get("fail"):
            raise RuntimeError("bug")
        return Reply({"fine": True})

    running = start(fail, DaemonLimits(workers=1))
    with running.send({"fail": True}) as connection:
        assert connection.recv(100) == b""
    assert running.ask({}) == {"fine": True}
    assert running.server.counts.failed == 1
    assert "RuntimeError" in running.log.last(1)[0]


def test_what_follows_a_reply_runs_after_it_in_order_and_survives_failures(start: Callable[..., Running]) -> None:
    seen: list[int] = []
    go, done = threading.Event(), threading.Event()

    def after(number: int) -> None:
        go.wait(20)
        seen.append(number)
        if number == 1:
            raise RuntimeError("bug")
        if number == 3:
            done.set()

    running = start(lambda request, came: Reply({"n": request["n"]}, FollowUp("v", lambda: after(request["n"]))))
    for number in range(4):
        assert running.ask({"n": number}) == {"n": number}  # though nothing was written down yet
    assert seen == []
    go.set()
    assert done.wait(10)
    assert seen == [0, 1, 2, 3]


def test_what_follows_is_done_before_it_ends(start: Callable[..., Running]) -> None:
    seen: list[int] = []
    running = start(lambda request, came: Reply({}, FollowUp("v", lambda: seen.append(1))))
    for _ in range(20):
        running.ask({})
    running.end()
    assert len(seen) == 20


def test_stopping_what_has_ended_writes_into_no_file_of_others(start: Callable[..., Running]) -> None:
    running = start(echo)
    running.end()
    reading, writing = os.pipe()
    ends = [reading, writing, *(os.dup(writing) for _ in range(64))]  # one of them has the number of its pipe
    try:
        os.set_blocking(reading, False)
        running.server.stop()
        with pytest.raises(BlockingIOError):
            os.read(reading, 1)
    finally:
        for end in ends:
            os.close(end)


def test_who_is_another_user_is_told_nothing(start: Callable[..., Running]) -> None:
    running = start(echo)
    running.server._uid = os.getuid() + 1
    with running.connect() as connection:
        assert connection.recv(100) == b""
    assert (running.server.counts.strangers, running.server.counts.answered) == (1, 0)


def test_the_tick_ends_it_also_while_requests_come(start: Callable[..., Running]) -> None:
    over = threading.Event()
    running = start(echo, tick=over.is_set)
    running.ask({})
    over.set()
    with suppress(OSError, AssertionError):
        while running.thread.is_alive():
            running.ask({})
    running.thread.join(10)
    assert not running.thread.is_alive()


def test_requests_know_when_they_came(start: Callable[..., Running]) -> None:
    running = start(lambda request, came: Reply({"came": came}))
    before = time.monotonic()
    assert before <= running.ask({})["came"] <= time.monotonic()
