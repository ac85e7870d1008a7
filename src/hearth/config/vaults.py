"""Vaults as the engine sees them: folders and collections by name, and the vault of a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hearth.config.kinds import near
from hearth.config.tree import DEFAULT_VAULT, CollectionSettings, Config
from hearth.core.errors import NotFound
from hearth.core.lazy import dataclass
from hearth.core.paths import Folders


@dataclass(frozen=True)
class VaultConfig:
    """``data`` holds markdown and journals, ``cache`` what can be rebuilt; neither is created here."""

    name: str
    data: Path
    cache: Path
    roots: tuple[Path, ...]
    collections: Mapping[str, CollectionSettings]


def vault_names(config: Config) -> tuple[str, ...]:
    return tuple(config.vaults)


def vault(config: Config, folders: Folders, name: str) -> VaultConfig:
    """The vault of that name; raises ``NotFound`` listing the names."""
    if name not in config.vaults:
        hint = near(name, vault_names(config))
        raise NotFound(f"there is no vault {name!r}{hint}; vaults are {', '.join(vault_names(config))}")
    given = config.vaults[name]
    collections = {**config.collections, **given.collections} if name == DEFAULT_VAULT else given.collections
    return VaultConfig(
        name=name,
        data=given.data or Path(folders.data, name),
        cache=Path(folders.cache, name),
        roots=given.roots,
        collections=collections,
    )


def vault_for(project: Path, config: Config) -> str:
    """The vault whose root is the longest prefix of ``project``, symlinks followed; else ``default``, also for a folder
    that no system can hold."""
    try:
        real = project.resolve()
    except (OSError, ValueError):
        return DEFAULT_VAULT
    found = [
        (len(root.parts), name)
        for name, given in config.vaults.items()
        for root in (root.resolve() for root in given.roots)
        if real.is_relative_to(root)
    ]
    return max(found)[1] if found else DEFAULT_VAULT
