"""The mark of a damaged index: which file it is, for every process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hearth.errors import Unavailable
from hearth.files import write_atomically

Identity = tuple[int, int]
"""Device and inode."""


class DamageMark:
    """A file beside the index. Where it can't be written, this process remembers alone."""

    def __init__(self, index: Path) -> None:
        self._path = index.with_name(f"{index.name}.damaged")
        self._name = str(self._path)
        self._own: Identity | None = None

    def put(self, identity: Identity | None, *, durable: bool) -> None:
        self._own = identity
        if identity is not None and durable:
            with suppress(Unavailable):
                write_atomically(self._path, _text(identity))

    def names(self, identity: Identity) -> bool:
        if identity == self._own:
            return True
        try:  # hardly ever there, and asked for by every reader
            handle = os.open(self._name, os.O_RDONLY | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                return file.read() == _text(identity)
        except OSError:
            return False

    def clear(self) -> None:
        self._own = None
        with suppress(OSError):  # what it names is not there any more
            self._path.unlink(missing_ok=True)


def _text(identity: Identity) -> bytes:
    return b"%d %d" % identity
