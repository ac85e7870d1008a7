"""Names of sessions and turns as they are kept: short, plain, and no secret."""

from __future__ import annotations

from functools import lru_cache

from hearth.model.host import session

_REMEMBERED = 256


@lru_cache(_REMEMBERED)
def _keep(plain: str) -> str:
    """The journal would replace what looks like a secret, and make one session of all of them."""
    from hearth.guard.secrets.redaction import redact

    return plain if redact(plain).text == plain else session.hashed(plain)


def of_session(given: str) -> str:
    """Raises ``UsageError`` for an empty name."""
    return _keep(session.session_key(given))


def of_turn(key: str, given: str | None, ordinal: int | None = None) -> str:
    """Raises ``UsageError`` where neither a name nor a number is given."""
    return _keep(session.turn_key(key, given, ordinal))


def one_line(text: str | None, limit: int) -> str | None:
    """Outside text as one storable line; ``None`` where nothing is left."""
    if not text:
        return None
    plain = text[: 4 * limit].encode("utf-8", "backslashreplace").decode("utf-8")
    plain = " ".join("".join(char if char.isprintable() else " " for char in plain).split())
    return plain[:limit] or None
