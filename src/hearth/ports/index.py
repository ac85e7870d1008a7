"""The index: a store that is read and written one transaction at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from hearth.ports.readers import Reader
from hearth.ports.writers import Writer


class Store(Protocol):
    """A vault's index. ``read`` and ``write`` open one transaction each; both may be used from any thread."""

    def read(self) -> AbstractContextManager[Reader]: ...
    def write(self) -> AbstractContextManager[Writer]: ...
    def check(self, *, deep: bool = False) -> list[str]:
        """What is damaged, by reading everything; empty where nothing is."""

    def scrub(self) -> bool:
        """Overwrites all that was removed. ``False`` where a reader or writer was in the way: to be called again."""

    def close(self) -> None: ...
