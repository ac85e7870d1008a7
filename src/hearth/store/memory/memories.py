"""Memory files held in memory: the twin of the folder on disk."""

from __future__ import annotations

import threading
from pathlib import PurePosixPath

from hearth.core.document import content_hash
from hearth.guard.paths import inside


class HeldMemories:
    """Implements ``ports.MemoryFiles``; ``files`` maps paths to bytes."""

    def __init__(self) -> None:
        self.root = "/memory"
        self.files: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def read(self, path: str) -> bytes | None:
        return self.files.get(self._check(path))

    def create(self, path: str, data: bytes) -> bool:
        with self._lock:
            return self.files.setdefault(self._check(path), data) is data

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        with self._lock:
            present = self.files.get(self._check(path))
            if present is None or content_hash(present) != expected:
                return False
            self.files[path] = data
            return True

    def remove(self, path: str) -> bool:
        with self._lock:
            return self.files.pop(self._check(path), None) is not None

    def names(self, folder: str) -> list[str]:
        wanted = PurePosixPath(self._check(folder))
        paths = (PurePosixPath(path) for path in self.files)
        return sorted(path.name for path in paths if path.parent == wanted and not path.name.startswith("."))

    def _check(self, path: str) -> str:
        inside(self.root, path)
        return path
