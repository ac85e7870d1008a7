"""What the command line prints: text that can't drive a terminal, JSON that is always valid, and where it goes."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar

from hearth.core.lazy import regex
from hearth.text.lines import plural as plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TextIO


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


# C0 but tab and newline, DEL, C1, bidirectional overrides, and surrogates that stand for no byte: in a note's text
# these could move the cursor, rewrite the window's title or show a path as another.
_CONTROLS = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udc7f\udd00-\udfff]")
_SURROGATES = regex("[\ud800-\udfff]")
_RELAXED = regex("[\ud800-\udc7f\udd00-\udfff]")


def clean(text: str) -> str:
    """Several lines of text without anything that a terminal would obey."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))


def line(text: str) -> str:
    """One line of clean text; white space becomes single spaces."""
    return " ".join(clean(text).split())


def name(text: str) -> str:
    """A file name or path on one line, its spaces kept."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def faithful(text: str) -> str:
    """Text for a file or a pipe: as it is, but for what no encoding can hold."""
    return _RELAXED.sub("\ufffd", text)


def say(text: str = "") -> None:
    out().write(text + "\n")


def say_json(value: Any) -> None:
    """One JSON document; characters as they are, lone surrogates escaped as JSON allows."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=2)
    say(_SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say_rows(rows: Iterable[Iterable[str]]) -> None:
    """Tab-separated where piped, aligned on a terminal."""
    cells = [[name(cell) for cell in row] for row in rows]
    if not out().isatty():
        for row in cells:
            say("\t".join(row))
        return
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def note(text: str) -> None:
    """A remark that is no part of the answer."""
    _tell(clean(text))


def warn(text: str) -> None:
    _tell(f"hearth: warning: {line(text)}")


def error_line(text: str) -> None:
    _tell(f"hearth: {line(text)}")


def _tell(text: str) -> None:
    stream = err()
    stream.write(text + "\n")
    stream.flush()


def size(count: int) -> str:
    """Bytes for people, in powers of 1,024."""
    value, unit = float(count), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
