"""Lines: shortening one, and telling those that are code."""

from __future__ import annotations

import re

from hearth.lazy import regex

FENCE = regex(r" {0,3}(`{3,}|~{3,})")
"""How a line opens a block of code."""
_CODE = regex(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)


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
