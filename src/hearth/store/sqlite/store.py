"""The index of a vault in one SQLite file, safe to delete, replace and rebuild while others read it. As one agent
sees it, temporary views in front of the tables show only its documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import apsw

from hearth.core.document import INTERNAL
from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import locked
from hearth.core.lazy import dataclass, regex
from hearth.core.session import AGENTS, prefix_of_agent
from hearth.core.subjects import name_session
from hearth.store.sqlite.connection import BUSY_MS, close, connect, scrub, unavailable
from hearth.store.sqlite.index_file import UNUSABLE, IndexFile, mismatches
from hearth.store.sqlite.read_documents import SqliteCollectionReader, SqliteDocumentReader, SqliteLinkReader
from hearth.store.sqlite.read_graph import SqliteEntityReader, SqliteRelationReader
from hearth.store.sqlite.read_search import SqlitePostingReader, SqliteVectorReader
from hearth.store.sqlite.read_states import SqlitePositionReader, SqliteStateReader
from hearth.store.sqlite.rows import Decoded
from hearth.store.sqlite.write_documents import SqliteCollectionWriter
from hearth.store.sqlite.write_fragments import SqliteStateWriter, SqliteVectorWriter

if TYPE_CHECKING:
    from hearth.ports import VectorIndex
    from hearth.ports.store import TakeOver
    from hearth.store.sqlite.vectors import VectorCache


class SqliteReader(
    SqliteDocumentReader,
    SqliteLinkReader,
    SqliteRelationReader,
    SqliteEntityReader,
    SqlitePostingReader,
    SqliteCollectionReader,
    SqliteVectorReader,
    SqliteStateReader,
    SqlitePositionReader,
):
    """Implements ``ports.Reader`` over a connection that is in a transaction. ``cache`` keeps vectors from one to the
    next."""

    def __init__(
        self,
        connection: apsw.Connection,
        decoded: Decoded | None = None,
        ceilings: Mapping[str, str] = MappingProxyType({}),
        cache: Callable[[], VectorCache] | None = None,
    ) -> None:
        super().__init__(connection, decoded, ceilings)
        self._cache = cache

    def vector_index(self, space: str, lacking: str | None = None) -> VectorIndex:
        cache = _open_cache() if self._cache is None else self._cache()
        generation = self._counter("generation")
        if lacking is None:
            return cache.index(self, space, generation)
        return cache.rest(self, space, lacking, generation)


class SqliteWriter(SqliteCollectionWriter, SqliteVectorWriter, SqliteStateWriter, SqliteReader):
    """Implements ``ports.Writer``."""


def _open_cache(folder: Path | None = None) -> VectorCache:
    """With the graphs of a folder; loads NumPy."""
    from hearth.store.sqlite.vectors import HnswFolder, VectorCache

    return VectorCache(None if folder is None else HnswFolder(folder))


_CHECKPOINT_WAIT_MS = 100
SCANS = "sync.lock"
"""The file beside the index that a scan or rebuild locks."""


def remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class SqliteStore(IndexFile):
    """Implements ``ports.Store``. A ``stale`` content answers until ``replace_with`` brings a rebuilt one.
    ``ceilings`` as in ``SqliteBase``."""

    def __init__(
        self,
        path: Path,
        fingerprint: str,
        *,
        vfs: str | None = None,
        ceilings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(path, fingerprint, vfs=vfs)
        self._ceilings = ceilings
        self._decoded = Decoded()
        self._vectors: VectorCache | None = None
        self._writing = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        with self._shared(), self._connection(reading=True) as connection, self._translated():
            if self._unfilled:
                raise Unavailable(
                    f"index {self.path} was damaged and is not rebuilt yet; try again in a minute", Remedy("update")
                )
            connection.execute("BEGIN")
            try:
                yield self._open_reader(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _open_reader(self, connection: apsw.Connection) -> SqliteReader:
        return SqliteReader(connection, self._decoded, self._ceilings, self._cached_vectors)

    def _cached_vectors(self) -> VectorCache:
        if self._vectors is None:
            self._vectors = _open_cache(self.path.parent)
        return self._vectors

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        if self.read_only:
            raise Unavailable(f"index {self.path} is read-only; set HEARTH_CACHE_DIR to a writable folder")
        with self._writing, self._shared(), self._connection() as connection, self._translated():
            connection.execute("BEGIN IMMEDIATE")
            try:
                writer = SqliteWriter(connection)
                yield writer
                writer.finish()
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def check(self, *, deep: bool = False) -> list[str]:
        """SQLite's ``quick_check`` and FTS5's ``integrity-check``; ``deep`` also compares SQLite's indexes with their
        tables, and rows with each other."""
        pragma = f"PRAGMA {'integrity' if deep else 'quick'}_check(20)"
        with self._shared(), self._connection() as connection:
            try:
                found = [str(row[0]) for row in connection.execute(pragma)]
                if not self.read_only:
                    for table in ("matches", "spelled"):
                        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
                if deep and found == ["ok"] and not self._stale:
                    found = mismatches(connection)
            except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:
                return [f"index {self.path} is damaged: {error}"]
            except apsw.Error as error:
                raise unavailable(self.path, error) from error
        return [problem for problem in found if problem != "ok"]

    def scrub(self) -> bool:
        """Rewrites the file and empties the log, so that nothing removed is left in either."""
        done = self._scrub_file()
        self._remove_copies()
        return done

    def _remove_copies(self) -> None:
        """Graphs of vectors, indexes that were moved aside, and what a rebuild left that was cut short."""
        from hearth.store.sqlite.vectors import HnswFolder

        HnswFolder(self.path.parent).prune(())
        for folder in (self.path.parent, self._side.parent):
            for path in folder.glob(f"{self.path.name}.corrupt-*"):
                path.unlink(missing_ok=True)
        if self._side.parent.exists():
            try:
                with locked(self.path.with_name(SCANS), wait=0):
                    remove_index(self._side)
            except Unavailable as error:
                if self._side.exists():
                    raise Unavailable("an index is being rebuilt") from error

    def _scrub_file(self) -> bool:
        if self.read_only:
            raise Unavailable(f"index {self.path} is read-only; set HEARTH_CACHE_DIR to a writable folder")
        with self._writing, self._shared(), self._connection() as connection, self._translated():
            # FTS5 keeps what it deleted until its segments are merged, and a term's row outlives its last fragment.
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                for table in ("matches", "spelled"):
                    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
                connection.execute("DELETE FROM terms WHERE df <= 0")
            return scrub(connection)

    def checkpoint(self) -> None:
        """Moves the log into the file, and empties it where nobody reads it just now."""
        if self.read_only:
            return
        with self._writing, self._shared(), self._connection() as connection, self._translated():
            connection.set_busy_timeout(_CHECKPOINT_WAIT_MS)
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.set_busy_timeout(BUSY_MS)

    def build_graphs(self, progress: Callable[[int], None]) -> None:
        from hearth.store.sqlite.vectors import MIN_VECTORS, HnswFolder

        with self.read() as reader:
            if reader.statistics().fragments < MIN_VECTORS:
                return
            folder, spaces = HnswFolder(self.path.parent), reader.spaces()
            for space in spaces:
                folder.build(reader, space, progress)
            folder.prune([*spaces])

    @property
    def _side(self) -> Path:
        return self.path.parent / "rebuild" / self.path.name

    @contextmanager
    def open_side(self) -> Iterator[tuple[SqliteStore, TakeOver]]:
        remove_index(self._side)
        side = SqliteStore(self._side, self.fingerprint)
        try:
            yield side, partial(self.replace_with, self._side)
        finally:
            side.close()
        remove_index(self._side)

    def replace_with(self, side: Path, last: Callable[[], object] = lambda: None) -> None:
        """Copies a rebuilt index over this one in a single transaction, under the eyes of its readers. ``last`` is
        called when nobody can write this index any more: what the side index lacks of it can be added then."""
        source = connect(side, vfs=self._vfs)
        try:
            with self._writing, self._shared(), self._connection() as live, self._translated():
                with live.backup("main", source, "main") as backup:
                    # Copies nothing yet, and takes the lock of whoever writes.
                    backup.step(0)
                    last()
                    self._go_on_counting(source)
                    while not backup.done:
                        backup.step(-1)
                live.execute("PRAGMA wal_checkpoint(PASSIVE)")
        finally:
            close(source)
        self.close()
        self._stale = self._unfilled = False

    def _go_on_counting(self, source: apsw.Connection) -> None:
        """What is kept in memory of this index is good for one value of a counter, so none may come again."""
        try:
            # Not ``connect``, whose pragmas would wait for whoever has a file open that was emptied in use.
            present = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs)
        except apsw.Error:
            return
        try:
            present.set_busy_timeout(BUSY_MS)
            rows = list(present.execute("SELECT value, key FROM counters"))
        except UNUSABLE:  # damaged, or the index of another version
            return
        finally:
            close(present)
        counted = [row for row in rows if row[1] in ("generation", "vector_removals")]
        source.executemany("UPDATE counters SET value = max(value, ?) + 1 WHERE key = ?", counted)


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
