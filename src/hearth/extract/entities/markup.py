"""What of a text is no sentence: headings, code, links and tables write words as no sentence would."""

from __future__ import annotations

import re
from functools import lru_cache

from hearth.lazy import regex

_MARKUP = regex(
    r"\A---\n(?:.*\n){0,60}?---$|^#{1,6} .*$|^(?:```|~~~)(?:.|\n)*?(?:^(?:```|~~~)[ \t]*$|\Z)|`[^`\n]+`"
    # Addresses, and paths of two folders or more.
    r"|https?://\S+|(?<![\w.:])(?:~|[A-Za-z]:)?[/\\](?:[\w.@-]+[/\\]){2,}[^\s)\]>*`'\"]*"
    r"|\]\([^)\n]*\)|^\|.*\|$|^\s*(?:[-*+]|\d{1,2}[.)]) \*\*[^*\n]+\*\*:?|\*\*[^*\n]{1,40}:\*\*",
    re.MULTILINE,
)
# Where a linked page lies is no part of what it is called.
_FOLDER = regex(r"(?<=\[\[)[^\[\]\n|#]*/")


@lru_cache(maxsize=128)  # passages of a document, each of which is read a few times
def hide_markup(text: str) -> str:
    """As long as the text, with line breaks in place of it, and blanks in place of a link's folder."""
    plain = _MARKUP.sub(lambda found: "\n" * len(found[0]), text)
    return _FOLDER.sub(lambda found: " " * len(found[0]), plain)
