"""Requests to any server, and checks of its replies. When a server is asked again, how fast, for how long, and when
not at all for a while."""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hearth.core.errors import BadReply, Unavailable
from hearth.core.lazy import dataclass, regex
from hearth.text.lines import cut_line

Role = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """What a request for vectors is made from; ``texts`` are as the model reads them."""

    texts: Sequence[str]
    role: Role
    model: str | None
    dimensions: int | None

    def drop_empty(self, **named: Any) -> dict[str, Any]:
        """The fields that have a value."""
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class VectorRows:
    """``vectors`` are as the server wrote them, in the order of the texts; ``model`` is who says it made them."""

    vectors: list[Any]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """``route`` may hold ``{model}``. ``templates``: the model sees what it is sent, so prompts go in front.
    ``longest`` gives the tokens that a model reads where the server would cut silently."""

    name: str
    route: str
    body: Callable[[EmbeddingRequest], dict[str, Any]]
    read: Callable[[Any, int], VectorRows]
    version: str = "v1"
    base: str | None = None
    model: str | None = None
    needs_model: bool = True
    batch: int = 50
    templates: bool = False
    key_header: str = "authorization"
    longest: Callable[[str], int] | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """``body`` takes question, texts and model. ``logits``: scores are raw and become probabilities by the logistic
    function. ``read`` gives one number a text, in the order of the texts."""

    name: str
    route: str
    body: Callable[[str, Sequence[str], str | None], dict[str, Any]]
    read: Callable[[Any, int], list[float]]
    version: str = "v1"
    base: str | None = None
    model: str | None = None
    needs_model: bool = True
    batch: int = 50
    logits: bool = False
    longest: int | None = None


T = TypeVar("T")
Vector = NDArray[np.float32]

_SMALLEST = 1e-30


def part(reply: Any, name: str, kind: type[T]) -> T:
    """Member ``name`` of an object. Raises ``BadReply``."""
    found = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(found, kind):
        raise BadReply(f"the reply has no {name!r}, or one that is not a {kind.__name__}")
    return found


def listed(reply: Any) -> list[Any]:
    """The reply itself where it is a bare list. Raises ``BadReply``."""
    if not isinstance(reply, list):
        raise BadReply("the reply is not a list")
    return reply


def model_of(reply: Any) -> str | None:
    """The model that says it answered."""
    name = reply.get("model") if isinstance(reply, dict) else None
    return name if isinstance(name, str) and name else None


def in_order(items: Sequence[Any], count: int, value: Callable[[Any], Any]) -> list[Any]:
    """The ``value`` of each item, put in the order of ``index`` where the items have one.

    Raises ``BadReply`` unless there are ``count`` items whose indexes are 0 to ``count - 1``, each once."""
    if len(items) != count:
        raise BadReply(f"the reply holds {len(items)} results for {count} texts")
    indexes = [item.get("index") if isinstance(item, dict) else None for item in items]
    if all(index is None for index in indexes):
        return [value(item) for item in items]
    places = {index: item for index, item in zip(indexes, items, strict=True) if type(index) is int}
    if places.keys() != set(range(count)):
        raise BadReply(f"the reply's indexes are not 0 to {count - 1}, each once")
    return [value(places[at]) for at in range(count)]


