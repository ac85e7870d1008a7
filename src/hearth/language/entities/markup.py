"""What of a text is no sentence, and paths and names in code that prose mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hearth.core.lazy import regex

_MARKUP = regex(
    r"\A---\n(?:.*\n){0,60}?---$|^#{1,6} .*$|^(?:```|~~~)(?:.|\n)*?(?:^(?:```|~~~)[ \t]*$|\Z)|`[^`\n]+`"
    # Addresses, and paths of two folders or more.
    r"|https?://\S+|(?<![\w.:])(?:~|[A-Za-z]:)?[/\\](?:[\w.@-]+[/\\]){2,}[^\s)\]>*`'\"]*"
    r"|\]\([^)\n]*\)|^\|.*\|$|^\s*(?:[-*+]|\d{1,2}[.)]) \*\*[^*\n]+\*\*:?|\*\*[^*\n]{1,40}:\*\*",
    re.MULTILINE,
)
# Where a linked page lies is no part of what it is called.
_FOLDER = regex(r"(?<=\[\[)[^\[\]\n|#]*/")


@lru_cache(maxsize=128)  # each fragment of a document is read a few times
def hide_markup(text: str) -> str:
    """As long as the text, with line breaks in place of it, and blanks in place of a link's folder."""
    plain = _MARKUP.sub(lambda found: "\n" * len(found[0]), text)
    return _FOLDER.sub(lambda found: " " * len(found[0]), plain)


MOST_CHARS = 100
# What may hold a name.
_CHUNK = regex(r"(?<![\w./@:#-])(?=[\w.@:#-]*?(?:[/_]|[a-z][A-Z]))[\w./@:#-]+")
_NAME = regex(
    r"(?:\.{0,2}/)?(?:[\w-][\w.-]*/)+[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,7}"
    r"|_{0,2}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+"
)
# What programs call a failure, and keys and ids.
_PROGRAM_WORD = regex(r"[a-z](?:Error|Exception|Warning)$|[A-Za-z]\d+[A-Za-z]+\d")
_BLOCK = regex(r"^(?:```|~~~)(?:.|\n)*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE)
# Where a link leads is not mentioned.
_LINKS = ("[[", "](")


def find_code(text: str) -> Iterator[str]:
    """As they are written, each as often as it is there."""
    plain = _BLOCK.sub("\n", text) if "```" in text or "~~~" in text else text
    for found in _CHUNK.finditer(plain):
        name = found[0].rstrip(".:-#")
        if is_code_name(name) and plain[max(0, found.start() - 2) : found.start()] not in _LINKS:
            yield name


def is_code_name(name: str) -> bool:
    return len(name) <= MOST_CHARS and _NAME.fullmatch(name) is not None


def is_program_word(word: str) -> bool:
    """Whether only programs write a word so: ``TimeoutError``, ``a1B2c3``."""
    return _PROGRAM_WORD.search(word) is not None
