"""Settings: one frozen tree, loaded from file, environment and flags.

This package and ``hearth.core.paths`` are the only modules that read the environment. Changing ``config.yaml`` is in
``hearth.config.edit``, which only the commands that do so import.
"""

from __future__ import annotations

from hearth.config.load import (
    Loaded,
    VaultConfig,
    changed,
    config_file,
    get,
    load,
    local_zone,
    restart_needed,
    rows,
    vault,
    vault_for,
    vault_names,
)
from hearth.config.tree import (
    DEFAULT_VAULT,
    CollectionSettings,
    Config,
    Daemon,
    Embedding,
    Fragments,
    Lifecycle,
    RerankSettings,
    SearchSettings,
    ServerSettings,
    SurfaceSettings,
    VaultSettings,
)

__all__ = [
    "DEFAULT_VAULT",
    "CollectionSettings",
    "Config",
    "Daemon",
    "Embedding",
    "Fragments",
    "Lifecycle",
    "Loaded",
    "RerankSettings",
    "SearchSettings",
    "ServerSettings",
    "SurfaceSettings",
    "VaultConfig",
    "VaultSettings",
    "changed",
    "config_file",
    "get",
    "load",
    "local_zone",
    "restart_needed",
    "rows",
    "vault",
    "vault_for",
    "vault_names",
]
