"""Whether settings hold anything of Hearth, whichever command put it there."""

from __future__ import annotations

from hearth.errors import ConfigError
from hearth.hosts.clients import NAME
from hearth.hosts.command import is_our_server, is_ours
from hearth.settings_files import hooks, servers
from hearth.settings_files.hooks import Layout

_TABLES = ("mcpServers", "servers")


def is_foreign(text: str, *, look: Layout, place: str) -> bool:
    """Hooks and servers may stand in one file, whose backup is of the time before either."""
    if any(servers.holds_ours(text, (table, NAME), is_our_server, place) for table in _TABLES):
        return False
    try:
        return not hooks.holds_ours(text, Layout(is_ours, look.grouped), place)
    except ConfigError:  # hooks of another shape than ours
        return True


def is_ours_alone(text: str, *, look: Layout, place: str) -> bool:
    """Whether nothing is left without our hooks and servers."""
    try:
        text = hooks.edited(text, [], Layout(is_ours, look.grouped, look.head), place)
        for table in _TABLES:
            text = servers.edited(text, (table, NAME), None, is_our_server, place)
        return hooks.is_blank(text, look, place)
    except ConfigError:  # of another shape than ours
        return False
