"""Reading the index in memory."""

from __future__ import annotations

from hearth.store.memory.readers.collections import InMemoryCollectionReader
from hearth.store.memory.readers.documents import InMemoryDocumentReader
from hearth.store.memory.readers.entities import InMemoryEntityReader
from hearth.store.memory.readers.fragments import InMemoryFragmentReader
from hearth.store.memory.readers.links import InMemoryLinkReader
from hearth.store.memory.readers.positions import InMemoryPositionReader
from hearth.store.memory.readers.postings import InMemoryPostingReader
from hearth.store.memory.readers.relations import InMemoryRelationReader
from hearth.store.memory.readers.spaces import InMemorySpaceReader
from hearth.store.memory.readers.states import InMemoryStateReader
from hearth.store.memory.readers.vectors import InMemoryVectorReader


class InMemoryReader(
    InMemoryDocumentReader,
    InMemoryLinkReader,
    InMemoryRelationReader,
    InMemoryEntityReader,
    InMemoryFragmentReader,
    InMemoryPostingReader,
    InMemoryCollectionReader,
    InMemoryVectorReader,
    InMemorySpaceReader,
    InMemoryStateReader,
    InMemoryPositionReader,
):
    """Implements ``ports.Reader`` over one published state."""
