"""A folder given on the command line, as a collection of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hearth.app import Settings
from hearth.config import edit, vault_names
from hearth.errors import Conflict, NotFound, UsageError


def added(chosen: Settings, path: str, name: str | None, fields: Mapping[str, Any]) -> tuple[str, bool]:
    """Adds the folder to the vault's collections unless it is there; returns its name and whether it is new.

    Raises ``NotFound`` where there is no such folder, ``UsageError`` where there can't be one, ``Conflict`` where the
    name or other settings are taken.
    """
    folder = existing(path)
    known = chosen.vault.collections
    for other, item in known.items():
        if item.path.resolve() == folder.resolve() and name in (None, other):
            _check_same(other, item, fields)
            return other, False
    wanted = name or edit.name_of(folder)
    if wanted in known:
        raise Conflict(f"collection {wanted!r} is already {known[wanted].path}; choose another name: --name NAME")
    names = vault_names(chosen.loaded.config)
    edit.add_collection(chosen.folders, chosen.vault.name, wanted, {"path": str(folder), **fields}, names)
    return wanted, True


def existing(path: str) -> Path:
    """The folder that is meant. Raises ``NotFound`` where there is none, ``UsageError`` where there can't be one."""
    try:
        folder = Path(path).expanduser().absolute()
        there = folder.is_dir()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path[:80]!r} can't be a folder: {why}; name one that holds markdown files") from error
    if not there:
        what = f"{folder} is a file" if folder.exists() else f"there is no folder {folder}"
        raise NotFound(f"{what}; name a folder that holds markdown files")
    return folder


def _check_same(name: str, item: Any, fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        present = getattr(item, key)
        if (list(present) if isinstance(present, tuple) else present) != value and key != "update":
            raise Conflict(
                f"collection {name!r} has this folder with another {key}; "
                f"change it: hearth config set collections.{name}.{key} VALUE"
            )
