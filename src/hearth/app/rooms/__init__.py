"""The rooms of a vault, and how each is built; a builder is loaded when its room is first entered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.app.rooms import (
        capture,
        compat,
        curations,
        dream,
        exchange,
        graph,
        hooks,
        knowledge,
        lifecycle,
        memories,
        sessions,
        state,
        usage,
    )

__all__ = [
    "capture",
    "compat",
    "curations",
    "dream",
    "exchange",
    "graph",
    "hooks",
    "knowledge",
    "lifecycle",
    "memories",
    "sessions",
    "state",
    "usage",
]

__getattr__ = modules(__name__, *__all__)
