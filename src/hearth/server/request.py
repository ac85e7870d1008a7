"""What every protocol's call carries: the vault and the checked arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hearth.engine.vault import Vault
from hearth.pool.opened import OpenVault
from hearth.pool.pool import VaultPool


@dataclass
class Request:
    """In a thread of its own; ``arguments`` are checked."""

    vaults: VaultPool
    opened: OpenVault
    arguments: Mapping[str, Any]

    @property
    def vault(self) -> Vault:
        return self.opened.vault

    def __getitem__(self, name: str) -> Any:
        """An argument; ``None`` where it was left out."""
        return self.arguments.get(name)

    def given(self, *names: str) -> dict[str, Any]:
        """Those of these arguments that were given."""
        return {name: self.arguments[name] for name in names if name in self.arguments}
