"""The last report of a curation, beside the index."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import write_atomically


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
