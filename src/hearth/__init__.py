"""Hearth: a local memory engine for AI agents.

Markdown files are the memory; everything else is derived from them. Names are loaded on first use, so that a hook or
a shell completion pays only for what it touches.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hearth.app import open_vault
    from hearth.context.engine.assembly import AssembleRequest, Assembly
    from hearth.context.engine.sessions import SessionId
    from hearth.core.errors import (
        Ambiguous,
        BadReply,
        ConfigError,
        Conflict,
        HearthError,
        NotFound,
        Unavailable,
        UsageError,
    )
    from hearth.core.memory import Remembered
    from hearth.core.query import Hit, Query, Recall
    from hearth.vault.documents import Excerpt
    from hearth.vault.vault import Vault

__version__ = "0.1.0"

_HOMES = {
    "hearth.app": ("open_vault",),
    "hearth.context.engine.assembly": ("AssembleRequest", "Assembly"),
    "hearth.context.engine.sessions": ("SessionId",),
    "hearth.vault.documents": ("Excerpt",),
    "hearth.vault.vault": ("Vault",),
    "hearth.core.errors": (
        "Ambiguous",
        "BadReply",
        "ConfigError",
        "Conflict",
        "HearthError",
        "NotFound",
        "Unavailable",
        "UsageError",
    ),
    "hearth.core.memory": ("Remembered",),
    "hearth.core.query": ("Hit", "Query", "Recall"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Ambiguous",
    "AssembleRequest",
    "Assembly",
    "BadReply",
    "ConfigError",
    "Conflict",
    "Excerpt",
    "HearthError",
    "Hit",
    "NotFound",
    "Query",
    "Recall",
    "Remembered",
    "SessionId",
    "Unavailable",
    "UsageError",
    "Vault",
    "__version__",
    "open_vault",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        from importlib import import_module

        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'hearth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
