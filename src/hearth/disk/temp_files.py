"""What a killed process left half written: hidden files that nobody is writing any more."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from hearth.core.files import TEMPORARY, sync_folder

# A writer holds a lock on its file, but not on every file system.
SETTLED_SECONDS = 60.0


def found(folders: Iterable[Path], age: float = 0.0) -> Iterator[Path]:
    """Unfinished files below the folders, untouched for ``age`` seconds, that no process holds."""
    for path in _find_named(folders):
        with suppress(OSError):
            if _is_left(path, age):
                yield path


def sweep(folders: Iterable[Path], age: float = 0.0) -> list[Path]:
    """Removes them; the names of those that are gone."""
    gone: list[Path] = []
    for path in _find_named(folders):
        with suppress(OSError):
            if _is_left(path, age, remove=True):
                sync_folder(path.parent)
                gone.append(path)
    return gone


def _find_named(folders: Iterable[Path]) -> Iterator[Path]:
    begin, end = TEMPORARY
    for top in dict.fromkeys(folders):
        for folder, _, names in os.walk(top):
            yield from (Path(folder, name) for name in names if name.startswith(begin) and name.endswith(end))


def _is_left(path: Path, age: float, *, remove: bool = False) -> bool:
    """Judged, and removed, under the lock that its writer would hold. Raises ``OSError``."""
    handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or time.time() - status.st_mtime < age:
            return False
        if remove:
            path.unlink()
        return True
    finally:
        os.close(handle)
