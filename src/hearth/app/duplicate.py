"""A folder of Hearth's copied to another place: private, on the disk, and each file whole or not there."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from hearth.errors import Conflict
from hearth.files import PRIVATE_FILE, PRIVATE_FOLDER, TEMPORARY, beside, make_folder, settle, sync_folder


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
