"""Where the lines of a text stand: offsets to line numbers and back."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

BOM = "\ufeff"


class Lines:
    """The lines of a text, ended by ``\\n``; a carriage return before it counts as trailing space.

    ``rows`` holds them without line ends, of the same length as in the text (a byte order mark reads as a space).
    ``starts`` holds the offset of each line and, last, the text's length; a final empty line is no line.
    """

    __slots__ = ("rows", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        plain = text.replace("\r\n", " \n") if "\r" in text else text
        if plain.startswith(BOM):
            plain = " " + plain[1:]
        self.rows = plain.split("\n")
        self.starts = list(accumulate((len(row) + 1 for row in self.rows), initial=0))
        self.starts[-1] = len(text)
        if not self.rows[-1]:
            self.rows.pop()
            self.starts.pop()

    def number(self, offset: int) -> int:
        """The 1-based line that holds the character at ``offset``; the last line for an offset past the end."""
        return max(1, min(bisect_right(self.starts, offset), len(self.rows)))

    def offset(self, number: int) -> int:
        """Where the 1-based line starts; the text's length for a line past the last."""
        return self.starts[min(max(number, 1) - 1, len(self.rows))]
