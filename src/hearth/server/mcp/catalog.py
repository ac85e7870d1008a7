"""The catalogue: every tool that the engine can serve, in the order in which a newcomer needs them."""

from __future__ import annotations

from collections.abc import Mapping

from hearth.server.mcp.tool import Tool
from hearth.server.mcp.tools import documents, lifecycle, pair, retrieve, search, sessions, state, upkeep, writing

PROFILES = ("core", "full")
_MODULES = (retrieve, search, documents, sessions, writing, state, lifecycle, pair, upkeep)


def tools(profile: str = "full") -> Mapping[str, Tool]:
    """Name -> tool; ``core`` are the few that most sessions need."""
    every = (tool for module in _MODULES for tool in module.TOOLS)
    return {tool.name: tool for tool in every if profile == "full" or tool.core}
