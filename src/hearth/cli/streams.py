"""Where a command prints: this process's own streams, or those of a caller that it runs for."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOWrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TextIO

# As click ends a command whose reader went away while it was writing.
BROKEN_PIPE = 1


class Screen:
    """A caller's standard output and error, and what its environment says of its terminal."""

    __slots__ = ("environ", "err", "out")

    def __init__(self, out: TextIO, err: TextIO, environ: Mapping[str, str]) -> None:
        self.out = out
        self.err = err
        self.environ = environ


_SCREEN: ContextVar[Screen | None] = ContextVar("screen", default=None)


def out() -> TextIO:
    screen = _SCREEN.get()
    return sys.stdout if screen is None else screen.out


def err() -> TextIO:
    screen = _SCREEN.get()
    return sys.stderr if screen is None else screen.err


def environ() -> Mapping[str, str]:
    screen = _SCREEN.get()
    return os.environ if screen is None else screen.environ


@contextmanager
def printing_on(screen: Screen) -> Iterator[None]:
    """The block's thread prints there; no other does."""
    token = _SCREEN.set(screen)
    try:
        yield
    finally:
        _SCREEN.reset(token)


def open_closed() -> None:
    """A closed stream leads nowhere from now on: nothing else may get its number, and printing must not fail."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            if getattr(sys, name) is None:
                setattr(sys, name, open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def tolerate_odd_names() -> None:
    """File names that are no valid text go out as the bytes they came in as, and nothing fails to print."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="surrogateescape" if stream.encoding.lower() == "utf-8" else "backslashreplace")


def leave_quietly() -> int:
    """The reader went away; what is still buffered must not fail again when Python exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE
