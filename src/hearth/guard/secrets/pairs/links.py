"""Links that let their reader in: a code in the query, a token in the path. A link that people share is none."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.randomness import is_random
from hearth.guard.secrets.vocabulary import Span
from hearth.lazy import regex

_QUERY = regex(
    r"[?&](?:code|ticket|assertion|samlresponse|id_token|invite|magic|reset|confirm)=(?P<secret>[\w./~+%-]{20,2048})",
)
_PATH = regex(
    r"/(?:reset|confirm|verify|invit|activat|unsubscrib|magic|token|password|passwort|signup|one-time)"
    r"[a-z_-]{0,20}/(?P<secret>[\w.~-]{20,512})"
)
_HEX = regex(r"(?:0x)?[0-9a-fA-F]{40}|[0-9a-f]{64}")
# The target of a link in a text for readers.
_TARGET = regex(r"(?:\]\(|\]: |<|\[\[)https?://[^\s<>()\[\]]{1,600}$")
_REACH = 640


def linked(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "://" not in text and "GET /" not in text and "POST /" not in text:
        return
    for pattern in (_QUERY, _PATH):
        for match in pattern.finditer(lowered):
            secret = text[slice(*match.span("secret"))]
            if is_random(secret, 20) and not _HEX.fullmatch(secret):
                yield *match.span("secret"), "token"


def in_link(text: str, at: int) -> bool:
    """Does ``at`` stand in the address of a link that a text shows its readers?"""
    first = max(text.rfind("\n", max(0, at - _REACH), at) + 1, at - _REACH)
    return _TARGET.search(text, first, at) is not None