def number(value: Any, name: str) -> float:
    """Raises ``BadReply`` for what is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise BadReply(f"the reply's {name!r} is {str(value)[:20]!r}, not a finite number")
    return float(value)


def unit(row: Any) -> Vector | str:
    """float32 of unit length from a list of numbers, or what is wrong with it."""
    if not isinstance(row, list) or not row:
        return "no vector"
    kinds = set(map(type, row))
    if list in kinds:
        return "a nested vector; the server must pool its tokens into one"
    try:
        values = np.array(row if kinds <= {int, float} else [np.nan], np.float64)
    except OverflowError:
        values = np.array([np.inf])
    if not np.isfinite(values).all():
        return "a vector with values that are not finite numbers (NaN, null)"
    peak = np.abs(values).max()
    if peak < _SMALLEST:
        return "a vector of zeros"
    # Scaled first, so that neither tiny nor huge numbers leave the range when squared.
    values /= peak
    return np.asarray(values / np.linalg.norm(values), np.float32)


Verdict = Literal["again", "key", "quota", "count", "length", "input", "place"]

_SHOWN = 200
_AGAIN = frozenset({408, 409, 424, 425, 429})
# 500: llama-server answers so where a text exceeds its physical batch.
_ABOUT_INPUT = frozenset({400, 413, 422, 500})
_COUNT = regex(r"batch[ _]size\W+\d+ ?>|too many (?:inputs|texts|documents|items|requests in)|at most \d+ ", re.I)
_LENGTH = regex(
    r"too (?:large|long|big)|too many tokens|context[ _](?:length|window|size)|physical batch size"
    r"|max\w*[ _](?:\w+[ _])?(?:length|tokens)|longer than|must have less than \d+ tokens|token limit",
    re.I,
)
_QUOTA = regex(r"insufficient_quota|billing|credit balance|payment", re.I)


class RefusedInput(BadReply):
    """The server read the request and refused what it holds; ``kind`` says whether for the number of texts, the length
    of one, or for another reason."""

    def __init__(self, message: str, kind: Literal["count", "length", "input"] = "input") -> None:
        super().__init__(message)
        self.kind = kind


def judge(status: int, body: bytes) -> Verdict:
    """``again``: worth repeating; ``key``, ``quota``, ``place``: nothing to be had here until somebody acts;
    the others: about what was sent."""
    if status in (401, 403):
        return "key"
    text = body[:4000].decode("utf-8", "replace")
    if status == 402 or (status == 429 and _QUOTA.search(text)):
        return "quota"
    if status in _ABOUT_INPUT and _COUNT.search(text):
        return "count"
    if status == 413 or (status in _ABOUT_INPUT and _LENGTH.search(text)):
        return "length"
    if status in (400, 422):
        return "input"
    return "again" if status in _AGAIN or (status >= 500 and status != 501) else "place"


def words(body: bytes) -> str:
    """What the server says about it, in one line; empty where it says nothing readable."""
    try:
        message = _message(json.loads(body))
    except (ValueError, RecursionError):
        message = body[:4000].decode("utf-8", "replace")
        message = "" if "<html" in message.lower() else message
    return cut_line(" ".join("".join(sign if sign.isprintable() else " " for sign in message).split()), _SHOWN)


def _message(reply: Any) -> str:
    """The text in the shapes in use: ``{"error": {"message"}}``, ``{"error"}``, ``{"message"}``, ``{"detail"}``."""
    for name in ("error", "message", "detail", "msg"):
        if isinstance(reply, list) and reply:
            reply = reply[0]
        if isinstance(reply, dict) and name in reply:
            reply = reply[name]
    return reply if isinstance(reply, str) else ""


MAX_LINE = 2**20
"""Bytes: a vector of 8,192 numbers is about 200 kB of JSON."""


_NOT_TRIED = frozenset({"batch_expired", "batch_cancelled"})


def mark(rendered: str) -> str:
    """Names a text in a batch by what it holds, so that any later run can tell which answer is whose."""
    return hashlib.sha256(rendered.encode("utf-8", "replace")).hexdigest()[:40]


def line(rendered: str, path: str, payload: dict[str, Any]) -> bytes:
    """One request."""
    request = {"custom_id": mark(rendered), "method": "POST", "url": path, "body": payload}
    return json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def form(purpose: str, data: bytes, boundary: str) -> bytes:
    """The multipart form that uploads ``data`` as a file."""
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n{purpose}\r\n'
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="texts.jsonl"\r\n'
        "content-type: application/jsonl\r\n\r\n"
    )
    return head.encode() + data + f"\r\n--{boundary}--\r\n".encode()


def answers(path: Path) -> Iterator[tuple[str, Any, str | None]]:
    """(mark, reply, problem) of each line of a result file: a reply, or why there is none. A line that can't be read
    or says that the time ran out is passed over: its text was not tried."""
    with path.open("rb") as file:
        while data := file.readline(MAX_LINE):
            try:
                answer = json.loads(data)
                name = answer["custom_id"]
                response = answer.get("response") or {}
                status, body = response.get("status_code"), response.get("body")
                error = answer.get("error") or {}
                code = error.get("code")
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
            if status == 200 and not error:
                yield name, body, None
            elif code not in _NOT_TRIED:
                message = words(json.dumps(error or body or {}).encode())
                yield name, None, message or f"HTTP {status}"


_FIRST = 0.5
_LONGEST = 8.0

MOST = 60.0
"""Seconds that a server may ask for and get; one that asks for more is left alone instead."""


def backoff(attempt: int, chance: float) -> float:
    """Seconds before attempt number ``attempt`` (1 is the first repetition): doubling, half of it by ``chance``."""
    return float(min(_LONGEST, _FIRST * 2.0 ** (attempt - 1)) * (0.5 + chance / 2))


def read_delay(headers: Mapping[str, str], body: bytes) -> float | None:
    """Seconds that the reply asks to wait: ``retry-after-ms``, ``retry-after`` (seconds or a date, which counts from
    the reply's own ``date``), or Gemini's ``retryDelay`` in the body; ``None`` where it asks nothing that makes sense.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is None and after:
        seconds = _until(after, headers.get("date", ""))
    return _delay(body) if seconds is None else seconds


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*[0-9]{1,9}(\.[0-9]{1,9})?\s*", text, re.ASCII) else None


def _until(after: str, date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(after) - parsedate_to_datetime(date)).total_seconds())
    except (TypeError, ValueError):
        return None


