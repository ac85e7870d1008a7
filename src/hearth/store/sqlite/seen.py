"""The index as one agent sees it: temporary views in front of the tables show only its documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, cast

import apsw

from hearth.core.document import INTERNAL
from hearth.core.lazy import dataclass, regex
from hearth.core.session import AGENTS, prefix_of_agent
from hearth.core.subjects import name_session
from hearth.store.sqlite.store import SqliteReader, SqliteStore, SqliteWriter

_HINT = regex(r" INDEXED BY \w+")
_SESSION = "coalesce(record ->> '$.facts.session', '')"
# Tables of parts of documents, with the column that names the document.
_PARTS = {
    "fragments": "document", "postings": "document", "relations": "owner", "near": "owner", "entities": "document",
    "entity_marks": "document", "means": "document", "mentions": "document", "names": "document", "vectors": "document",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Realm:
    """What an agent sees: its ``own`` collections and what came of its sessions. The main agent has none of its own and
    sees everything but the collections of ``others`` and what came of their sessions. Where others take part,
    ``has_memories`` is false."""

    agent: str
    own: frozenset[str] | None = None
    others: frozenset[str] = frozenset()
    has_memories: bool = True

    def collections(self, column: str) -> str:
        """The SQL condition that the collection is seen, at least in part."""
        if self.own is None:
            return f"{column} NOT IN ({_listed(self.others)})"
        return f"{column} IN ({_listed(self.own | ({INTERNAL} if self.has_memories else set()))})"

    def sessions(self, column: str, before: str = "") -> str:
        """The SQL condition that the session, its name after ``before``, is the agent's."""
        own = _begins(column, before + prefix_of_agent(self.agent)) if self.has_memories else "0"
        if self.own is not None:
            return own
        return f"({own} OR NOT {_begins(column, before + AGENTS)})"

    @property
    def documents(self) -> str:
        """The SQL condition on the columns of a document."""
        ours = f"collection = {_quote(INTERNAL)} AND NOT {self.sessions(_SESSION)}"
        return f"({self.collections('collection')} AND NOT ({ours}))"


class SeenStore(SqliteStore):
    """Reads what a realm holds, and writes as the whole ``store`` does."""

    def __init__(self, store: SqliteStore, realm: Realm, ceilings: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(store.path, store.fingerprint, ceilings=ceilings)
        self._whole, self._realm = store, realm

    def _open_reader(self, connection: apsw.Connection) -> SqliteReader:
        # Undone with the transaction: the connection's next user starts without them.
        connection.execute(_views(self._realm))
        return SqliteReader(
            cast(apsw.Connection, _Unhinted(connection)), self._decoded, self._ceilings, self._cached_vectors
        )

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        with self._whole.write() as writer:
            yield writer


class _Unhinted:
    """A connection for statements that name indexes of tables: views have none."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, *given: Any, **more: Any) -> apsw.Cursor:
        return self._connection.execute(_HINT.sub("", sql), *given, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def _views(realm: Realm) -> str:
    made = [f"CREATE TEMP VIEW documents AS SELECT * FROM main.documents WHERE {realm.documents}"]
    for table, column in _PARTS.items():
        seen = f"EXISTS (SELECT 1 FROM temp.documents seen WHERE seen.id = part.{column})"
        made.append(f"CREATE TEMP VIEW {table} AS SELECT {_columns(table)} FROM main.{table} part WHERE {seen}")
    named = "EXISTS (SELECT 1 FROM temp.entities held WHERE held.name = part.id)"
    made.append(f"CREATE TEMP VIEW entity_names AS SELECT * FROM main.entity_names part WHERE {named}")
    for table, column in (("collections", "name"), ("skipped", "collection")):
        made.append(f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE {realm.collections(column)}")
    before = name_session("")
    own = f"(NOT {_begins('subject', before)} OR {realm.sessions('subject', before)})"
    made += [
        f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE {own}" for table in ("registers", "members")
    ]
    return "; ".join(made)


def _columns(table: str) -> str:
    return "rowid, *" if table == "relations" else "*"


def _begins(column: str, prefix: str) -> str:
    return f"substr({column}, 1, {len(prefix)}) = {_quote(prefix)}"


def _listed(names: frozenset[str]) -> str:
    return ", ".join(map(_quote, sorted(names)))


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
