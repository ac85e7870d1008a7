"""What the command line prints: text that can't drive a terminal, and JSON that is always valid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hearth.cli import streams
from hearth.core.lazy import regex

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
    streams.out().write(text + "\n")


def say_json(value: Any) -> None:
    """One JSON document; characters as they are, lone surrogates escaped as JSON allows."""
    import json

    text = json.dumps(value, ensure_ascii=False, indent=2)
    say(_SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say_rows(rows: Iterable[Iterable[str]]) -> None:
    """Tab-separated where piped, aligned on a terminal."""
    cells = [[name(cell) for cell in row] for row in rows]
    if not streams.out().isatty():
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
    stream = streams.err()
    stream.write(text + "\n")
    stream.flush()


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def size(count: int) -> str:
    """Bytes for people, in powers of 1,024."""
    value, unit = float(count), "B"
    for larger in ("KB", "MB", "GB", "TB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
