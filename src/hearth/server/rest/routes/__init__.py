"""The routes, by what they are about; each module lists its own in ``ROUTES``."""

from __future__ import annotations

from hearth.server.rest.route import Route
from hearth.server.rest.routes import documents, exchange, lifecycle, memory, search, server, sessions, state, writing

_MODULES = (server, search, documents, state, lifecycle, sessions, writing, memory, exchange)


def routes() -> tuple[Route, ...]:
    """What the engine can serve. Where a path fits several, the one with more to it goes first."""
    there = [route for module in _MODULES for route in module.ROUTES]
    return tuple(sorted(there, key=lambda route: (-route.path.count("/") + 2 * route.path.endswith("}"), route.path)))
