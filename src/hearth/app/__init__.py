"""The composition root: from the configuration to a vault that answers. The only package that picks adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hearth.app.adapters import Adapters, fingerprint
from hearth.app.models import quantize
from hearth.app.settings import Settings, now_ms, private_places, remnant_folders, settings
from hearth.app.vault import AgentVault, LocalVault
from hearth.config import Config
from hearth.config.tree import CollectionSettings
from hearth.core import paths
from hearth.core.session import MAIN_AGENT
from hearth.ports import Clock
from hearth.vault.vault import Vault

if TYPE_CHECKING:
    from hearth.context.hook_context import Hooks

AGENT = "HEARTH_AGENT"
"""Names the agent as which a program asks."""

__all__ = [
    "Settings",
    "compose",
    "fingerprint",
    "hooks",
    "open_folder",
    "open_vault",
    "private_places",
    "quantize",
    "remnant_folders",
    "settings",
]


def open_vault(name: str | None = None, *, environ: Mapping[str, str] | None = None) -> Vault:
    """Opens a vault by name, making its folders as needed.

    Raises ``ConfigError``, ``NotFound`` for an unknown name, ``Unavailable`` where the index can't be opened.
    """
    return compose(settings(name, environ=environ))


def open_folder(
    folder: Path, work: Path, given: Mapping[str, str] | None = None, *, clock: Clock | None = None
) -> Vault:
    """A throw-away vault over one folder, its data and index below ``work``: for measuring, with default settings but
    for the variables ``given``; ``clock`` tells the moment, ms UTC."""
    environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
    environ |= given or {}
    chosen = settings(environ=environ)
    # What is measured is nobody's reference, however many pages there are.
    collections = {"notes": CollectionSettings(path=folder.resolve(), surface="always")}
    return compose(replace(chosen, vault=replace(chosen.vault, collections=collections)), clock)


def compose(chosen: Settings, clock: Clock | None = None, warn: Callable[[str], object] | None = None) -> Vault:
    """``warn`` as for ``Adapters``. Where ``HEARTH_AGENT`` names another agent than the main one, as that sees it."""
    whole = LocalVault(Adapters(chosen, clock or now_ms, warn))
    agent = chosen.environ.get(AGENT) or MAIN_AGENT
    return whole if agent == MAIN_AGENT else AgentVault(whole, agent, alone=True)


def hooks(vault: Vault, config: Config) -> Hooks:
    """What answers the events of hosts over a vault."""
    from hearth.app.surfacing import build_hooks

    return build_hooks(vault, config)
