"""The streams of a process, before and after it prints. Quick to load, for commands that ask the daemon."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

# As click ends a command whose reader went away while it was writing.
BROKEN_PIPE = 1


def open_closed() -> None:
    """A closed stream leads nowhere from now on: nothing else may get its number, and printing must not fail."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            _open_nowhere(number)
            if getattr(sys, name) is None:
                setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def _open_nowhere(number: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    if null != number:
        os.dup2(null, number)
        os.close(null)


def tolerate_odd_names() -> None:
    """File names that are no valid text go out as the bytes they came in as, and nothing fails to print."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="surrogateescape" if stream.encoding.lower() == "utf-8" else "backslashreplace")


def leave_quietly() -> int:
    """The reader went away; what is still buffered must not fail again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE
