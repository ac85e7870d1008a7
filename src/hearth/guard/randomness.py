"""Does a value look like a secret, or like a word, a name, a path or a stand-in for one?"""

from __future__ import annotations

import re
from collections import Counter
from math import log2

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")

# Bits per character: random hexadecimal has about 3.5 at 32 characters, base 62 about 4.4; English names sit near 3.
_MIN_ENTROPY = 2.8
_MIN_DISTINCT = 8
# 40 characters of base 64 average 4.7, identifiers and paths of that length stay below 4.3.
_RANDOM_ENTROPY = 4.45

_STAND_IN = re.compile(
    r"example|placeholder|change[_-]?me|replace[_-]?|dummy|redacted|your[_-]?|xxxx|\*\*\*|\.\.\.|…|\$\{|\{\{|\}\}|%\(|\$\("
    r"|environ|getenv|process\.env|<[a-z]|[a-z]>|0{8}|insert[_-]|secrets\.|vault:",
    re.IGNORECASE,
)
_NOT_A_VALUE = re.compile(
    r"\$?%?[A-Z][A-Z0-9_]*%?|\$[A-Za-z_][A-Za-z0-9_]*|(.)\1*|[\W_]+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|v?\d+(?:\.\d+)*"
    r"|(?:https?|file|ssh|git|s3)://.*|(?:~|\.{1,2})?/[\w./-]*|[A-Za-z]:\\.*",
    re.DOTALL,
)
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
_VOWELS = re.compile(r"[aeiouy]", re.IGNORECASE)
_HEX_OR_UUID = re.compile(r"[0-9a-fA-F-]{16,}")
_DIGIT = re.compile(r"\d")
_DIGIT_OR_SIGN = re.compile(r"[\d!@#$%^&*+?~]")
_LETTER = re.compile(r"[^\W\d_]")
# A sign inside a word that has a capital: no code or prose writes that.
_SIGN_INSIDE = re.compile(r"(?=.*[A-Z])\w[!@#$%^&*+?~]+(?:\w|$)")
_NAME_PART = re.compile(r"[._]|pass", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.-]*")


def is_stand_in(value: str) -> bool:
    """A documented gap (``<your-key>``, ``${TOKEN}``, ``xxxx``, ``example``) or one of our own placeholders."""
    return _STAND_IN.search(value) is not None or PLACEHOLDER.search(value) is not None


def is_varied(value: str) -> bool:
    """Enough different characters for a token whose prefix already names its issuer."""
    return len(set(value)) >= _MIN_DISTINCT and not is_stand_in(value)


def is_random(value: str, minimum: int = 16) -> bool:
    """A machine-made token: long, varied, and not made of words."""
    digit = _DIGIT.search(value) is not None
    # Cheap tests first: most values are words.
    if len(value) < minimum or not (digit or (len(value) >= 20 and _mixed(value))) or _NOT_A_VALUE.fullmatch(value):
        return False
    entropy = _entropy(value)
    if entropy < _MIN_ENTROPY or not is_varied(value):
        return False
    if digit and (_HEX_OR_UUID.fullmatch(value) or (entropy >= _RANDOM_ENTROPY and len(value) >= 32 and _mixed(value))):
        return True
    return not is_wordy(value)


def is_password(value: str, *, quoted: bool) -> bool:
    """Something a person typed: letters with digits or signs, no words alone. Stated by its neighbour's name only."""
    if len(value) < 6 or " " in value or not _DIGIT_OR_SIGN.search(value):
        return False
    if value.isdigit():
        return quoted
    if _NOT_A_VALUE.fullmatch(value) or is_stand_in(value):
        return False
    if is_random(value):
        return True
    digit = _DIGIT.search(value) is not None
    if _IDENTIFIER.fullmatch(value):
        return digit and (quoted or not _NAME_PART.search(value))
    return (digit and _LETTER.search(value) is not None) or _SIGN_INSIDE.search(value) is not None


def _mixed(value: str) -> bool:
    return re.search(r"[a-z]", value) is not None and re.search(r"[A-Z]", value) is not None


def _entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits per character."""
    total = len(value)
    return -sum(count / total * log2(count / total) for count in Counter(value).values())


def is_wordy(value: str) -> bool:
    """At least half of the letters stand in pieces that one could pronounce."""
    pieces = _PIECE.findall(value)
    letters = sum(map(len, pieces))
    return letters > 0 and 2 * sum(len(piece) for piece in pieces if _wordy(piece)) >= letters


def _wordy(piece: str) -> bool:
    if not 3 <= len(piece) <= 16 or _CONSONANTS.search(piece):
        return False
    vowels = len(_VOWELS.findall(piece)) / len(piece)
    return 0.2 <= vowels <= 0.7
