"""The connection that the parts of a reader share."""

from __future__ import annotations

import apsw

from hearth.store.sqlite.decoded import Decoded


class SqliteBase:
    """Reads over a connection that is in a transaction."""

    def __init__(self, connection: apsw.Connection, decoded: Decoded | None = None) -> None:
        self._db = connection
        self._decoded = decoded
