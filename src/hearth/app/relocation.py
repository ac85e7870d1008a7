"""A vault's memories and journal in another folder, by steps of which each can be cut short and taken again.

It is noted on this machine what goes where, and the new folder is closed to others; then come the files, this machine's
id, the settings, and the old folder's new name. Until the settings say the new folder the old one is the vault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from hearth.app.duplicate import close, duplicate
from hearth.app.locks import VaultLocks, former
from hearth.app.settings import Settings, os_machine_id
from hearth.config import VaultConfig, edit
from hearth.disk import temp_files
from hearth.errors import Conflict, UsageError
from hearth.files import locked, sync_folder, unavailable, write_atomically
from hearth.journal import carry_machine_id, drop_machine_id, known_machine_id

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
        raise UsageError(f"{new} is where it is already")
    if new.is_relative_to(old) or old.is_relative_to(new):
        raise UsageError(f"{new} and {old} hold each other; choose another folder")
    if not begun and new.exists() and (not new.is_dir() or any(new.iterdir())):
        raise Conflict(f"{new} is not empty; choose another folder")
    if former(old).exists():
        raise Conflict(f"{former(old)} is left from an earlier move; remove it first")


def _fill(note: Path, old: Path, new: Path) -> None:
    write_atomically(note, f"{old}\n{new}\n".encode("utf-8", "surrogateescape"))
    try:
        close(new)
        temp_files.sweep([new])
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
        raise unavailable(f"{new} is in use now, but {old} can't be put away", error) from error


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
    known = known_machine_id(Path(chosen.folders.state), vault.data, os_machine_id())
    journal = vault.data / "journal" / f"{known}.jsonl"
    with locks.scan(), locks.write(), locked(journal, shared=True) if journal.exists() else nullcontext():
        yield
