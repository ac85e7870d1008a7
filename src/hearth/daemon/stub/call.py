"""One request to the daemon and its reply, within a deadline. Part of the hook's stub: standard library only.

``socket`` and ``json`` cost the stub 13 and 7 ms to load, the C modules behind them nothing.
"""

from __future__ import annotations

import _socket
import os
import select
import sys
from time import monotonic

from hearth import __version__
from hearth.daemon.address import peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Value = str | int | list[str] | Mapping[str, str]
    encode_basestring: Callable[[str], str]
    scanstring: Callable[[str, int, bool], tuple[str, int]]
    make_scanner: Callable[[object], Callable[[str, int], tuple[Any, int]]] | None
else:
    try:
        from _json import encode_basestring, make_scanner, scanstring
    except ImportError:
        from json.decoder import scanstring
        from json.encoder import encode_basestring

        make_scanner = None

MAX_REQUEST = 1024 * 1024
MAX_REPLY = 4 * 1024 * 1024
# A daemon that works accepts at once; one that has not after this long is stopped or overrun.
PATIENCE = 0.06
_OUTPUT = '{"output": "'
_RETRY_MS = 5


def build() -> str:
    """Which installation this is: the version, and when its files were written (ms), so that a newer one of the same
    version is told apart. Compared as versions are."""
    stub = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "stub.py")  # noqa: PTH118, PTH120 (no pathlib here)
    try:
        written = os.stat(stub).st_mtime_ns // 1_000_000  # noqa: PTH116
    except OSError:
        written = 0
    return f"{__version__}.{written}"


class Absent(Exception):
    """Nobody listens."""


class Silent(Exception):
    """Somebody listens, but nothing came in time, or it is somebody else's process."""


class Busy(Exception):
    """The daemon is there and has no time."""


class CallerRefused(Exception):
    """The daemon does not serve such callers; its reply is the argument, as JSON."""


def hook_output(path: str, uid: int, request: bytes, deadline: float) -> str:
    """What the hook is to print. Raises the exceptions above."""
    line = ask(path, uid, request, deadline)
    if line.startswith(_OUTPUT) and line.endswith("}"):
        text, end = _scan(line, len(_OUTPUT))
        if line[end:] == "}":
            return text
    if line.startswith('{"busy"'):
        raise Busy
    raise CallerRefused(line)


def ask(path: str, uid: int, request: bytes, deadline: float) -> str:
    """The reply line. ``request`` ends with a newline. Raises ``Absent``, ``Silent`` or, when time is up, ``Busy``."""
    connection = _connect(path, min(deadline, monotonic() + PATIENCE))
    try:
        _check_peer(connection, uid)
        first = _receive(connection, 65536, min(deadline, monotonic() + PATIENCE))
        if not first:
            raise Silent
        _send(connection, request, deadline)
        return _line(connection, first[1:], deadline)
    except OSError:
        raise Silent from None
    finally:
        connection.close()


def _connect(path: str, until: float) -> _socket.socket:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.setblocking(False)
    while True:
        try:
            connection.connect(path)
        except BlockingIOError:  # its queue of connections is full
            if monotonic() >= until:
                connection.close()
                raise Silent from None
            select.poll().poll(_RETRY_MS)
        except OSError as error:
            connection.close()
            gone = isinstance(error, FileNotFoundError | ConnectionRefusedError | NotADirectoryError)
            raise (Absent if gone else Silent) from None
        else:
            return connection


def _check_peer(connection: _socket.socket, uid: int) -> None:
    """A socket of another user's process would be told what the user types."""
    if credentials(connection) != uid:
        raise Silent


def credentials(connection: _socket.socket) -> int:
    """The user at the other end."""
    if sys.platform == "linux":
        return peer(connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
    return peer(connection.getsockopt(0, 1, 76))


def _ready(connection: _socket.socket, event: int, until: float) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), event)
    while True:
        left = until - monotonic()
        if poll.poll(max(0, left * 1000)):
            return True
        if left <= 0:
            return False


def _receive(connection: _socket.socket, size: int, until: float) -> bytes:
    """What has come; empty where nothing did in time or the other end closed."""
    return connection.recv(size) if _ready(connection, select.POLLIN, until) else b""


def _send(connection: _socket.socket, data: bytes, deadline: float) -> None:
    rest = memoryview(data)
    while rest:
        if not _ready(connection, select.POLLOUT, deadline):
            raise Busy
        try:
            rest = rest[connection.send(rest) :]
        except BlockingIOError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            return  # it answered before reading: that it is busy


def _line(connection: _socket.socket, start: bytes, deadline: float) -> str:
    parts = [start]
    size = len(start)
    while not parts[-1].endswith(b"\n"):
        more = _receive(connection, 65536, deadline)
        size += len(more)
        if not more or size > MAX_REPLY:
            raise Busy
        parts.append(more)
    return b"".join(parts)[:-1].decode("utf-8", "replace")


# -- JSON ------------------------------------------------------------------------------------------------------------


def encoded(fields: Mapping[str, Value]) -> bytes:
    """A request line."""
    return (_object(fields) + "\n").encode("utf-8", "replace")


def _object(fields: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{_quote(key)}: {_value(value)}" for key, value in fields.items()) + "}"


def _value(value: Value) -> str:
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, int):
        return str(value)
    return f"[{', '.join(map(_quote, value))}]" if isinstance(value, list) else _object(value)


def _quote(text: str) -> str:
    return str(encode_basestring(text))


def _scan(line: str, start: int) -> tuple[str, int]:
    text, end = scanstring(line, start, True)
    return str(text), int(end)


def parse(line: str) -> Any:
    """The JSON of a whole reply, without the json module, which takes 9 ms to load. Raises ``ValueError``."""
    if make_scanner is None:
        from json import loads

        return loads(line)
    # An object with nothing but attributes, as types.SimpleNamespace would make it.
    bare: Any = type(sys.implementation)
    rules = bare(strict=True, object_hook=None, object_pairs_hook=None)
    rules.parse_float, rules.parse_int, rules.parse_constant = float, int, float
    try:
        found, end = make_scanner(rules)(line, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if line[end:].strip():
        raise ValueError("more than one JSON value")
    return found


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that hosts and settings use; none that holds a key."""
    kept: dict[str, str] = {}
    for name in environ:
        if name.startswith(_PREFIXES) and not name.endswith(_SECRET):
            value = environ[name]
            if len(value) <= _LONGEST and len(kept) < _MOST:
                kept[name] = value.encode("utf-8", "replace").decode("utf-8")
    return kept


_PREFIXES = ("HEARTH_", "CLAUDE", "CODEX_", "CURSOR_", "GEMINI_", "PLUGIN_", "OPENCLAW_")
_SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD")
_LONGEST = 4096
_MOST = 64


def folder() -> str:
    """The present folder, empty where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 (pathlib is slow to load)
    except OSError:
        return ""
