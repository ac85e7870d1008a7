"""How long a text is, in words, whatever its script."""

from __future__ import annotations

from collections.abc import Callable

from hearth.lazy import regex

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
