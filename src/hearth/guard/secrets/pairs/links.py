"""Links that let their reader in: a code or a key in the query, a token in the path."""

from __future__ import annotations

from collections.abc import Iterator

from hearth.guard.secrets.randomness import is_random
from hearth.guard.secrets.spans import Span
from hearth.lazy import regex

_QUERY = regex(
    r"[?&](?:code|appid|app_id|ticket|assertion|samlresponse|id_token|invite|magic|reset|confirm|hash|k|t|s)="
    r"(?P<secret>[\w./~+%-]{20,2048})",
)
_PATH = regex(
    r"/(?:reset|confirm|verify|invit|activat|unsubscrib|magic|token|password|passwort|signup|one-time|share|join)"
    r"[a-z_-]{0,20}/(?P<secret>[\w.~-]{20,512})"
)
_HEX = regex(r"[0-9a-f]{40}|[0-9a-f]{64}")


def linked(text: str, lowered: str) -> Iterator[Span]:
    """``lowered`` is ``text`` in lower case with the same length."""
    if "://" not in text and "GET /" not in text and "POST /" not in text:
        return
    for pattern in (_QUERY, _PATH):
        for match in pattern.finditer(lowered):
            secret = text[slice(*match.span("secret"))]
            if is_random(secret, 20) and not _HEX.fullmatch(secret):
                yield *match.span("secret"), "token"
