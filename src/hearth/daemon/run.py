"""The daemon itself: takes its lock and its socket, serves, and tidies up."""

from __future__ import annotations

import os
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from hearth.config import Daemon
from hearth.daemon.address import Address, address
from hearth.daemon.requests import Requests
from hearth.daemon.server import Server
from hearth.daemon.warm import Warm
from hearth.errors import HearthError, Unavailable
from hearth.files import holder, locked
from hearth.guard.secrets.redaction import redact
from hearth.log import Log
from hearth.pool.background import Background

LOG = "daemon.log"
# Seconds for a former daemon to end that was asked to.
_LOCK_WAIT = 5.0
_BACKLOG = 128
# Seconds for what follows the last replies.
_GOODBYE_SECONDS = 2.0


Ready = Callable[[Callable[[], None]], None]


def run(environ: Mapping[str, str], *, lock: int | None = None, stay: bool = False, ready: Ready | None = None) -> None:
    """Serves until it is stopped or idle for long; ``lock`` is ``start.lock`` as inherited from who started it, and
    ``stay`` keeps it however idle. In a thread of another server ``ready`` is called with what stops it, once it
    listens, and signals stay that server's. Raises ``Unavailable`` where another serves these folders, and what
    settings can."""
    at = address(environ)
    log = daemon_log(at)
    try:
        if not at.private():
            raise Unavailable(f"the folder {at.folder} is not yours alone; remove it or set XDG_RUNTIME_DIR")
        with locked(Path(at.file("lock")), wait=_LOCK_WAIT if lock is not None else 0):
            _serve(environ, at, log, Way(lock, stay, ready))
    except (HearthError, OSError) as error:
        log.failure("the daemon can't run", error)
        raise


def daemon_log(at: Address) -> Log:
    return Log(Path(at.folders.state, LOG), lambda text: redact(text).text)


def running(at: Address) -> str | None:
    """The process that holds the daemon's lock, whether or not it answers."""
    path = Path(at.file("lock"))
    if not path.exists():
        return None
    try:
        with locked(path, shared=True, wait=0):
            return None
    except Unavailable:
        return holder(path) or "another process"


def lifetime(chosen: Daemon, *, stay: bool) -> float | None:
    """Idle seconds after which it ends; ``None`` for never: what something else starts, something else ends."""
    return None if stay or chosen.mode == "external" else chosen.idle_minutes * 60.0


@dataclass(frozen=True, slots=True)
class Way:
    """How it was started, as in ``run``."""

    lock: int | None
    stay: bool
    ready: Ready | None


def _serve(environ: Mapping[str, str], at: Address, log: Log, way: Way) -> None:
    warm = Warm(environ, log)
    with _listening(at) as (listener, still_ours):
        if way.lock is not None:
            os.close(way.lock)
        requests = Requests(warm, at.agreement, lambda: server.stop())
        background = Background(log)
        server = Server(listener, requests, background, log, lambda: _over(warm, requests, still_ours, way.stay))
        requests.counts = lambda: asdict(server.counts)
        if way.ready is not None:
            way.ready(server.stop)
        else:
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: server.stop())
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        log.write(f"listening on {at.socket}")
        with suppress(HearthError, OSError):
            warm.open(warm.settings.vault.name, time.monotonic() + _LOCK_WAIT)
        if way.stay:
            warm.want_all()
        try:
            server.serve()
        finally:
            background.close(_GOODBYE_SECONDS)
            warm.close()
            log.write("ended")


def _over(warm: Warm, requests: Requests, still_ours: Callable[[], bool], stay: bool) -> bool:
    """Whether it is time to end: idle for long, or nobody can find the socket any more."""
    warm.tick()
    limit = lifetime(warm.settings.loaded.config.daemon, stay=stay)
    idle = limit is not None and time.monotonic() - requests.used > limit and not warm.working
    return idle or not still_ours()


@contextmanager
def _listening(at: Address) -> Iterator[tuple[socket.socket, Callable[[], bool]]]:
    """The socket, bound for this user alone, and whether its file is still the one that was made."""
    path = Path(at.socket)
    _remove_stale(path, at.uid)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    former = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(former)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    mine = _identity(path)
    try:
        yield listener, lambda: _identity(path) == mine
    finally:
        listener.close()
        if _identity(path) == mine:
            path.unlink(missing_ok=True)


def _remove_stale(path: Path, uid: int) -> None:
    """Nobody listens there: whoever did held the lock that is ours now."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != uid:
        raise Unavailable(f"{path} is in the way and not ours; remove it")
    path.unlink()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def main(arguments: Sequence[str]) -> int:
    """``--lock FD`` from ``start``; what goes wrong is in the log."""
    lock = int(arguments[1]) if len(arguments) == 2 and arguments[0] == "--lock" else None
    # Before numpy loads: its products here are small, and starting and waking threads costs more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        run(os.environ, lock=lock)
    except (HearthError, OSError):
        return 1
    return 0
