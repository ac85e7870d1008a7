"""The folder of turns that wait to be captured: a file a session, for its owner alone, gone once it is captured."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hearth.files import PRIVATE_FILE, make_folder, settle, sync_folder, unavailable
from hearth.guard.paths import inside

FOLDER = "agent/inbox"


class DiskInbox:
    """Below ``root``, the folder of memories. Raises ``Unavailable`` where the disk does not let it."""

    def __init__(self, root: Path) -> None:
        self._folder = inside(str(root), FOLDER)

    def append(self, name: str, fresh: str, data: bytes) -> tuple[str, int]:
        """Adds complete lines to the file whose name begins with ``name``, else to a new one that ends in ``fresh``;
        gives its place and its bytes, which are on the disk. What a crash left of a line ends before."""
        place = next(iter(sorted(self._folder.glob(f"{name}-*.jsonl"))), self._folder / f"{name}-{fresh}.jsonl")
        try:
            make_folder(self._folder)
            settle(self._folder)
            handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, PRIVATE_FILE)
            with os.fdopen(handle, "rb+", buffering=0) as file:
                size = os.fstat(handle).st_size
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                file.write(b"\n" + data if torn else data)
                os.fsync(handle)
                size = os.fstat(handle).st_size
            sync_folder(self._folder)
        except OSError as error:
            raise unavailable(f"can't write {place}", error) from error
        return str(place), size

    def holds(self, place: str) -> bool:
        return Path(place).parent == self._folder

    def remove(self, place: str, size: int) -> bool:
        """Removes a file that has grown no further than ``size``."""
        path = Path(place)
        with suppress(FileNotFoundError):
            try:
                if path.stat().st_size > size:
                    return False
                path.unlink()
                sync_folder(self._folder)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise unavailable(f"can't remove {path}", error) from error
        return True
