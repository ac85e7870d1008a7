"""Folders of a vault: its own, made where they are missing, and those of people that become collections. A vault's
memories and journal in another folder, by steps of which each can be cut short and taken again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from hearth.app.settings import Settings, VaultLocks, former, os_machine_id
from hearth.config import VaultConfig, config_file, edit, vault_names
from hearth.core.errors import Conflict, NotFound, Unavailable, UsageError
from hearth.core.files import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    TEMPORARY,
    beside,
    locked,
    make_folder,
    settle,
    sync_folder,
    unavailable,
    write_atomically,
)
from hearth.disk import state_files
from hearth.disk.project import Provenance, find_provenance
from hearth.journal import carry_machine_id, drop_machine_id, find_machine_id

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


def close(folder: Path) -> None:
    """Makes the folder where it is not there; it is its owner's alone, and on the disk. Raises ``OSError``."""
    make_folder(folder)
    folder.chmod(PRIVATE_FOLDER)
    sync_folder(folder)
    settle(folder)


def duplicate(old: Path, new: Path) -> bool:
    """Brings ``new`` to what ``old`` holds; whether something had to be copied. What is there already is left.

    Links stay links; what is neither a file, a folder nor a link is passed over, and so is what a killed process left
    half written. What ``new`` holds besides is a ``Conflict``, since nothing is ever removed here. Raises ``OSError``.
    """
    entries = {path.name: path for path in sorted(old.iterdir()) if not _is_unfinished(path.name)}
    there = {path.name for path in new.iterdir() if not _is_unfinished(path.name)}
    if strange := sorted(there - entries.keys()):
        raise Conflict(f"{new / strange[0]} is not in {old}; remove it and run the same command again")
    changed = False
    for name, path in entries.items():
        changed = _copy(path, new / name) or changed
    if changed:
        sync_folder(new)
    return changed


def _copy(path: Path, target: Path) -> bool:
    status = path.lstat()
    if stat.S_ISDIR(status.st_mode):
        made = not target.is_dir()
        close(target)
        return duplicate(path, target) or made
    if stat.S_ISLNK(status.st_mode):
        return _copy_link(path, target)
    if not stat.S_ISREG(status.st_mode) or _is_same(status, target):
        return False
    with beside(target.parent, path.read_bytes(), PRIVATE_FILE) as temporary:
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
        temporary.replace(target)
    return True


def _copy_link(path: Path, target: Path) -> bool:
    leads_to = path.readlink()
    if target.is_symlink() and target.readlink() == leads_to:
        return False
    target.unlink(missing_ok=True)
    target.symlink_to(leads_to)
    return True


def _is_same(status: os.stat_result, target: Path) -> bool:
    with suppress(FileNotFoundError):
        found = target.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            return False
        return (found.st_size, found.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    return False


def _is_unfinished(name: str) -> bool:
    begin, end = TEMPORARY
    return name.startswith(begin) and name.endswith(end)


# Whoever writes a journal or a file while all is copied has it copied in the next round.
_ROUNDS = 5


def relocate(chosen: Settings, vault: VaultConfig, new: Path) -> Path:
    """Moves the vault to ``new``; returns its former folder, which is there under the name ``former`` gives.

    The same call goes on with a move that was cut short. Raises ``UsageError`` and ``Conflict`` for a folder that can't
    be taken, ``Unavailable`` where the disk fails; the vault is then in the one folder or in the other, whole.
    """
    note = Path(chosen.folders.state, f"moving-{vault.name}")
    begun = _read(note)
    with _alone(chosen, vault):
        if begun is not None and begun[1] == vault.data:
            _retire(chosen, note, *begun)
            if new == vault.data:
                return begun[0]
        _check(vault.data, new, begun == (vault.data, new))
        _fill(note, vault.data, new)
        carry_machine_id(Path(chosen.folders.state), vault.data, new, os_machine_id())
        edit.set_value(chosen.folders, f"vaults.{vault.name}.data", str(new))
        _retire(chosen, note, vault.data, new)
    return vault.data


def _check(old: Path, new: Path, begun: bool) -> None:
    if new == old:
        raise UsageError(f"{new} is already the vault's folder")
    if new.is_relative_to(old) or old.is_relative_to(new):
        raise UsageError(f"{new} and {old} contain each other; choose another folder")
    if not begun and new.exists() and (not new.is_dir() or any(new.iterdir())):
        raise Conflict(f"{new} is not empty; choose another folder")
    if former(old).exists():
        raise Conflict(f"{former(old)} is left over from an earlier move; remove it first")


def _fill(note: Path, old: Path, new: Path) -> None:
    write_atomically(note, f"{old}\n{new}\n".encode("utf-8", "surrogateescape"))
    try:
        close(new)
        state_files.sweep_left([new])
        if old.is_dir():
            for _ in range(_ROUNDS):
                if not duplicate(old, new):
                    return
    except OSError as error:
        raise unavailable(f"{old} can't be moved to {new}", error) from error


def _retire(chosen: Settings, note: Path, old: Path, new: Path) -> None:
    """The old folder gets out of the way, and is nobody's any more."""
    try:
        if old.is_dir() and not former(old).exists():
            old.rename(former(old))
            sync_folder(old.parent)
        drop_machine_id(Path(chosen.folders.state), old, os_machine_id())
        note.unlink()
        sync_folder(note.parent)
    except OSError as error:
        raise unavailable(f"{new} is now in use, but {old} can't be renamed", error) from error


def _read(note: Path) -> tuple[Path, Path] | None:
    """From where to where a move was begun that did not end."""
    try:
        places = note.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unavailable(f"can't read {note}", error) from error
    return (Path(places[0]), Path(places[1])) if len(places) == 3 else None


@contextmanager
def _alone(chosen: Settings, vault: VaultConfig) -> Iterator[None]:
    """While no process of this machine scans, remembers or writes the journal."""
    locks = VaultLocks(vault.cache, vault.data)
    known = find_machine_id(Path(chosen.folders.state), vault.data, os_machine_id())
    journal = vault.data / "journal" / f"{known}.jsonl"
    with locks.scan(), locks.write(), locked(journal, shared=True) if journal.exists() else nullcontext():
        yield
