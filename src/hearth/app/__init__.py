"""The composition root: from the configuration to a vault that answers. The only package that picks adapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hearth import paths
from hearth.app.composer import Composer, fingerprint
from hearth.app.models import quantize
from hearth.app.settings import Settings, settings
from hearth.config.tree import Collection
from hearth.engine.vault import Vault

__all__ = ["Settings", "compose", "fingerprint", "open_folder", "open_vault", "quantize", "settings"]


def open_vault(name: str | None = None, *, environ: Mapping[str, str] | None = None) -> Vault:
    """Opens a vault by name, making its folders as needed.

    Raises ``ConfigError``, ``NotFound`` for an unknown name, ``Unavailable`` where the index can't be opened.
    """
    return compose(settings(name, environ=environ))


def open_folder(folder: Path, work: Path, given: Mapping[str, str] | None = None) -> Vault:
    """A throw-away vault over one folder, its data and index below ``work``: for measuring, with default settings but
    for the variables ``given``."""
    environ = {f"HEARTH_{name.upper()}_DIR": str(work / name) for name in paths.NAMES} | {"HOME": str(work)}
    environ |= given or {}
    chosen = settings(environ=environ)
    collections = {"notes": Collection(path=folder.resolve())}
    return compose(replace(chosen, vault=replace(chosen.vault, collections=collections)))


def compose(chosen: Settings) -> Vault:
    return Composer(chosen).vault()
