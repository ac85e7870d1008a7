"""Writing the index in memory, on a copy that nobody else sees yet."""

from __future__ import annotations

from hearth.store.memory.reader import InMemoryReader
from hearth.store.memory.writers.collections import InMemoryCollectionWriter
from hearth.store.memory.writers.states import InMemoryStateWriter
from hearth.store.memory.writers.vectors import InMemoryVectorWriter


class InMemoryWriter(InMemoryCollectionWriter, InMemoryVectorWriter, InMemoryStateWriter, InMemoryReader):
    """Implements ``ports.Writer``."""
