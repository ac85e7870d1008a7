"""Starting the daemon behind a hook, and asking an older one to end. Standard library only."""

from __future__ import annotations

import fcntl
import os
import sys
import time

from hearth.daemon.stub import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hearth.daemon.address import Address

# A daemon that can't start must not be tried at every prompt.
PAUSE = 10.0
# For the daemon: nobody has read the settings yet, so it must look whether it is wanted.
IF_AUTO = "--if-auto"
# For the same program: bring the indexes up to date, and end.
SCAN = "--scan"
# Variables of this call alone, which the daemon must not keep.
_OURS = frozenset({"HEARTH_VAULT", "HEARTH_DISABLE", "HEARTH_DEBUG"})
_MOST_DESCRIPTORS = 65_536
# One malloc arena for all threads: with one each, glibc keeps a quarter more memory. Other systems ignore it.
ALLOCATOR = {"MALLOC_ARENA_MAX": "1"}


class Pending:
    """A daemon that is started once this process has ended, however it ends: what a hook that finds none does first,
    since its own answer may come late or never."""

    def __init__(self, at: Address, environ: Mapping[str, str]) -> None:
        reading, self._ours = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                if os.fork() == 0:
                    os.close(self._ours)
                    _wait(reading, at, environ)
            finally:
                os._exit(0)
        os.close(reading)
        os.waitpid(child, 0)

    def call_off(self) -> None:
        """The settings want no daemon: the folders are scanned instead, which nothing else does then."""
        os.write(self._ours, b"x")


def _wait(reading: int, at: Address, environ: Mapping[str, str]) -> None:
    """In a process of its own, which lets go of the host's streams: a host reads them to their end."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    if os.read(reading, 1):
        os.read(reading, 1)  # not before the hook is done
        _become([SCAN], environ, at.folders.state)
    else:
        start(at, environ, asked=False)


def start(at: Address, environ: Mapping[str, str], *, pause: float = PAUSE, asked: bool = True) -> bool:
    """Starts a daemon, detached; it holds ``start.lock`` until it listens. ``False`` where another is starting, was
    started within ``pause`` seconds, or none can be. Where nobody ``asked`` for it, it only scans unless
    ``daemon.mode`` is ``auto``."""
    if not sys.executable or not at.private():
        return False
    lock = _above(os.open(at.file("start.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        status = os.fstat(lock)
        if status.st_size and 0 <= time.time() - status.st_mtime < pause:
            return False
        os.pwrite(lock, b"started\n", 0)
        os.utime(lock)
        ours = {key: value for key, value in environ.items() if key not in _OURS}
        _spawn(lock, [] if asked else [IF_AUTO], ours, at.folders.state)
    finally:
        os.close(lock)
    return True


def _spawn(lock: int, options: list[str], environ: Mapping[str, str], state: str) -> None:
    """Two forks and a session of its own: nobody's child, without a terminal."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _become(["--lock", str(lock), *options], environ, state, lock)
    finally:
        os._exit(0)


def _become(arguments: list[str], environ: Mapping[str, str], state: str, lock: int | None = None) -> None:
    """Keeps the standard streams and ``lock`` alone."""
    os.chdir("/")
    null = _above(os.open(os.devnull, os.O_RDWR))
    os.dup2(null, 0)
    log = _log(state, null)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if lock is not None:
        os.closerange(3, lock)
        os.set_inheritable(lock, True)
    os.closerange(3 if lock is None else lock + 1, _MOST_DESCRIPTORS)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120 (pathlib is slow to load)
    os.execve(sys.executable, [sys.executable, "-I", f"{root}/cli/resident.py", *arguments], {**ALLOCATOR, **environ})


def _above(handle: int) -> int:
    """The same file outside the standard streams, which may be closed and are replaced."""
    try:
        return fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(handle)


def _log(state: str, null: int) -> int:
    """Only what the daemon does not write to its log itself: an interpreter that dies."""
    try:
        os.makedirs(state, 0o700, exist_ok=True)  # noqa: PTH103
        return _above(os.open(f"{state}/daemon.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    except OSError:
        return null


def newer(ours: str, theirs: str) -> bool:
    """Whether a version is later than another; one that is no row of numbers counts as the earliest."""
    return _numbers(ours) > _numbers(theirs)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


_SECONDS = 0.2
_TRIES = 3


def hand_over(at: Address, refusal: str) -> bool:
    """Whether the daemon behind the refusal (its reply line) was asked to end; the next to call starts a new one."""
    import json

    try:
        reply = json.loads(refusal)
        theirs = reply["version"] if reply.get("refused") == "version" else None
    except (ValueError, KeyError, AttributeError):
        return False
    if not isinstance(theirs, str) or not newer(call.build(), theirs):
        return False
    request = call.encoded({"op": "stop", "version": call.build(), "hash": at.agreement})
    for _ in range(_TRIES):
        try:
            call.ask(at.socket, at.uid, request, time.monotonic() + _SECONDS)
        except call.Absent:
            return True
        except (call.Silent, call.Busy):
            continue
        return True
    return False
