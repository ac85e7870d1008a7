"""Lines and sentences of a text, what a text costs in tokens, and tables that stand beside the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hearth.core.lazy import regex

FENCE = regex(r" {0,3}(`{3,}|~{3,})")
"""How a line opens a block of code."""
_CODE = regex(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)


def plural(count: int, noun: str) -> str:
    """``1 note``, ``1,204 notes``, ``2 memories``, ``3 batches``."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        many = f"{noun[:-1]}ies"
    else:
        many = f"{noun}es" if noun.endswith(("s", "sh", "ch", "x")) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def cut_line(line: str, most: int) -> str:
    """At most so many characters, with an ellipsis where some are left out: between words where there are some."""
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    words = cut.rpartition(" ")[0]
    return f"{(words if len(words) >= most // 2 else cut).rstrip(' ,;:-')}…"


def without_code(text: str) -> str:
    """A text without its fenced blocks, each being the end of a line."""
    return _CODE.sub("\n", text) if "```" in text or "~~~" in text else text


ABBREVIATIONS = r"Prof|Dr|Mr|Mrs|Ms|St|Nr|No|Sr|Sra|Mme|vs|etc|approx|bzw|ca|e\.g|i\.e|z\.B|d\.h"
"""Alternatives of a pattern: a full stop after them ends no sentence."""
END = regex(r"""(?:(?<=[.!?…])|(?<=[.!?…]["'”’)\]]))\s++|(?<=[。！？])""")
"""What stands between two sentences of a paragraph; nothing does in a script without spaces."""
_END_OF_LINE = regex(rf"{END.pattern}|\n+")
# The same for texts that are written with spaces: it starts with a blank, so that the others are passed over fast.
_SPACED = regex(r"""\s(?:(?<=[.!?…]\s)\s*+|(?<=[.!?…]["'”’)\]]\s)\s*+|(?<=\n)\n*+)""")
_UNSPACED = regex("[。！？]")


def split_sentences(text: str) -> list[str]:
    """Its sentences as they stand, none of them blank; a line's end is one of a sentence too."""
    end = _SPACED if text.isascii() or _UNSPACED.search(text) is None else _END_OF_LINE
    return [sentence for sentence in end.split(text) if sentence.strip()]


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


def read_rows(file: Path) -> Iterator[list[str]]:
    """The columns of each line that is neither empty nor a comment (``#``)."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")
