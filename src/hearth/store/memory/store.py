"""The store in memory: readers keep the state they began with, a write publishes a new one when it succeeds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hearth.store.memory.data import Data
from hearth.store.memory.graph_readers import InMemoryReader
from hearth.store.memory.writers import InMemoryWriter


class InMemoryStore:
    """Implements ``ports.Store``. Each write copies the tables, so it serves hundreds of documents, not millions."""

    def __init__(self) -> None:
        self._data = Data()
        self._writing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[InMemoryReader]:
        yield InMemoryReader(self._data)

    @contextmanager
    def write(self) -> Iterator[InMemoryWriter]:
        with self._writing:
            data = self._data.fork()
            yield InMemoryWriter(data)
            data.generation += 1
            self._data = data

    def check(self, *, deep: bool = False) -> list[str]:
        """Nothing: memory has no file that could be damaged."""
        return []

    def scrub(self) -> bool:
        """Nothing: what was removed is nowhere."""
        return True

    def close(self) -> None:
        """Nothing to release; what was written stays readable."""
