"""Lines and paragraphs of a text, and how long it is in words, whatever its script."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from hearth.core.lazy import regex

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


_BEGINS = regex(r"\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|>|[|]|`{3}|~{3}|[\w-]{1,30}::?\s)")
_NO_PROSE = regex(r"\s*(?:#{1,6}\s|[|]|`{3}|~{3}|-{3,}\s*$)")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Each on one line, with the number of the line that it begins on; a list's entries are paragraphs."""
    start, rows = 0, list[str]()
    for at, row in enumerate([*text.split("\n"), ""]):
        if rows and (not row.strip() or _BEGINS.match(row)):
            yield start, " ".join(rows)
            rows = []
        if row.strip() and not _NO_PROSE.match(row):
            start = at if not rows else start
            rows.append(row.strip())


# Han, kana, hangul, Thai, Lao, Burmese, Khmer: about two characters carry what an English word does.
_CLASS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
_UNSPACED = regex(f"[{_CLASS}]+")
_UNSPACED_OR_MARK = regex(f"[{_CLASS}\u3000-\u303f\uff00-\uffef]+")
UNSPACED_CHARS_PER_WORD = 2
# Runs without spaces (minified code, keys, base64) count by length; English prose has 6 characters to a word.
MAX_CHARS_PER_WORD = 12
# Padding costs next to nothing, but not nothing, so that a window of it ends too.
_SPACES_PER_WORD = 400


def words(text: str) -> float:
    """Length in words: runs between spaces, a character of an unspaced script as half a word; > 0 unless empty."""
    if text.isascii():
        return _space(text)
    unspaced = sum(map(len, _UNSPACED.findall(text)))
    if not unspaced:
        return _space(text)
    rest = _UNSPACED_OR_MARK.sub(" ", text).strip()
    return (_space(rest) if rest else 0) + unspaced / UNSPACED_CHARS_PER_WORD


def counter(text: str) -> Callable[[str], float]:
    """A function like ``words``, made as fast as this whole text allows, for use on its parts."""
    return words if not text.isascii() and _UNSPACED.search(text) else _space


def _space(text: str) -> float:
    length = len(text)
    return max(len(text.split()), (length - text.count(" ")) / MAX_CHARS_PER_WORD, length / _SPACES_PER_WORD)


def opening(text: str, count: int) -> str:
    """About the first ``count`` words on one line."""
    flat = " ".join(text[: count * 4 * MAX_CHARS_PER_WORD].split(None, count)[:count])
    if words(flat) <= count * 1.5:
        return flat
    return flat[: int(len(flat) * count / words(flat))]
