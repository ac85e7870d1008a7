"""Text given to be kept: the words of the command line, or standard input."""

from __future__ import annotations

import sys

from hearth.errors import UsageError
from hearth.model.memory import MAX_TEXT_BYTES


def text(words: tuple[str, ...]) -> str:
    """The words as one text; a lone ``-`` stands for standard input, which is never cut short.

    Raises ``UsageError`` where it holds more than a memory may, or nothing was given."""
    if not words:
        raise UsageError("there is no text; give some, or - to read it from standard input")
    if words != ("-",):
        return " ".join(words)
    data = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise UsageError(f"standard input holds over {MAX_TEXT_BYTES:,} bytes, the limit of a memory; shorten it")
    return data.decode("utf-8", errors="replace")
