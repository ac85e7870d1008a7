"""A client of a model server, and its ledger of what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from hearth.core.errors import BadReply, Unavailable
from hearth.core.files import write_atomically
from hearth.core.lazy import dataclass
from hearth.models.http import protocol
from hearth.models.http.protocol import Breaker, CallTimeout, Pace, RefusedInput, Timing, judge, words
from hearth.models.http.transport import HttpReply, HttpRequest, RemoteServer, Transport, TransportFault

T = TypeVar("T")

_LONGEST_REST = 3600.0


class ModelClient:
    """Thread-safe. Kinds of patience fail apart: a server too slow for a question may still fill an index."""

    def __init__(self, server: RemoteServer, pace: Pace, timing: Timing) -> None:
        self.server = server
        self._pace = pace
        self._timing = timing
        self._transport = Transport(server, timing)
        self._breakers: dict[str, Breaker] = {}

    def __repr__(self) -> str:
        return f"Client({self.server.shown})"

    def now(self) -> float:
        """Seconds on the clock that deadlines are given in."""
        return self._timing.now()

    @property
    def tokens_per_minute(self) -> int | None:
        return self._pace.limit

    def ask(
        self,
        request: HttpRequest,
        read: Callable[[Any], T],
        patience: CallTimeout,
        *,
        tokens: int = 0,
        until: float | None = None,
    ) -> T:
        """The reply's JSON as ``read`` understands it.

        Raises ``Unavailable`` (nothing to be had now), ``RefusedInput`` (the server refused what was sent) or
        ``BadReply`` (it answered nonsense, in the words of ``read`` or before). ``tokens`` is what the request costs of
        the minute's worth, ``until`` an earlier end than that of ``patience``.
        """
        self.server.key.reveal()
        breaker = self._breakers.setdefault(patience.name, Breaker(self.server.name, self._timing.now))
        breaker.check()
        if tokens:
            self._pace.take(tokens, patient=patience.paced)
        end = self._timing.now() + patience.total
        end = end if until is None else min(end, until)
        try:
            answer = read(self._json(self._persist(request, patience, end, breaker)))
        except RefusedInput:
            breaker.succeeded()
            raise
        except BadReply as error:
            problem = self.server.hide(str(error))
        else:
            breaker.succeeded()
            return answer
        # Raised out here, so that the error carries nothing of the one before it, which may quote the key.
        breaker.failed(problem)
        raise BadReply(f"{self.server.name}: {problem}")

    def download(self, request: HttpRequest, patience: CallTimeout, path: Path) -> None:
        """Writes a reply's body to ``path``. Raises as ``ask`` does."""
        reply = self._transport.download(request, patience, path)
        if isinstance(reply, TransportFault):
            raise Unavailable(f"{self.server.name} failed: {reply.reason}")
        if reply.status >= 300:
            self._refuse(reply)

    def close(self) -> None:
        self._transport.close()

    def _persist(self, request: HttpRequest, patience: CallTimeout, until: float, breaker: Breaker) -> HttpReply:
        """The first reply with a good status. Failures are counted, refusals raised."""
        attempt = 0
        while True:
            attempt += 1
            result = self._transport.exchange(request, patience, until)
            if isinstance(result, HttpReply) and result.status < 300:
                return result
            if isinstance(result, TransportFault) and result.nonsense:
                raise BadReply(result.reason)
            reason, wait = self._failure(result, attempt)
            if wait is None or attempt > patience.retries or self._timing.now() + wait > until or wait > protocol.MOST:
                rest = min(wait, _LONGEST_REST) if wait is not None and wait > protocol.MOST else 0.0
                breaker.failed(reason, rest)
                asks = f"; it asks for a pause of {rest:.0f} s" if rest else ""
                raise Unavailable(f"{self.server.name} failed: {reason}{asks}")
            self._timing.wait(wait)

    def _failure(self, result: HttpReply | TransportFault, attempt: int) -> tuple[str, float | None]:
        """What went wrong, and the seconds after which to try again, if at all."""
        pause = protocol.backoff(attempt, self._timing.chance())
        if isinstance(result, TransportFault):
            return result.reason, pause if result.again else None
        verdict = judge(result.status, result.body)
        if verdict in ("count", "length", "input"):
            self._refuse(result)
        reason = self._complaint(result)
        if verdict != "again":
            return reason, None
        asked = protocol.read_delay(result.headers, result.body)
        return reason, pause if asked is None else asked + pause / 10

    def _refuse(self, reply: HttpReply) -> NoReturn:
        verdict = judge(reply.status, reply.body)
        reason = f"{self.server.name} refused: {self._complaint(reply)}"
        if verdict in ("count", "length", "input"):
            raise RefusedInput(reason, verdict)
        raise Unavailable(reason)

    def _complaint(self, reply: HttpReply) -> str:
        message = self.server.hide(words(reply.body))
        text = f"HTTP {reply.status}" + (f", {message}" if message else "")
        verdict = judge(reply.status, reply.body)
        if verdict == "key":
            return f"{text}; {self._key_advice()}"
        if verdict == "quota":
            return f"{text}; the account has no credit left; see its billing page"
        if verdict == "place":
            setting = self.server.setting
            return f"{text}; check {setting}.url, {setting}.dialect and {setting}.model"
        return text

    def _key_advice(self) -> str:
        variable = self.server.key.variable
        if variable:
            return f"put a valid key into {variable}"
        return f"name the variable that holds the key in {self.server.setting}.api_key_env"

    def _json(self, reply: HttpReply) -> Any:
        problem = "something that is not JSON"
        try:
            return json.loads(reply.body)
        except UnicodeDecodeError:
            problem = "bytes that are not UTF-8"
        except RecursionError:
            problem = "JSON nested too deeply"
        except ValueError:
            pass
        raise BadReply(f"it answered {problem}; check {self.server.setting}.url")


_VERSION = 1


@dataclass(frozen=True, slots=True)
class RecordedBatch:
    """``name`` marks the batch at the provider. The job is written with its ``file`` before the batch is asked for, so
    that a crash in between is found out; then with the ``batch``. Both are the provider's ids."""

    name: str
    fingerprint: str
    texts: int
    file: str
    batch: str | None = None


class Ledger:
    """One job at a time, in ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> RecordedBatch | None:
        """Raises ``Unavailable`` for a file that can't be understood: starting anew might pay twice."""
        try:
            data = json.loads(self.path.read_bytes())
            if data.pop("version") != _VERSION:
                raise ValueError
            return RecordedBatch(**data)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or "it can't be read"
        except (ValueError, TypeError, KeyError, AttributeError):
            reason = "it is damaged or of another version"
        raise Unavailable(
            f"{self.path} names a running batch, but {reason}; delete it to start (and pay for) a new one"
        )

    def write(self, job: RecordedBatch) -> None:
        data = {"version": _VERSION, **asdict(job)}
        write_atomically(self.path, json.dumps(data, indent=1).encode())

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
