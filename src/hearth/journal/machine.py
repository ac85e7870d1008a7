"""This machine's name in journals, drawn at random once per operating system and data folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import locked, write_atomically
from hearth.journal.clock import CROCKFORD
from hearth.journal.names import parse

LENGTH = 10
_ALPHABET = CROCKFORD.lower()


def machine_id(state_folder: Path, data_folder: Path, os_machine_id: str | None) -> str:
    """Ten lower-case Crockford characters, kept in ``state_folder``.

    The file's name is a hash of the OS machine id (``None`` where there is none) and the data folder's real path. So a
    copied data folder, a copied state folder, or a home shared by two machines draws a new one and leaves the other's
    alone; two writers never share a journal file. Raises ``Unavailable`` where the folder can't be read or written.
    """
    place = f"{os_machine_id or ''}\0{data_folder.resolve()}".encode("utf-8", "surrogateescape")
    path = state_folder / f"machine-{hashlib.sha256(place).hexdigest()[:16]}"
    known = _read(path)
    if known is None:
        with locked(state_folder / "machine.lock"):
            known = _read(path)
            if known is None:
                import secrets

                known = "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH))
                write_atomically(path, f"{known}\n".encode("ascii"))
    return known


def _read(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"can't read {path}: {error.strerror}; check its permissions") from error
    return text if parse(f"{text}.jsonl") and len(text) == LENGTH else None
