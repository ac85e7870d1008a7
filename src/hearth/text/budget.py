"""What a text costs: tokens of a model's context, and UTF-16 units of a host's limit."""

from __future__ import annotations

from hearth.lazy import regex

# Scripts of which a tokenizer spends about one token a character: Thai, Hangul jamo, kana and CJK signs, Han with
# extension A, Hangul, compatibility and half-width forms, and the supplementary Han planes.
_DENSE = regex(
    "[\u0e00-\u0e7f\u1100-\u11ff\u3000-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff]+"
)


def estimate_tokens(text: str) -> int:
    """ASCII / 4 + dense scripts * 1 + all else / 2, rounded up; 0 for the empty text.

    Counts characters. The weights are the usual rule of thumb, not a tokenizer's count.
    """
    if text.isascii():
        return -(-len(text) // 4)
    ascii_count = len(text.encode("ascii", "ignore"))
    dense = sum(map(len, _DENSE.findall(text)))
    quarters = ascii_count + 4 * dense + 2 * (len(text) - ascii_count - dense)
    return -(-quarters // 4)


def utf16_units(text: str) -> int:
    """Length as JavaScript counts it; lone surrogates count one."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
