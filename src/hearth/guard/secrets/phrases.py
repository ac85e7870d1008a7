"""Recovery phrases of wallets (BIP-39: 12 to 24 words of 3 to 8 small letters), only where the text names one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.guard.secrets.assignments import Span
from hearth.guard.secrets.passwords import holds_small_words

_WORD = r"(?:[0-9]{1,2}[.)][ ]?)?[a-z]{3,8}"
_REST = (
    r"(?:[ ](?:semilla|de[ ]recuperaci[oó]n))?s?"
    r"""["'`*_)\]\\]{0,4}(?:[ \t]{0,3}[:=]|[ \t]{1,2}(?:is|es|are))[\s"'`>*\\]{1,8}"""
    rf"(?P<secret>{_WORD}(?:[ \t]{{1,2}}{_WORD}){{11,23}}+)(?![ \t]?[a-z0-9])"
)
_PATTERNS = tuple((word, re.compile(word + _REST)) for word in ("phrase", "mnemonic", "frase"))
_COUNTS = (12, 15, 18, 21, 24)


def phrases(lowered: str) -> Iterator[Span]:
    """Spans in the lower-cased text, and so in the text."""
    # "rase" is in "phrase" and in "frase": one search where most texts have neither.
    if "rase" not in lowered and "mnemonic" not in lowered:
        return
    for literal, pattern in _PATTERNS:
        if literal in lowered:
            for match in pattern.finditer(lowered):
                words = re.findall("[a-z]+", match["secret"])
                if len(words) in _COUNTS and not holds_small_words(words):
                    yield *match.span("secret"), "seed-phrase"
