"""One run of the hook's stub: read, ask, print, within the budget. Standard library only."""

from __future__ import annotations

import os
import select
from time import monotonic

from hearth.core import paths
from hearth.daemon.address import address
from hearth.daemon.stub import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Mapping, Sequence

    from hearth.daemon.address import Address
    from hearth.daemon.stub.fallback import Work
    from hearth.daemon.stub.start import Pending
else:
    import _signal as signal  # the Python module costs 3 ms

MAX_STDIN = 8 * 1024 * 1024
DEFAULT_HOST = "claude-code"
HOSTS = (DEFAULT_HOST, "codex", "gemini", "qwen", "cursor", "opencode", "hermes", "auto")
# Seconds from start to exit. Claude Code gives all hooks of a session's end 1.5 s together.
# Before and after a compaction it waits for 10 s, and the person waits longer for the compaction itself.
BUDGETS = {
    "session-end": 1.0,
    "pretool-inject": 1.0,
    "failure-inject": 1.0,
    "precompact-extract": 7.5,
    "postcompact-inject": 7.5,
    "session-bootstrap": 3.0,
}
BUDGET = 2.0
# A turn's end and the hosts that want an object even then; some always do. ``auto`` leaves the host to be found.
_OBJECTS = ("gemini", "qwen")
_WANTS_OBJECT = frozenset({("codex", "feedback-loop"), ("auto", "feedback-loop")})
# What tells how far a session is, which no host says twice: without an answer it is left for the daemon to find.
RECORDED = frozenset({"feedback-loop", "session-end", "precompact-extract"})
# What is left before anything else is done about it where no daemon answers: a host that runs out of patience kills us.
_LEFT_FIRST = "precompact-extract"
# Seconds for leaving it.
_KEEPING = 2.0
# For trying: starts no daemon where there is none.
NO_START = "--no-start"
_CHUNK = 1 << 20
_GRACE = 0.2
_LATE = "no answer in time"


def main(arguments: Sequence[str], work: Work | None = None) -> None:
    """Ends the process with 0. ``work`` stands in for the engine where no daemon answers."""
    started = monotonic()
    name, host = _read(arguments)
    if host not in HOSTS:
        _complain(f"hearth-hook: no host {host[:64]!r}, so the hook stays silent; hosts are: {', '.join(HOSTS)}\n")
    run = StubRun(name, host, started + BUDGETS.get(name, BUDGET), start=NO_START not in arguments)
    try:
        run.guard()
        run.answer(os.environ, work)
    except BaseException as error:  # noqa: BLE001 (whatever it was, the host gets valid output)
        run.say_nothing(type(error).__name__)
    finally:
        try:
            run.keep()
        finally:
            os._exit(0)


def _read(arguments: Sequence[str]) -> tuple[str, str]:
    """Name and host; what can't be understood is passed over, since nobody would read a complaint."""
    name, host, rest = "", DEFAULT_HOST, list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--host" and rest:
            host = rest.pop(0)
        elif word.startswith("--host="):
            host = word[len("--host=") :]
        elif not word.startswith("-"):
            name = name or word
    return name, host


def _complain(text: str) -> None:
    """On the error output, which no host takes for an answer."""
    try:
        os.write(2, text.encode("utf-8", "replace"))
    except OSError:  # nobody listens
        return


def is_disabled(environ: Mapping[str, str]) -> bool:
    """Whether somebody wants hooks to say nothing."""
    return environ.get("HEARTH_DISABLE", "") not in ("", "0")


def empty(name: str, host: str) -> str:
    """What the host takes for "nothing to say"."""
    return "{}" if host in _OBJECTS or (host, name) in _WANTS_OBJECT else ""


