"""One request to a model server: address, connection, and the secret that opens it."""

from __future__ import annotations

import ipaddress
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import SplitResult, urljoin, urlsplit

from hearth.core.errors import ConfigError, Unavailable
from hearth.core.files import open_private
from hearth.core.lazy import dataclass, regex
from hearth.models.http.protocol import CallTimeout, Timing

if TYPE_CHECKING:
    import httpx

_SENDABLE = regex(r"[\x21-\x7e]+")
_NAME = regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = regex(r"[\x20-\x7e]*")
# What these say is decided by the body that is sent.
_OURS = frozenset({"content-length", "content-encoding", "transfer-encoding", "accept-encoding", "connection", "host"})
_SHORTEST_SECRET = 6
_HIDDEN = "[hidden]"


class Key:
    """A key and the variable it came from; only the variable is ever shown."""

    __slots__ = ("__value", "variable")

    def __init__(self, value: str | None, variable: str | None) -> None:
        self.__value = (value or "").strip()
        self.variable = variable

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The key for a header, empty where none is set. Raises ``Unavailable`` that names the variable."""
        if self.variable and not self.__value:
            raise Unavailable(f"{self.variable} is not set; put the key of the model server into that variable")
        if self.__value and not _SENDABLE.fullmatch(self.__value):
            raise Unavailable(f"{self.variable or 'the key'} contains characters that no key has; set it again")
        return self.__value

    def hide(self, text: str) -> str:
        return _hide(text, self.__value)


class Headers(Mapping[str, str]):
    """Headers of the settings, whose values may be secrets too: shown are their names."""

    def __init__(self, given: Mapping[str, str], setting: str) -> None:
        """Raises ``ConfigError`` for a header that can't be sent or isn't the user's to set."""
        for name, value in given.items():
            if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
                raise ConfigError(f"{setting}[{name!r}] can't be sent as a header; use printable ASCII")
            if name.lower() in _OURS:
                raise ConfigError(f"{setting}[{name!r}] is set by Hearth itself; remove it")
        self.__given = {name.lower(): value for name, value in given.items()}

    def __repr__(self) -> str:
        return f"Headers({', '.join(self.__given)})"

    def __getitem__(self, name: str) -> str:
        return self.__given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__given)

    def __len__(self) -> int:
        return len(self.__given)

    def hide(self, text: str) -> str:
        for value in self.__given.values():
            for part in {value, value.rpartition(" ")[2]}:
                text = _hide(text, part)
        return text


def _hide(text: str, secret: str) -> str:
    return text.replace(secret, _HIDDEN) if len(secret) >= _SHORTEST_SECRET else text


MAX_REPLY = 32 * 2**20
"""Bytes, unpacked: 50 vectors of 8,192 numbers are about 9 MB of JSON."""

