"""What composing a vault reads from outside, once."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from hearth import paths
from hearth.config import Config, Loaded, VaultConfig, load, vault, vault_for
from hearth.config.tree import DEFAULT_VAULT
from hearth.lazy import dataclass

_OS_MACHINE_ID = Path("/etc/machine-id")


@dataclass(frozen=True)
class Settings:
    """``environ`` holds the keys of models' servers; it is never shown."""

    folders: paths.Folders
    loaded: Loaded
    vault: VaultConfig
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def key(self, variable: str | None) -> str | None:
        """The key in a variable that a setting names; ``None`` where none is named or it is empty."""
        return (self.environ.get(variable) or None) if variable else None


def settings(
    name: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """Reads configuration; ``name`` defaults to ``HEARTH_VAULT``, else to the vault whose root the working folder lies
    below, else to ``default``."""
    environ = os.environ if environ is None else environ
    folders = paths.folders(environ)
    loaded = load(folders, environ, flags)
    chosen = name or environ.get("HEARTH_VAULT") or _here(loaded.config)
    return Settings(folders, loaded, vault(loaded.config, folders, chosen), environ)


def _here(config: Config) -> str:
    try:
        return vault_for(Path.cwd(), config)
    except OSError:  # a folder that was removed
        return DEFAULT_VAULT


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def os_machine_id() -> str | None:
    try:
        return _OS_MACHINE_ID.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