def _delay(body: bytes) -> float | None:
    try:
        details = json.loads(body)["error"]["details"]
        delays = [detail["retryDelay"] for detail in details if "retryDelay" in detail]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _number(str(delays[0]).removesuffix("s")) if delays else None


@dataclass(frozen=True, slots=True)
class CallTimeout:
    """Seconds: ``connect`` and ``read`` bound one step on the wire, ``total`` a call with its ``retries``.

    ``paced`` calls wait for the tokens of the minute; the others only count."""

    name: str
    connect: float
    read: float
    total: float
    retries: int
    paced: bool = False


# Somebody waits for an answer, and keyword search stands by.
QUERY = CallTimeout("query", connect=1.0, read=2.0, total=3.0, retries=1)
RERANK = CallTimeout("rerank", connect=1.0, read=10.0, total=10.0, retries=1)
# Nobody waits. A server may load its model first (tens of seconds) or be slow at 50 long texts.
DOCUMENT = CallTimeout("document", connect=5.0, read=60.0, total=300.0, retries=4, paced=True)


@dataclass(frozen=True, slots=True)
class Timing:
    """``now`` in seconds, never going back; ``wait`` lets so many pass; ``chance`` is uniform in [0, 1)."""

    now: Callable[[], float] = field(default=time.monotonic)
    wait: Callable[[float], None] = field(default=time.sleep)
    chance: Callable[[], float] = field(default=random.random)


_WINDOW = 60.0


class Pace:
    """Thread-safe. ``limit`` is tokens a minute, ``None`` for no limit."""

    def __init__(self, limit: int | None, timing: Timing) -> None:
        self.limit = limit
        self._timing = timing
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()

    def take(self, tokens: int, *, patient: bool) -> None:
        """Waits until ``tokens`` fit, then counts them; who isn't ``patient`` only counts.

        More than a whole minute's worth goes alone, when nothing else was sent within the minute."""
        if self.limit is None:
            return
        while True:
            with self._lock:
                delay = self._delay(tokens) if patient else 0.0
                if delay <= 0:
                    self._sent.append((self._timing.now(), tokens))
                    return
            self._timing.wait(delay)

    def _delay(self, tokens: int) -> float:
        now = self._timing.now()
        while self._sent and self._sent[0][0] <= now - _WINDOW:
            self._sent.popleft()
        over = sum(sent for _, sent in self._sent) + tokens - (self.limit or 0)
        delay = 0.0
        for at, sent in self._sent:
            if over <= 0:
                break
            over -= sent
            delay = at + _WINDOW - now
        return delay


LIMIT = 3
"""Failed calls in a row after which the server is left alone."""

FIRST_PAUSE = 30.0
LONGEST_PAUSE = 600.0


class Breaker:
    """Thread-safe. Seconds on the clock ``now``; each pause after a failed trial is twice the one before."""

    def __init__(self, server: str, now: Callable[[], float]) -> None:
        self._server = server
        self._now = now
        self._lock = threading.Lock()
        self._failures = 0
        self._pauses = 0
        self._until: float | None = None
        self._reason = ""

    def check(self) -> None:
        """Raises ``Unavailable`` during a pause; after it, lets one call through to try."""
        with self._lock:
            if self._until is None:
                return
            left = self._until - self._now()
            if left > 0:
                raise Unavailable(
                    f"{self._server} is paused for another {max(1, round(left))} s "
                    f"(failures in a row: {self._failures}); the last one: {self._reason}"
                )
            self._until = self._now() + self._pause()

    def succeeded(self) -> None:
        with self._lock:
            self._failures = self._pauses = 0
            self._until = None

    def failed(self, reason: str, rest: float = 0.0) -> None:
        """``rest`` is how long the server itself asked to be left alone; it is, from the first failure."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            if self._failures >= LIMIT or rest:
                self._until = self._now() + max(self._pause(), rest)
                self._pauses += 1

    def _pause(self) -> float:
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._pauses, 10))