MAX_DOWNLOAD = 2**30
DOWNLOAD_SECONDS = 3600.0
MAX_COMPLAINT = 64 * 1024
_MAX_REDIRECTS = 3


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """``body`` is sent as it is; it may hold the user's text, so it is not shown."""

    url: str
    body: bytes | None = field(default=None, repr=False)
    content_type: str = "application/json"

    @staticmethod
    def of(url: str, payload: Mapping[str, Any]) -> HttpRequest:
        return HttpRequest(url, json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class HttpReply:
    """``headers`` have lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TransportFault:
    """No whole reply: why, and whether the same request may well pass next time."""

    reason: str
    again: bool
    nonsense: bool = False


@dataclass(frozen=True)
class RemoteServer:
    """Whom requests go to. ``setting`` is the section of the configuration; ``key_header`` is where the key goes,
    behind ``Bearer`` where that is ``authorization``."""

    setting: str
    shown: str
    key: Key
    headers: Headers
    key_header: str = "authorization"
    loopback: bool = False

    @property
    def name(self) -> str:
        return f"the {self.setting} server at {self.shown}"

    def hide(self, text: str) -> str:
        return self.headers.hide(self.key.hide(text))


class Transport:
    """Connections to one server, kept open between requests. Thread-safe; opens on first use."""

    def __init__(self, server: RemoteServer, timing: Timing) -> None:
        self._server = server
        self._timing = timing
        self._lock = threading.Lock()
        self._clients: dict[bool, httpx.Client] = {}  # by whether it may encrypt

    def exchange(self, request: HttpRequest, patience: CallTimeout, until: float) -> HttpReply | TransportFault:
        """``until`` is when the call has to be over, on the clock of ``timing``."""
        chunks: list[bytes] = []
        return self._follow(request, patience, until, chunks.append, lambda: b"".join(chunks), MAX_REPLY)

    def download(self, request: HttpRequest, patience: CallTimeout, path: Path) -> HttpReply | TransportFault:
        """Writes the body of a reply to ``path``; a complaint of the server comes back as the reply's body."""
        with open(path, "wb", opener=open_private) as file:
            until = self._timing.now() + DOWNLOAD_SECONDS
            return self._follow(request, patience, until, file.write, lambda: b"", MAX_DOWNLOAD)

    def close(self) -> None:
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def _follow(
        self,
        request: HttpRequest,
        patience: CallTimeout,
        until: float,
        keep: Callable[[bytes], object],
        kept: Callable[[], bytes],
        limit: int,
    ) -> HttpReply | TransportFault:
        url = request.url
        for _ in range(_MAX_REDIRECTS):
            sink = _Sink(keep, kept, limit, until, self._timing)
            result = self._once(HttpRequest(url, request.body, request.content_type), patience, until, sink)
            if not isinstance(result, HttpReply) or not 300 <= result.status < 400:
                return result
            target = self._next(url, result)
            if isinstance(target, TransportFault):
                return target
            url = target
        return TransportFault("it redirects in circles", again=False)

    def _next(self, url: str, reply: HttpReply) -> str | TransportFault:
        """Where a redirect leads, if it keeps method and host: the key goes nowhere else."""
        try:
            target = urljoin(url, reply.headers.get("location", ""))
            old, new = urlsplit(url), urlsplit(target)
        except ValueError:
            return TransportFault("it redirects to an address that is not valid", again=False)
        if reply.status in (307, 308) and (old.scheme, old.netloc) == (new.scheme, new.netloc) and target != url:
            return target
        shown = self._server.hide(f"{new.scheme}://{new.netloc.rpartition('@')[2]}{new.path}")
        setting = self._server.setting
        return TransportFault(
            f"it redirects to {shown}, which is not followed; set {setting}.url to that address", again=False
        )

    def _once(
        self, request: HttpRequest, patience: CallTimeout, until: float, sink: _Sink
    ) -> HttpReply | TransportFault:
        import httpx

        left = until - self._timing.now()
        if left <= 0:
            return TransportFault("no time left", again=False)
        read = min(patience.read, left)
        timeout = httpx.Timeout(read, connect=min(patience.connect, left))
        headers = self._headers()
        method = "GET" if request.body is None else "POST"
        if request.body is not None:
            headers = {"content-type": request.content_type} | headers
        try:
            client = self._open(request.url)
        except (ImportError, OSError, ValueError):
            return TransportFault("the proxy or certificates that the environment names can't be used", again=False)
        # The errors of httpx hold the request, key included: they end here, and what goes on is text.
        try:
            with client.stream(method, request.url, content=request.body, headers=headers, timeout=timeout) as response:
                fault = sink.read(response)
                if fault is not None:
                    return fault
                return HttpReply(response.status_code, dict(response.headers), sink.body(response.status_code))
        except httpx.ConnectTimeout:
            return TransportFault(f"no connection within {patience.connect:g} s", again=True)
        except httpx.TimeoutException:
            return TransportFault(f"no answer within {round(read, 1):g} s", again=True)
        except httpx.ConnectError as error:
            reason = self._server.hide(str(error)) or "no connection"
            return TransportFault(f"it can't be reached ({reason}); is it running?", again=False)
        except httpx.DecodingError:
            return TransportFault("its reply can't be unpacked", again=False, nonsense=True)
        except httpx.TransportError as error:
            return TransportFault(f"the connection broke ({type(error).__name__})", again=True)
        except (httpx.InvalidURL, UnicodeError):
            return TransportFault("its address is not valid", again=False)

    def _headers(self) -> dict[str, str]:
        server = self._server
        headers = {"accept": "application/json", "accept-encoding": "gzip, deflate", "user-agent": "hearth"}
        key = server.key.reveal()
        if key:
            headers[server.key_header] = f"Bearer {key}" if server.key_header == "authorization" else key
        return headers | dict(server.headers)

    def _open(self, url: str) -> httpx.Client:
        import httpx

        # Reading the certificates of all authorities takes longer than most answers.
        encrypted = not url.lower().startswith("http:")
        with self._lock:
            if encrypted not in self._clients:
                # A proxy of the environment can't reach this machine's own servers.
                environment = not self._server.loopback
                self._clients[encrypted] = httpx.Client(verify=encrypted, follow_redirects=False, trust_env=environment)
            return self._clients[encrypted]


class _Sink:
    """Takes a body up to its limit and deadline; of a complaint, as much as is worth reading."""

    def __init__(
        self, keep: Callable[[bytes], object], kept: Callable[[], bytes], limit: int, until: float, timing: Timing
    ) -> None:
        self._keep, self._kept = keep, kept
        self._limit, self._until, self._timing = limit, until, timing
        self._complaint = b""

    def read(self, response: httpx.Response) -> TransportFault | None:
        good = response.status_code < 300
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if not good:
                self._complaint += chunk
                if size >= MAX_COMPLAINT:
                    return None
            elif size > self._limit:
                return TransportFault(
                    f"its reply is larger than {self._limit // 2**20} MiB", again=False, nonsense=True
                )
            else:
                self._keep(chunk)
            if self._timing.now() > self._until:
                return TransportFault("its reply did not end in time", again=False)
        return None

    def body(self, status: int) -> bytes:
        return self._kept() if status < 300 else self._complaint


_VERSION = regex(r"/v[0-9]+(?:(?:alpha|beta)[0-9]*)?(?=/|$)")
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """``url`` is called, ``root`` is what it shares with its neighbours (files and batches of the same service),
    ``query`` goes with each. ``shown`` is host and path: what messages and fingerprints hold."""

    root: str
    url: str
    query: str
    shown: str
    loopback: bool

    def beside(self, route: str) -> str:
        """Another route of the same service."""
        return f"{self.root}/{route}" + (f"?{self.query}" if self.query else "")


def resolve(base: str, version: str, route: str) -> ModelAddress:
    """The address of ``route`` below ``base``, however much of it the base holds already.

    A base that names a version anywhere (``/api/v1``, ``/v1/openai``) or the whole route is taken as it is; any other
    gets ``version`` first. An empty ``version`` means a route beside the versions, so one at the base's end goes.
    Raises ``ConfigError``.
    """
    parts = _split(base)
    path = parts.path.rstrip("/")
    if path.endswith(f"/{route}"):
        path = path.removesuffix(f"/{route}")
    elif not version:
        path = re.sub(_VERSION.pattern + "$", "", path)
    elif not _VERSION.search(path) and not path.endswith(f"/{version}"):
        path = f"{path}/{version}"
    host = parts.netloc.lower().removesuffix(_PORTS[parts.scheme])
    root = f"{parts.scheme}://{host}{path}"
    query = f"?{parts.query}" if parts.query else ""
    loopback = _loopback(parts.hostname or "")
    return ModelAddress(root, f"{root}/{route}{query}", parts.query, f"{host}{path}/{route}", loopback)


def host(base: str) -> str:
    return (_split(base).hostname or "").lower()


def port(base: str) -> int | None:
    return _split(base).port


def path(base: str) -> str:
    return _split(base).path.rstrip("/")


def _split(base: str) -> SplitResult:
    try:
        parts = urlsplit(base)
        valid = parts.scheme in _PORTS and parts.hostname and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ConfigError("the address of a model server must be http:// or https:// and a host, without credentials")
    return parts


def _loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
