"""Collections as clients name them."""

from __future__ import annotations

from hearth.config.kinds import near
from hearth.engine.vault import Vault
from hearth.errors import NotFound


def existing(vault: Vault, named: tuple[str, ...]) -> tuple[str, ...]:
    """These, each of which there is. Raises ``NotFound`` with a near name for one that there is not."""
    there = [collection.name for collection in vault.collections]
    for name in named:
        if name not in there:
            raise NotFound(f"no collection {name!r}{near(name, there)}; there are: {', '.join(there) or 'none'}")
    return named
