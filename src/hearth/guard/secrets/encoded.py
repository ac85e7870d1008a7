"""Base64 of text that itself holds a secret, on one line or folded over several."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from hearth.core.lazy import regex

_RUN = regex(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_NEXT_LINE = regex(
    r"""["'\\+ \t]{0,8}(?:\\r)?(?:\\n["'+ \t]{0,8}\r?\n?|\r?\n)[ \t"'>+\\]{0,60}"""
    r"""(?P<line>[A-Za-z0-9+/]{1,128}+={0,2})(?![^\s"'\\,}])"""
)
_LOGIN = regex(r"[A-Za-z0-9+/_-]{8,512}={0,2}")
_FOLD = range(40, 129)
_PROBE = 32
_TEXT = 0.75
_URL_SAFE = str.maketrans("-_", "+/")
_DELETED = bytes(range(32, 127)) + b"\t\n\r"


def find_encoded_text(words: str) -> Iterator[re.Match[str]]:
    """The runs of base64 in ``words`` that begin like encoded text; the rest of each is not looked at."""
    for match in _RUN.finditer(words):
        if _looks_like_text(_bytes(match[0][:_PROBE])):
            yield match


def unfold(text: str, start: int, end: int) -> tuple[str, int]:
    """The run of base64 at ``text[start:end]`` with the lines of the same length below it, and where the last ends."""
    lines = [text[start:end]]
    length = end - start
    while length in _FOLD and len(lines[-1]) == length and not lines[-1].endswith("="):
        found = _NEXT_LINE.match(text, end)
        if found is None or len(found["line"]) > length or len(found["line"]) % 4:
            break
        lines.append(found["line"])
        end = found.end("line")
    return "".join(lines), end


def decode(base64: str) -> str:
    """The text that it stands for; what is no text in it becomes replacement characters."""
    return _bytes(base64).decode("utf-8", "replace")


def is_login(base64: str) -> bool:
    """Does it stand for ``user:password``?"""
    if _LOGIN.fullmatch(base64) is None:
        return False
    user, colon, password = decode(base64).partition(":")
    return (
        colon != ""
        and len(user) > 1
        and len(password) > 1
        and (user + password).isascii()
        and (user + password).isprintable()
    )


def _bytes(base64: str) -> bytes:
    digits = base64.rstrip("=").translate(_URL_SAFE)
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return b64decode(digits + "=" * (-len(digits) % 4))


def _looks_like_text(data: bytes) -> bool:
    # Of random bytes 38 % are printable, so a share of text needs no decoding.
    return 1 - len(data.translate(None, _DELETED)) / len(data) >= _TEXT
