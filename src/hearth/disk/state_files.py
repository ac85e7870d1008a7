"""Small files for their owner alone: turns that wait for capture, a model's last answer, the last curation."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from hearth.core.errors import Unavailable
from hearth.core.files import PRIVATE_FILE, make_folder, settle, sync_folder, unavailable, write_atomically
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


class DiskAnswers:
    """Implements ``ports.Answers`` in a file of the ``state`` folder for each vault."""

    def __init__(self, state: Path, vault: str) -> None:
        self._file = state / f"answer-{vault}.json"

    def get(self, key: str) -> str | None:
        try:
            found = json.loads(self._file.read_bytes())
            answer = found["answer"] if found["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return answer if isinstance(answer, str) else None

    def put(self, key: str, answer: str) -> None:
        with suppress(OSError):
            make_folder(self._file.parent)
            write_atomically(self._file, json.dumps({"key": key, "answer": answer}).encode("utf-8", "replace"))

    def drop(self) -> None:
        with suppress(OSError):
            self._file.unlink(missing_ok=True)


class DiskCuration:
    """A file of the cache for its owner alone. One that can't be written is left out: the report was shown."""

    def __init__(self, cache: Path) -> None:
        self._file = cache / "curation.json"

    def read(self) -> bytes | None:
        try:
            return self._file.read_bytes()
        except OSError:
            return None

    def write(self, data: bytes) -> None:
        with suppress(Unavailable):
            write_atomically(self._file, data)
