"""Secret access keys of AWS: 40 characters of base64 that only an access key id or a word beside them gives away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hearth.core.lazy import regex
from hearth.guard.secrets.pair_shapes import in_link
from hearth.guard.secrets.randomness import is_gibberish, is_stand_in
from hearth.guard.secrets.rules import Places, Span, matches

_RULE = "aws-secret"
# Slashes are escaped in some JSON, slashes and pluses in addresses.
_SECRET = r"(?P<secret>(?:[A-Za-z0-9+/]|\\/|%2[BFbf]){40})(?![A-Za-z0-9+/=_%-]|\\/)"
# Of the kinds of ids, those that have a secret.
_IDS = ("AKIA", "ASIA")
_ID = regex(rf"(?:{'|'.join(_IDS)})[A-Z0-9]{{16}}(?![A-Za-z0-9])(?:(?:/|\\/|%2[Ff]){_SECRET})?")
# What ends an escape is a letter, too.
_NEAR_ID = regex(rf"(?:(?<![A-Za-z0-9+/_-])|(?<=\\[nrt])|(?<=%3[Aa])|(?<=%2[Cc])){_SECRET}")
_WIDEST = 3 * 40 + 2
"""Of a secret with every sign escaped, and of what is looked at after it."""
_REACH = 300
_EMPTY = " \t\r\n>"

_SAID = (
    r"""s?["'`*_)\]\\]{0,4}"""
    r"""(?:[ \t]{0,3}(?:[:=→>|,]{1,3}|[ \t]-{1,2}>?[ \t])[\s"'`*\\]{0,8}"""
    r"""|(?:[ \t]{1,2}(?:is|es|was|era))?[\s"'`*\\]{1,8})(?:\\[nrt])?"""
) + _SECRET
_NAMED = tuple((literal, regex(word + _SAID)) for literal, word in (("secret", "secret[oa]?"), ("key", "key")))
_HARMLESS = regex(r"(?:primary|foreign|public|pub|host|cache|sort|partition|row|index|lookup|idempotency)[_\- .]?$")
_OWNER = 24

_HEX = regex("[0-9A-Fa-f]+")
_MIXED = regex(r"(?=.*[a-z])(?=.*[A-Z]).*[0-9+/]", re.DOTALL)


def access_keys(text: str, lowered: str, places: Places) -> Iterator[Span]:
    """Secret keys in the lines of an access key id and beside it, and after "secret" or "key".

    ``lowered`` is ``text`` in lower case with the same length; spans may overlap.
    """
    if any(start in text for start in _IDS):
        for match in _ID.finditer(text):
            if match["secret"] is not None:
                yield from _judge(match, text)
        for start, end in _neighbourhoods(text):
            yield from _within(text, start, end)
    for literal, pattern in _NAMED:
        for match in matches(pattern, literal, lowered, places):
            harmless = _HARMLESS.search(lowered, max(0, match.start() - _OWNER), match.start())
            if not harmless and not (literal == "key" and in_link(text, match.start())):
                yield from _judge(match, text)


def _within(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _NEAR_ID.finditer(text, start, end + _WIDEST):
        if match.start() < end:
            yield from _judge(match, text)


def _judge(match: re.Match[str], text: str) -> Iterator[Span]:
    start, end = match.span("secret")
    value = re.sub(r"\\/|%2[Ff]", "/", text[start:end])
    if _MIXED.match(value) and not _HEX.fullmatch(value) and is_gibberish(value) and not is_stand_in(value):
        yield start, end, _RULE


def _neighbourhoods(text: str) -> Iterator[tuple[int, int]]:
    """Disjoint ranges: the lines of ids, with the line above and the line below that aren't empty."""
    end = 0
    for match in _ID.finditer(text):
        start, end = max(end, _above(text, match.start())), _below(text, match.end())
        yield start, end


def _above(text: str, at: int) -> int:
    least = max(0, at - _REACH)
    line = max(least, text.rfind("\n", least, at))
    above = least + len(text[least:line].rstrip(_EMPTY))
    return max(least, text.rfind("\n", least, above))


def _below(text: str, at: int) -> int:
    most = min(len(text), at + _REACH)
    line = text.find("\n", at, most)
    if line < 0:
        return most
    below = most - len(text[line:most].lstrip(_EMPTY))
    line = text.find("\n", below, most)
    return line if line >= 0 else most