class StubRun:
    """``deadline`` is on the monotonic clock. ``start`` allows to start a daemon where there is none, or an old one is
    ending; one that is merely silent keeps its place."""

    def __init__(self, name: str, host: str, deadline: float, *, start: bool = True) -> None:
        self.name = name
        self.host = host
        self.deadline = deadline
        self._start = start
        self._missing = False
        self._said = False
        self._left: tuple[Address, str, Mapping[str, str]] | None = None
        self._why = ""

    def guard(self) -> None:
        """If all else hangs (a dead network mount), the kernel wakes us."""
        signal.signal(signal.SIGALRM, self._give_up)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, self.deadline - monotonic()) + _GRACE)

    def _give_up(self, *_: object) -> None:
        self.say_nothing(_LATE)
        # By another process, for what this one hangs in may be the folder where it is left.
        if (self._left is not None or self._why) and os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            self.keep()
        os._exit(0)

    def keep(self) -> None:
        """Leaves an event behind that is to be recorded and was not, and a line in the log where nothing was said
        although something might have been."""
        left, why, self._left, self._why = self._left, self._why, None, ""
        if left is None and not why:
            return
        signal.setitimer(signal.ITIMER_REAL, _KEEPING)
        if left is not None:
            from hearth.daemon import spool

            at, raw, environ = left
            spool.keep(at, self.name, self.host, raw, {**environ, "PWD": call.folder()})
        if why:
            from hearth.daemon import oddities

            oddities.log_failure(
                paths.folders(os.environ).state, f"{self.host[:40]} {self.name[:40]}: nothing said: {why}"
            )

    def say_nothing(self, why: str) -> None:
        """Prints the empty output, with ``why`` for the log, unless something was printed. Where that was the empty
        output, its reason stays: the kernel may wake us before it is written."""
        if not self._said:
            self._why = why
        self.say("")

    def say(self, text: str) -> None:
        """Prints once; an empty text in the host's form."""
        if self._said:
            return
        self._said = True
        rest = (text or empty(self.name, self.host)).encode("utf-8", "replace")
        try:
            while rest:
                rest = rest[os.write(1, rest) :]
            # Not closed, or the next file to be opened would be the standard output.
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.close(null)
        except OSError:  # the host went away
            return

    def answer(self, environ: Mapping[str, str], work: Work | None) -> None:
        if is_disabled(environ):
            self.say("")
            self._stdin()
            return
        data = self._stdin()
        if not data and monotonic() >= self.deadline:
            self.say_nothing("the host did not close its input")
            return
        if not data or not data.strip() or not self.name:
            self.say("")
            return
        at = address(environ)
        raw = data.decode("utf-8", "replace").removeprefix("\ufeff")
        if self.name in RECORDED:
            self._left = (at, raw, environ)
        if not self._by_daemon(at, raw, environ):
            self._fall_back(at, raw, environ, work)

    def _stdin(self) -> bytes:
        """All of it, or nothing where it is too long or does not end in time. Reads on to the end all the same: a host
        may take a reader that goes away for a failure."""
        chunks: list[bytes] = []
        size = 0
        poll = select.poll()
        poll.register(0, select.POLLIN)
        while (left := self.deadline - monotonic()) > 0 and poll.poll(left * 1000):
            chunk = os.read(0, _CHUNK)
            if not chunk:
                return b"".join(chunks) if size <= MAX_STDIN else b""
            size += len(chunk)
            if size <= MAX_STDIN:
                chunks.append(chunk)
        return b""

    def _by_daemon(self, at: Address, raw: str, environ: Mapping[str, str]) -> bool:
        """Whether that is settled: the daemon answered, or is busy, when nothing is the answer."""
        request = self._request(at, raw, environ)
        if request is None:
            self.say_nothing("the host's input is too long")
            return True
        try:
            if at.private():
                self.say(call.hook_output(at.socket, at.uid, request, self.deadline))
                self._left = None
                return True
        except call.Busy:
            self.say_nothing(_LATE if monotonic() >= self.deadline else "the daemon is busy")
            return True
        except call.CallerRefused as refusal:
            from hearth.daemon.stub.start import hand_over

            self._missing = hand_over(at, str(refusal))
        except call.Absent:
            self._missing = True
        except call.Silent:
            return False
        return False

    def _request(self, at: Address, raw: str, environ: Mapping[str, str]) -> bytes | None:
        """The request line; ``None`` where it can't be made small enough."""

        def build_request(text: str) -> bytes:
            return call.encoded(
                {
                    "op": "hook",
                    "name": self.name,
                    "host": self.host,
                    "version": call.build(),
                    "hash": at.agreement,
                    "vault": environ.get("HEARTH_VAULT", ""),
                    "env": call.environment(environ),
                    "cwd": call.folder(),
                    "deadline_ms": max(0, int((self.deadline - monotonic()) * 1000)),
                    "input": text,
                }
            )

        line = build_request(raw)
        if len(line) > call.MAX_REQUEST:
            from hearth.daemon.oddities import shorten

            line = build_request(shorten(raw))
        return line if len(line) <= call.MAX_REQUEST else None

    def _fall_back(self, at: Address, raw: str, environ: Mapping[str, str], work: Work | None) -> None:
        from hearth.daemon.stub import fallback

        left = self._leave_first() if self.name == _LEFT_FIRST else None
        pending = self._pending(at, environ)
        child = fallback.begin((self.name, self.host, raw), environ, at, work or fallback.engine, self.deadline)
        if child is None:
            self.say_nothing(f"no daemon answers, and {fallback.SLOTS} other hooks are already running without one")
            return
        output = child.output(self.deadline)
        if output is None:
            self.say_nothing(_LATE if monotonic() >= self.deadline else "running without the daemon failed")
        else:
            self.say(output)
        if pending is not None and child.mode not in (None, "auto"):
            pending.call_off()
        if child.finish(self.deadline):
            self._left = None
            if left is not None:
                from hearth.daemon import spool

                spool.remove(left)

    def _leave_first(self) -> str | None:
        """Leaves the event behind at once; gives the file, ``None`` where it could not be left."""
        if self._left is None:
            return None
        from hearth.daemon import spool

        at, raw, environ = self._left
        file = spool.keep(at, self.name, self.host, raw, {**environ, "PWD": call.folder()})
        if file is not None:
            self._left = None
        return file

    def _pending(self, at: Address, environ: Mapping[str, str]) -> Pending | None:
        """The daemon that is started behind this hook, where there is none."""
        if not self._missing or not self._start:
            return None
        from hearth.daemon.stub.start import Pending

        try:
            return Pending(at, environ)
        except OSError:  # no process to be had: the answer matters more
            return None
