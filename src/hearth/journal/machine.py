"""This machine's name in journals, and which files of a folder are journals."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from hearth.core.errors import Unavailable
from hearth.core.files import locked, sync_folder, write_atomically
from hearth.core.lazy import dataclass, regex
from hearth.journal.line import CROCKFORD

MAX_NUMBER = 9999
_NAME = regex(r"([0-9a-hjkmnp-tv-z]{10})(?:\.([0-9]{4}))?\.jsonl")


@dataclass(frozen=True, slots=True, order=True)
class JournalFile:
    machine: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.machine}.{self.number:04d}.jsonl" if self.number else f"{self.machine}.jsonl"


def list_folder(folder: Path) -> tuple[list[JournalFile], list[str]]:
    """Journal files in order, and other names, such as the conflict copies of a sync program.

    Hidden names are left out: sync programs keep unfinished transfers there. A missing folder is an empty one; any
    other failure raises ``OSError``.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 (names alone; Path objects cost more than the listing)
    except FileNotFoundError:
        return [], []
    files, strangers = [], []
    for name in names:
        if file := parse(name):
            files.append(file)
        elif not name.startswith("."):
            strangers.append(name)
    return sorted(files), sorted(strangers)


def parse(name: str) -> JournalFile | None:
    found = _NAME.fullmatch(name)
    if found is None or found[2] == "0000":
        return None
    return JournalFile(found[1], int(found[2] or 0))


LENGTH = 10
_ALPHABET = CROCKFORD.lower()


def machine_id(state_folder: Path, data_folder: Path, os_machine_id: str | None) -> str:
    """Ten lower-case Crockford characters, kept in ``state_folder``.

    The file's name is a hash of the OS machine id (``None`` where there is none) and the data folder's real path. So a
    copied data folder, a copied state folder, or a home shared by two machines draws a new one and leaves the other's
    alone; two writers never share a journal file. Raises ``Unavailable`` where the folder can't be read or written.
    """
    path = _place(state_folder, data_folder, os_machine_id)
    known = _read(path)
    if known is None:
        with locked(state_folder / "machine.lock"):
            known = _read(path)
            if known is None:
                import secrets

                known = "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))
                write_atomically(path, f"{known}\n".encode("ascii"))
    return known


def find_machine_id(state_folder: Path, data_folder: Path, os_machine_id: str | None) -> str | None:
    """As ``machine_id``, without drawing one."""
    return _read(_place(state_folder, data_folder, os_machine_id))


def carry_machine_id(state_folder: Path, old: Path, new: Path, os_machine_id: str | None) -> None:
    """Data folder ``new`` is to be ``old`` under another name: on this machine, and only because somebody moved it with
    us, it keeps its writer. Both have it until ``drop_machine_id``. Raises ``Unavailable``."""
    with locked(state_folder / "machine.lock"):
        known = find_machine_id(state_folder, old, os_machine_id)
        if known is not None:
            write_atomically(_place(state_folder, new, os_machine_id), f"{known}\n".encode("ascii"))


def drop_machine_id(state_folder: Path, data_folder: Path, os_machine_id: str | None) -> None:
    """What stands under that name from now on draws an id of its own. Raises ``OSError``."""
    with locked(state_folder / "machine.lock"):
        _place(state_folder, data_folder, os_machine_id).unlink(missing_ok=True)
        sync_folder(state_folder)


def _place(state_folder: Path, data_folder: Path, os_machine_id: str | None) -> Path:
    place = f"{os_machine_id or ''}\0{data_folder.resolve()}".encode("utf-8", "surrogateescape")
    return state_folder / f"machine-{hashlib.sha256(place).hexdigest()[:16]}"


def _read(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    return text if parse(f"{text}.jsonl") and len(text) == LENGTH else None
