"""Writing the index inside one transaction."""

from __future__ import annotations

from hearth.store.sqlite.reader import SqliteReader
from hearth.store.sqlite.writers.collections import SqliteCollectionWriter
from hearth.store.sqlite.writers.states import SqliteStateWriter
from hearth.store.sqlite.writers.vectors import SqliteVectorWriter


class SqliteWriter(SqliteCollectionWriter, SqliteVectorWriter, SqliteStateWriter, SqliteReader):
    """Implements ``ports.Writer``."""
