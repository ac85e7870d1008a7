"""A folder given on the command line, as a collection of the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hearth.app import Settings
from hearth.config import edit, vault_names
from hearth.disk.provenance import Provenance, find_provenance
from hearth.errors import Conflict, NotFound, UsageError


class AddedFolder(NamedTuple):
    """A collection, whether it is new, and for a new one whose words it was taken to hold, and why."""

    name: str
    new: bool
    provenance: Provenance

    def show(self) -> str:
        """For people, with the command that changes it."""
        trust, why = self.provenance
        return f"trust: {trust} ({why}); change it: hearth collection set {self.name} trust=mine" if why else ""


def added(chosen: Settings, path: str, name: str | None, fields: Mapping[str, Any]) -> AddedFolder:
    """Adds the folder to the vault's collections unless it is there, with the trust that it seems to deserve where
    ``fields`` give none.

    Raises ``NotFound`` where there is no such folder, ``UsageError`` where there can't be one, ``Conflict`` where the
    name or other settings are taken.
    """
    folder = existing(path)
    known = chosen.vault.collections
    for other, item in known.items():
        if item.path.resolve() == folder.resolve() and name in (None, other):
            _check_same(other, item, fields)
            return AddedFolder(other, False, Provenance(item.trust))
    wanted = name or edit.name_of(folder)
    if wanted in known:
        raise Conflict(f"collection {wanted!r} is already {known[wanted].path}; choose another name: --name NAME")
    names = vault_names(chosen.loaded.config)
    found = Provenance(fields["trust"]) if "trust" in fields else find_provenance(folder, chosen.environ)
    given = {"path": str(folder), **fields, **({} if found.trust == "mine" else {"trust": found.trust})}
    edit.add_collection(chosen.folders, chosen.vault.name, wanted, given, names)
    return AddedFolder(wanted, True, found)


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
