"""The connection that the parts of a reader share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import apsw

from hearth.ports import StoredDocument
from hearth.store.sqlite.decoded import Decoded
from hearth.store.sqlite.rows import decode_document


class SqliteBase:
    """Reads over a connection that is in a transaction. ``ceilings`` are the most trust that documents of a collection
    have now, however they were stored."""

    def __init__(
        self,
        connection: apsw.Connection,
        decoded: Decoded | None = None,
        ceilings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._db = connection
        self._decoded = decoded
        self._ceilings = ceilings

    def _decode(self, row: Any) -> StoredDocument:
        stored = decode_document(row)
        ceiling = self._ceilings.get(stored.document.collection)
        lowered = stored.document if ceiling is None else stored.document.lower(ceiling)
        return stored if lowered is stored.document else replace(stored, document=lowered)
