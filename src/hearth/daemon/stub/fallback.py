"""A hook answered without the daemon: in a child process, so that nothing it does can hold up the host.

Part of the hook's stub, loaded only when no daemon answered.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Mapping

    from hearth.daemon.address import Address

    Call = tuple[str, str, str]
    Tell = Callable[[str], None]
    # Name, host, what the host said, variables, the deadline, and whom to tell ``daemon.mode`` as soon as it is known.
    Work = Callable[[str, str, str, Mapping[str, str], float, Tell], tuple[str, Callable[[], object]]]
else:
    import _signal as signal  # the Python module costs 3 ms

SLOTS = 2
"""So many at a time: a hundred prompts at once must not start a hundred engines."""

# Seconds kept from the work for handing the result over, and given beyond the budget to what it records afterwards.
_MARGIN = 0.03
_AFTERWARDS = 0.1
_END = b"\0"
_CHUNK = 65536


class Child:
    """A child at work. ``mode`` is ``daemon.mode`` once it has told."""

    def __init__(self, pid: int, pipe: int, slot: int) -> None:
        self.mode: str | None = None
        self._pid = pid
        self._pipe = pipe
        self._slot = slot

    def output(self, deadline: float) -> str | None:
        """What it made by then; ``None`` where it failed. It is killed where it made nothing."""
        data = b""
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        while (left := deadline - monotonic()) > 0 and poll.poll(left * 1000):
            chunk = os.read(self._pipe, _CHUNK)
            if not chunk:
                break
            data += chunk
        header, separator, text = data.partition(b"\n")
        self.mode = header.decode("ascii", "replace") if separator else None
        if text.endswith(_END):
            return text[:-1].decode("utf-8", "replace")
        self._kill()
        return None

    def finish(self, deadline: float) -> bool:
        """Waits for what it records after its output, within the budget, and reaps it; whether it got to its end."""
        os.close(self._pipe)
        until = max(deadline, monotonic() + _AFTERWARDS)
        while not (ended := os.waitpid(self._pid, os.WNOHANG))[0]:
            if monotonic() >= until:
                self._kill()
                ended = os.waitpid(self._pid, 0)
                break
            select.poll().poll(2)
        os.close(self._slot)
        return ended[1] == 0

    def _kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)


def begin(call: Call, environ: Mapping[str, str], at: Address, work: Work, deadline: float) -> Child | None:
    """Starts the work on (name, host, what the host said); ``None`` where enough others are at it."""
    slot = _free_slot(at)
    if slot is None:
        return None
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            code = 0 if _in_child(call, environ, work, deadline, writing) else 1
        finally:
            os._exit(code)
    os.close(writing)
    return Child(pid, reading, slot)


def _free_slot(at: Address) -> int | None:
    """A lock file that the kernel releases when this process and its child have ended."""
    if not at.private():
        return None
    for number in range(SLOTS):
        slot = os.open(at.file(f"slot{number}"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(slot)
        else:
            return slot
    return None


def _in_child(call: Call, environ: Mapping[str, str], work: Work, deadline: float, pipe: int) -> bool:
    """Whether all is recorded: what comes afterwards says ``False`` where it could not be."""
    # By the kernel, whatever this process is stuck in.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, deadline - monotonic()) + _AFTERWARDS)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    output, after = work(*call, environ, deadline - _MARGIN, lambda mode: _write(pipe, mode.encode() + b"\n"))
    _write(pipe, output.encode("utf-8", "replace") + _END)
    os.close(pipe)
    return after() is not False


def _write(pipe: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def engine(
    name: str, host: str, raw: str, environ: Mapping[str, str], deadline: float, tell: Tell
) -> tuple[str, Callable[[], object]]:
    """The work itself, as ``hook.fall_back``, once the packages that it needs can be found."""
    if "site" not in sys.modules:  # started with -S, which leaves out the environment's packages
        import site

        site.main()
    gc.disable()  # this process ends before its garbage matters
    from hearth import hook

    if name == "postcompact-inject":
        _save_first(raw, environ, deadline)
    return hook.fall_back(name, host, raw, environ, deadline, tell)


def _save_first(raw: str, environ: Mapping[str, str], deadline: float) -> None:
    """What was to be saved before the compaction, where that was left behind."""
    from hearth.daemon import spool
    from hearth.daemon.address import address

    if spool.waiting(address(environ)):
        from hearth.daemon.intake import save_now

        save_now(raw, environ, deadline)
