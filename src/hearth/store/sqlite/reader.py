"""Reading the index inside one transaction."""

from __future__ import annotations

from hearth.store.sqlite.readers.collections import SqliteCollectionReader
from hearth.store.sqlite.readers.documents import SqliteDocumentReader
from hearth.store.sqlite.readers.entities import SqliteEntityReader
from hearth.store.sqlite.readers.fragments import SqliteFragmentReader
from hearth.store.sqlite.readers.links import SqliteLinkReader
from hearth.store.sqlite.readers.positions import SqlitePositionReader
from hearth.store.sqlite.readers.postings import SqlitePostingReader
from hearth.store.sqlite.readers.relations import SqliteRelationReader
from hearth.store.sqlite.readers.spaces import SqliteSpaceReader
from hearth.store.sqlite.readers.states import SqliteStateReader
from hearth.store.sqlite.readers.vectors import SqliteVectorReader


class SqliteReader(
    SqliteDocumentReader,
    SqliteLinkReader,
    SqliteRelationReader,
    SqliteEntityReader,
    SqliteFragmentReader,
    SqlitePostingReader,
    SqliteCollectionReader,
    SqliteVectorReader,
    SqliteSpaceReader,
    SqliteStateReader,
    SqlitePositionReader,
):
    """Implements ``ports.Reader`` over a connection that is in a transaction."""
