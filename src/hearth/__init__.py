"""Hearth: a local memory engine for AI agents.

Markdown files are the memory; everything else is derived from them. Names are loaded on first use, so that a hook or
a shell completion pays only for what it touches.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hearth.app import open_vault
    from hearth.engine.vault import Vault
    from hearth.errors import Ambiguous, BadReply, ConfigError, Conflict, HearthError, NotFound, Unavailable, UsageError
    from hearth.model.query import Hit, Query, Recall

__version__ = "0.1.0"

_HOMES = {
    "Vault": "hearth.engine.vault",
    "open_vault": "hearth.app",
    "Hit": "hearth.model.query",
    "Query": "hearth.model.query",
    "Recall": "hearth.model.query",
    "Ambiguous": "hearth.errors",
    "BadReply": "hearth.errors",
    "ConfigError": "hearth.errors",
    "Conflict": "hearth.errors",
    "HearthError": "hearth.errors",
    "NotFound": "hearth.errors",
    "Unavailable": "hearth.errors",
    "UsageError": "hearth.errors",
}

__all__ = [
    "Ambiguous",
    "BadReply",
    "ConfigError",
    "Conflict",
    "HearthError",
    "Hit",
    "NotFound",
    "Query",
    "Recall",
    "Unavailable",
    "UsageError",
    "Vault",
    "__version__",
    "open_vault",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hearth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
