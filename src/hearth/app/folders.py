"""Folders of a vault: its own, made where they are missing, and those of people that become collections."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hearth.app.settings import Settings
from hearth.config import config_file, edit, vault_names
from hearth.core.errors import Conflict, NotFound, Unavailable, UsageError
from hearth.core.files import make_folder, write_atomically
from hearth.disk.project import Provenance, find_provenance

_CONFIG = """\
# Hearth's settings; every key is optional. See them all with: hearth config show
# Add a folder of notes with: hearth bootstrap PATH
"""


def prepare_vault(chosen: Settings) -> None:
    """Makes what is missing of the vault's folders and the configuration. Raises ``Unavailable``."""
    for folder in (chosen.vault.data, chosen.vault.cache):
        try:
            make_folder(folder)
        except OSError as error:
            raise Unavailable(f"can't create {folder}: {error.strerror}; check its permissions") from error
    file = config_file(chosen.folders)
    if not file.exists():
        write_atomically(file, _CONFIG.encode("utf-8"))


class AddedFolder(NamedTuple):
    """A collection, whether it is new, and for a new one whose words it was taken to hold, and why."""

    name: str
    new: bool
    provenance: Provenance

    def show(self) -> str:
        """For people, with the command that changes it."""
        trust, why = self.provenance
        return f"trust: {trust} ({why}); change it: hearth collection set {self.name} trust=mine" if why else ""


def add_folder(chosen: Settings, path: str, name: str | None, fields: Mapping[str, Any]) -> AddedFolder:
    """Adds the folder to the vault's collections unless it is there, with the trust that it seems to deserve where
    ``fields`` give none.

    Raises ``NotFound`` where there is no such folder, ``UsageError`` where there can't be one, ``Unavailable`` where it
    can't be read, ``Conflict`` where the name or other settings are taken.
    """
    folder = find_folder(path)
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


def find_folder(path: str) -> Path:
    """The folder that is meant. Raises ``NotFound`` where there is none, ``UsageError`` where there can't be one,
    ``Unavailable`` where it can't be read."""
    try:
        folder = Path(path).expanduser().absolute()
        is_there = folder.is_dir()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path[:80]!r} can't be a folder: {why}; name one that holds markdown files") from error
    if not is_there:
        what = f"{folder} is a file" if folder.exists() else f"there is no folder {folder}"
        raise NotFound(f"{what}; name a folder that holds markdown files")
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                entry.stat(follow_symlinks=False)  # what may be listed but not entered has files that can't be read
                break
    except OSError as error:
        raise Unavailable(f"can't read {folder}: {error.strerror}; check its permissions") from error
    return folder


def _check_same(name: str, item: Any, fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        present = getattr(item, key)
        if (list(present) if isinstance(present, tuple) else present) != value and key != "update":
            raise Conflict(
                f"collection {name!r} has this folder with another {key}; "
                f"change it: hearth config set collections.{name}.{key} VALUE"
            )
