"""What is put before an agent. A handler of hooks is loaded when first needed: no prompt pays for briefings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.context import briefing, incognito, point_of_action, session_ends, surfacing

__all__ = ["briefing", "incognito", "point_of_action", "session_ends", "surfacing"]

__getattr__ = modules(__name__, *__all__)
