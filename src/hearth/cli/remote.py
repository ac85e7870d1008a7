"""A command run by the daemon, which has the vault open: what it prints there is printed here.

People wait for this, so it loads neither the engine nor what reads a command line. In doubt it does nothing, and the
command runs in this process. Where nobody listens, that process starts a daemon once it has answered: a command line
that asks twice does not pay twice.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

from hearth.cli import streams
from hearth.core.errors import HearthError
from hearth.daemon.address import address
from hearth.daemon.stub import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hearth.daemon.address import Address

ASKED = ("query", "search", "vsearch", "get")
# What shows secrets, reads standard input, or prints where the daemon can't.
_ALONE = frozenset({"-", "--raw", "--debug", "--help", "--version"})
# What a terminal's environment says of it, and the zone in which dates are read.
TERMINAL = (
    "TERM",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
)
SECONDS = 3.0


def ask(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[int | None, Address | None]:
    """The exit code once everything is printed, ``None`` where this process is to run the command; and where no daemon
    listens, or one of an older version is ending."""
    if not _may_ask(arguments, environ):
        return None, None
    reply, missing = _ask(arguments, environ)
    is_valid = reply is not None and isinstance(reply.get("said"), list)
    return (_print(reply) if reply is not None and is_valid else None), missing


def _print(reply: Mapping[str, Any]) -> int:
    streams.tolerate_odd_names()
    try:
        for stream, text in reply["said"]:
            (sys.stderr if stream == "err" else sys.stdout).write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        return streams.leave_quietly()
    except OSError as error:
        from hearth.cli.entrypoint import refuse
        from hearth.cli.session import CommandSession

        return refuse(error, CommandSession())
    return int(reply["code"])


def _may_ask(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    rest = list(arguments)
    while rest and rest[0].startswith("--vault"):
        del rest[: 1 if "=" in rest[0] else 2]
    if not rest or rest[0] not in ASKED:
        return False
    if any(word in _ALONE or word.startswith("-h") for word in rest):
        return False
    if environ.get("HEARTH_DAEMON_MODE") == "never" or environ.get("HEARTH_AGENT"):
        return False
    return environ.get("HEARTH_DEBUG", "") in ("", "0") and "_HEARTH_COMPLETE" not in environ


def _ask(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[dict[str, Any] | None, Address | None]:
    """The reply, and where no daemon listens."""
    at = None
    try:
        at = address(environ)
        request = call.encoded(
            {
                "op": "command",
                "version": call.build(),
                "hash": at.agreement,
                "vault": environ.get("HEARTH_VAULT", ""),
                "cwd": call.folder(),
                "zone": environ.get("TZ", ""),
                "terminal": int(sys.stdout.isatty()),
                "encoding": sys.stdout.encoding,
                "env": {name: environ[name] for name in TERMINAL if name in environ},
                "deadline_ms": int(SECONDS * 1000),
                "arguments": [_sound(word) for word in arguments],
            }
        )
        if len(request) > call.MAX_REQUEST or not at.private():
            return None, None
        line = call.ask(at.socket, at.uid, request, monotonic() + SECONDS)
    except call.Absent:
        return None, at
    except (HearthError, UnicodeError, AttributeError, OSError, call.Silent, call.Busy):
        return None, None  # settings or streams that are odd, a daemon that has no time
    try:
        found = call.parse(line)
    except ValueError:
        return None, None
    if not isinstance(found, dict):
        return None, None
    if found.get("refused") == "version":
        from hearth.daemon.stub.start import hand_over

        return None, at if hand_over(at, line) else None
    return found, None


def _sound(word: str) -> str:
    """Raises ``UnicodeError`` for bytes that are no text: the daemon would be asked something else."""
    word.encode("utf-8")
    return word


def main() -> tuple[int | None, Address | None]:
    """``ask`` for this process's own command line."""
    return ask(sys.argv[1:], os.environ)
