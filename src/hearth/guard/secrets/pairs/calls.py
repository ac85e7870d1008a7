"""Keys written into calls that sign, encrypt or open something: what stands there is nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.passwords import is_password, is_setting
from hearth.guard.secrets.spans import Span
from hearth.lazy import regex

_SECRET = r"""[bNE]?(?P<quote>["'`])(?P<secret>[^"'`\n\\]{6,256})(?P=quote)"""
_FIRST = r"[\w.\[\]$]{1,60}(?:\([^()\n]{0,60}\))?"
_CALLS = tuple(
    (literal, regex(pattern))
    for literal, pattern in (
        ("jwt.", rf"jwt\.(?:sign|verify|encode|decode)\([ ]?(?:{_FIRST}|\{{[^{{}}\n]{{0,120}}\}}),[ ]?{_SECRET}"),
        ("createhmac(", rf"createhmac\([ ]?[\"'][\w-]{{2,12}}[\"'],[ ]?{_SECRET}"),
        ("hash_hmac(", rf"hash_hmac\([ ]?[\"'][\w-]{{2,12}}[\"'],[ ]?{_FIRST},[ ]?{_SECRET}"),
        ("hmac.new(", rf"hmac\.new\([ ]?{_SECRET}"),
        ("fernet(", rf"fernet\([ ]?{_SECRET}"),
        ("tochararray()", r"""(?P<quote>")(?P<secret>[^"\n\\]{6,128})"\.tochararray\(\)"""),
        ("secretkeyspec(", rf"secretkeyspec\([ ]?{_SECRET}"),
        ("cipheriv(", rf"cipheriv\([ ]?[\"'][\w-]{{2,24}}[\"'],[ ]?{_SECRET}"),
    )
)


def called(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "(" not in text:
        return
    for literal, call in _CALLS:
        if literal in lowered:
            for match in call.finditer(lowered):
                secret = text[slice(*match.span("secret"))]
                if is_password(secret, quoted=True) or is_setting(secret):
                    yield *match.span("secret"), "key"
