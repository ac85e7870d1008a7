"""Texts in which ⟦ and ⟧ stand around what has to be hidden."""

from __future__ import annotations


def split_marked(text: str) -> tuple[str, str, str]:
    """What stands before the secret, the secret, and what stands after it."""
    before, _, rest = text.partition("⟦")
    secret, _, after = rest.partition("⟧")
    return before, secret, after
