"""The daemon's socket: lets in what it can answer in time, says ``busy`` to the rest at once."""

from __future__ import annotations

import json
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from queue import Full, Queue
from typing import Any

from hearth.app.background import Background, FollowUp
from hearth.core.files import Log
from hearth.core.lazy import dataclass
from hearth.daemon.stub.call import MAX_REQUEST, credentials

WORKERS = 4
# Longer rows than this are not worked off before those at the end give up.
QUEUE = 32
# Seconds that a request may wait for a worker: its caller could do better things with the time.
LONGEST_WAIT = 0.15
_READ_SECONDS = 2.0
_WRITE_SECONDS = 2.0
_TICK_SECONDS = 0.5
_HELLO = b"."
BUSY: Mapping[str, Any] = {"busy": True}


@dataclass(frozen=True, slots=True)
class Reply:
    """``after`` is done once the reply is out."""

    body: Mapping[str, Any]
    after: FollowUp | None = None


Handler = Callable[[Mapping[str, Any], float], Reply]


@dataclass
class Counts:
    accepted: int = 0
    answered: int = 0
    busy: int = 0
    strangers: int = 0
    malformed: int = 0
    failed: int = 0


@dataclass
class DaemonLimits:
    workers: int = WORKERS
    queue: int = QUEUE
    wait: float = LONGEST_WAIT


@dataclass
class Server:
    """``listener`` is bound and listens; ``handler`` gets a request and when it came (monotonic clock). ``serve`` runs
    in the main thread until ``stop``; ``tick`` is called about twice a second there and ends it by ``True``. What
    follows the replies is done in ``background``, which its owner closes."""

    listener: socket.socket
    handler: Handler
    background: Background
    log: Log
    tick: Callable[[], bool] = lambda: False
    limits: DaemonLimits = field(default_factory=DaemonLimits)

    def __post_init__(self) -> None:
        self.counts = Counts()
        self._uid = os.getuid()
        self._waiting: Queue[tuple[socket.socket, float] | None] = Queue(self.limits.queue)
        self._stopping = threading.Event()
        self._waker, self._woken = os.pipe()
        # Taken again by a signal handler that calls ``stop``.
        self._pipe = threading.RLock()
        os.set_blocking(self._woken, False)

    def stop(self) -> None:
        """Ends ``serve`` soon; from any thread or signal handler, and also when it has ended."""
        self._stopping.set()
        with self._pipe, suppress(OSError):
            if self._woken >= 0:
                os.write(self._woken, b"x")

    def serve(self) -> None:
        workers = [threading.Thread(target=self._work, name=f"hearth-{n}") for n in range(self.limits.workers)]
        for thread in workers:
            thread.daemon = True
            thread.start()
        try:
            ticked = 0.0
            listening = self.listener.fileno()
            while not self._stopping.is_set():
                ready, _, _ = select.select([listening, self._waker], [], [], _TICK_SECONDS)
                if listening in ready:
                    self._accept()
                if time.monotonic() - ticked >= _TICK_SECONDS:
                    ticked = time.monotonic()
                    if self.tick():
                        break
        finally:
            self._end(workers)

    def _end(self, workers: list[threading.Thread]) -> None:
        """No new requests; those under way are answered."""
        self._stopping.set()
        self.listener.close()
        for _ in workers:
            with suppress(Full):
                self._waiting.put(None, timeout=_READ_SECONDS)
        for thread in workers:
            thread.join(_READ_SECONDS)
        with self._pipe:
            # The numbers go to the next who opens something.
            pipe = (self._waker, self._woken)
            self._waker = self._woken = -1
            for end in pipe:
                os.close(end)

    # -- letting in ------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError as error:
            self.log.failure("accepting a connection", error)
            time.sleep(0.01)  # out of descriptors: others must end first
            return
        self.counts.accepted += 1
        try:
            connection.setblocking(False)
            if credentials(connection) != self._uid:
                self.counts.strangers += 1
                connection.close()
                return
            connection.send(_HELLO)
            self._waiting.put_nowait((connection, time.monotonic()))
        except Full:
            self._busy(connection)
        except OSError:
            connection.close()

    def _busy(self, connection: socket.socket) -> None:
        self.counts.busy += 1
        with suppress(OSError):
            connection.send(_line(BUSY))
        connection.close()

    # -- answering -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (item := self._waiting.get()) is not None:
            connection, came = item
            try:
                self._serve_one(connection, came)
            except OSError:  # the caller went away
                pass
            except Exception as error:  # noqa: BLE001 (a worker must outlive whatever a request does to it)
                self.counts.failed += 1
                self.log.failure("a request: unexpected", error)
            finally:
                connection.close()

    def _serve_one(self, connection: socket.socket, came: float) -> None:
        if time.monotonic() - came > self.limits.wait:
            self._busy(connection)
            return
        request = _request(connection)
        if request is None:
            self.counts.malformed += 1
            _send(connection, {"refused": "malformed"})
            return
        reply = self.handler(request, came)
        if reply.body is BUSY:
            self.counts.busy += 1
        else:
            self.counts.answered += 1
        with self.background.following(reply.after):
            _send(connection, reply.body)
            connection.close()


def _request(connection: socket.socket) -> Mapping[str, Any] | None:
    """One line of JSON that holds an object, else ``None``."""
    connection.settimeout(_READ_SECONDS)
    until = time.monotonic() + _READ_SECONDS
    parts: list[bytes] = []
    size = 0
    while not parts or not parts[-1].endswith(b"\n"):
        piece = connection.recv(65536)
        size += len(piece)
        if not piece or size > MAX_REQUEST or time.monotonic() > until:
            return None
        parts.append(piece)
    try:
        found = json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _send(connection: socket.socket, body: Mapping[str, Any]) -> None:
    connection.settimeout(_WRITE_SECONDS)
    connection.sendall(_line(body))


def _line(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body).encode("ascii") + b"\n"
