"""The daemon itself: takes its lock and its socket, serves, and tidies up."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from hearth.app import AGENT
from hearth.app.pool import VaultPool, log_of
from hearth.config import Daemon
from hearth.core.errors import HearthError, Unavailable
from hearth.core.files import Log, holder, locked
from hearth.core.lazy import dataclass
from hearth.daemon.address import Address, address
from hearth.daemon.followers import Followers
from hearth.daemon.intake import EventIntake
from hearth.daemon.requests import Commands, Requests
from hearth.daemon.server import Server

# Seconds for a former daemon to end that was asked to.
_SWITCH_SECONDS = 0.0005
_LOCK_WAIT = 5.0
_BACKLOG = 128
# Seconds for what follows the last replies.
_GOODBYE_SECONDS = 2.0


# Of glibc's ``mallopt``, in bytes. Left to itself it raises both at the first large block that is freed, up to 32 and
# 64 MB, and keeps in pieces what a job used once; what a question needs stays below.
_MALLOC = {-3: 4 * 2**20, -1: 8 * 2**20}  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
_QUIET_SECONDS = 5.0


def watch_memory() -> Callable[[bool], None]:
    """Gives free memory back to the system once what used it is over. The result is called again and again with whether
    anything is being done; it does nothing where the C library can't."""
    try:
        library = ctypes.CDLL(None)
        trim = library.malloc_trim
        for parameter, size in _MALLOC.items():
            library.mallopt(parameter, size)
    except (OSError, TypeError, AttributeError):
        return lambda busy: None
    used = True

    def tick(busy: bool) -> None:
        nonlocal used
        if used and not busy:
            trim(0)
        used = busy

    return tick


Ready = Callable[[Callable[[], None]], None]


@dataclass(frozen=True, slots=True)
class Start:
    """How it is started. ``lock`` is ``start.lock`` as inherited from who started it, ``stay`` keeps it however idle.
    In a thread of another server ``ready`` is called with what stops it, once it listens, signals stay that server's,
    and ``pool`` is that server's. ``commands`` makes what runs the commands of the command line for callers."""

    lock: int | None = None
    stay: bool = False
    ready: Ready | None = None
    pool: VaultPool | None = None
    commands: Callable[[VaultPool], Commands] | None = None


def run(environ: Mapping[str, str], start: Start) -> None:
    """Serves until it is stopped or idle for long. Raises ``Unavailable`` where another serves these folders, and what
    settings can."""
    at = address(environ)
    log = daemon_log(at)
    # A prompt looks into the index a hundred times, and after each look waits for whatever job computes meanwhile.
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        if not at.private():
            raise Unavailable(f"other users can access the folder {at.folder}; remove it or set XDG_RUNTIME_DIR")
        with (
            locked(Path(at.file("lock")), wait=_LOCK_WAIT if start.lock is not None else 0),
            _pool(environ, start) as pool,
        ):
            _serve(at, pool, log, start)
    except (HearthError, OSError) as error:
        log.failure("the daemon can't run", error)
        raise


@contextmanager
def _pool(environ: Mapping[str, str], start: Start) -> Iterator[VaultPool]:
    """The pool of the server that this runs in, else one of its own."""
    if start.pool is not None:
        yield start.pool
        return
    # Whoever started it may be one agent; it serves all.
    pool = VaultPool(environ={name: value for name, value in environ.items() if name != AGENT})
    try:
        yield pool
    finally:
        pool.close(_GOODBYE_SECONDS)


def daemon_log(at: Address) -> Log:
    return log_of(at.folders.state)


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


def _serve(at: Address, pool: VaultPool, log: Log, start: Start) -> None:
    followers = Followers(pool)
    with _listening(at) as (listener, still_ours):
        if start.lock is not None:
            os.close(start.lock)
        requests = Requests(followers, at.agreement, lambda: server.stop())
        left = EventIntake(requests.vaults, at, followers.wake)

        give_back = watch_memory()

        def over() -> bool:
            left.tick()
            give_back(followers.working or time.monotonic() - requests.used < _QUIET_SECONDS)
            return _over(followers, requests, still_ours, stay=start.stay)

        server = Server(listener, requests, pool.background, log, over)
        requests.commands = start.commands(pool) if start.commands is not None else None
        requests.counts = lambda: asdict(server.counts)
        if start.ready is not None:
            start.ready(server.stop)
        else:
            for name in (signal.SIGTERM, signal.SIGINT):
                signal.signal(name, lambda *_: server.stop())
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        log.write(f"listening on {at.socket}")
        followers.start()
        with suppress(HearthError, OSError), pool.use(deadline=time.monotonic() + _LOCK_WAIT):
            pass
        if start.stay:
            followers.want_all()
        try:
            server.serve()
        finally:
            followers.close()
            log.write("ended")


def _over(followers: Followers, requests: Requests, still_ours: Callable[[], bool], *, stay: bool) -> bool:
    """Whether it is time to end: idle for long, or nobody can find the socket any more."""
    followers.tick()
    limit = lifetime(followers.pool.former_settings.loaded.config.daemon, stay=stay)
    idle = limit is not None and time.monotonic() - requests.used > limit and not followers.working
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
        raise Unavailable(f"{path} already exists and is not a socket of Hearth; remove it")
    path.unlink()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)
