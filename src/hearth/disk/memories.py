"""The files that the engine writes: each appears whole, and none replaces what somebody else wrote meanwhile."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hearth.core.document import content_hash
from hearth.core.files import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    beside,
    inside,
    make_folder,
    settle,
    sync_folder,
    unavailable,
)
from hearth.core.memory import MAX_FILE_BYTES
from hearth.ports import Mount


class DiskMemories:
    """Implements ``ports.MemoryFiles`` over a folder of the local file system, parts of which may lie elsewhere."""

    def __init__(self, root: Path, mounts: Sequence[Mount] = ()) -> None:
        self.root = str(root)
        self._mounts = tuple(mounts)

    def _place(self, path: str) -> Path:
        for mount in self._mounts:
            if path.startswith(mount.below):
                return inside(mount.root, path.removeprefix(mount.below))
        return inside(self.root, path)

    def read(self, path: str) -> bytes | None:
        place = self._place(path)
        with _explain("read", place):
            try:
                # Without waiting: somebody may have put a pipe there.
                handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except (FileNotFoundError, NotADirectoryError):
                return None
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise OSError(0, "not a regular file")
                data = file.read(MAX_FILE_BYTES + 1)
            if len(data) > MAX_FILE_BYTES:
                raise OSError(0, f"larger than {MAX_FILE_BYTES // 2**20} MB")
            return data

    def create(self, path: str, data: bytes) -> bool:
        place = self._place(path)
        with _explain("write", place):
            make_folder(place.parent, self._folder_mode(path))
            settle(place.parent)
            with beside(place.parent, data, PRIVATE_FILE) as temporary:
                try:
                    _link(temporary, place)
                except FileExistsError:
                    return False
                sync_folder(place.parent)
        return True

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        place = self._place(path)
        with _explain("write", place):
            try:
                mode = place.stat().st_mode & 0o7777
            except (FileNotFoundError, NotADirectoryError):
                return False
            if not mode & 0o222:
                raise OSError(errno.EACCES, "it is read-only; make it writable")
            with beside(place.parent, data, mode) as temporary:
                # The last moment to notice another writer: only the rename itself is left.
                present = self.read(path)
                if present is None or content_hash(present) != expected:
                    return False
                temporary.replace(place)
                sync_folder(place.parent)
        return True

    def remove(self, path: str) -> bool:
        place = self._place(path)
        with _explain("remove", place):
            try:
                place.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return False
            sync_folder(place.parent)
            if any(part.startswith(".") for part in path.split("/")):
                with suppress(OSError):
                    place.parent.rmdir()
        return True

    def names(self, folder: str) -> list[str]:
        place = self._place(folder)
        with _explain("list", place):
            try:
                entries = list(os.scandir(place))
            except (FileNotFoundError, NotADirectoryError):
                return []
        return sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_file())

    def _folder_mode(self, path: str) -> int:
        """New folders are as open as the root: closed in ours, as their owner has it in a person's."""
        mounted = (Path(mount.root).parent for mount in self._mounts if path.startswith(mount.below))
        try:
            return next(mounted, Path(self.root)).stat().st_mode & 0o777
        except FileNotFoundError:
            return PRIVATE_FOLDER


def _link(temporary: Path, place: Path) -> None:
    """Gives the file its name unless the name is taken. Raises ``FileExistsError``."""
    try:
        os.link(temporary, place)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        # A file system without hard links: the name is reserved first, so that nothing is replaced.
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE))
        temporary.replace(place)


@contextmanager
def _explain(what: str, place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unavailable(f"can't {what} {place}", error) from error
