"""The index's file: opened, replaced and closed, and whether its rows agree with each other."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import apsw

from hearth.core.errors import Remedy, Unavailable
from hearth.core.files import locked, make_folder
from hearth.core.files import unavailable as unreachable
from hearth.language.name_matching import key_of
from hearth.markdown.links import stems
from hearth.ports.store import Condition
from hearth.store.sqlite.connection import (
    SCHEMA,
    DamageMark,
    Unreadable,
    check_newer,
    check_version,
    close,
    connect,
    connect_to_read,
    create_schema,
    unavailable,
    version_of,
)
from hearth.store.sqlite.rows import (
    decode_document,
    decode_state,
    document_columns,
    documents_of,
    mask,
    plain,
    storable,
)
from hearth.text.names import document_keys
from hearth.text.terms import Packed

_EXCLUSIVE_WAIT = 10.0
_MAX_IDLE = 4
_FINGERPRINT = "SELECT value FROM meta WHERE key = 'fingerprint'"
# Stands there in an index that is in the place of a damaged one, until a rebuild fills it.
_UNFILLED = "unfilled"
# What reading the header and that row raises where the file is damaged or another program's.
UNUSABLE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)


class IndexFile:
    """A file that is there, readable and of this version, and connections to it.

    Every transaction holds ``index.lock`` shared and checks that the path still names the file that is open. A file in
    which anybody meets damage is marked by a file beside it, so that the next transaction of any process moves it
    aside.
    """

    def __init__(self, path: Path, fingerprint: str, *, vfs: str | None = None) -> None:
        check_version()
        self.path = path
        self.fingerprint = fingerprint
        self._vfs = vfs
        self._lock_path = path.with_name("index.lock")
        self._damage = DamageMark(path)
        self._idle: list[apsw.Connection] = []
        self._identity: tuple[int, int] | None = None
        self._guard = threading.Lock()
        self._pid = os.getpid()
        self.read_only = self._is_read_only()
        self._stale = self._unfilled = False
        self.moved_aside: Path | None = None
        with self._shared():
            pass

    @property
    def condition(self) -> Condition:
        with self._shared():
            if self._unfilled:
                return "unfilled"
            return "stale" if self._stale else "current"

    @property
    def stale(self) -> bool:
        """Whether the file was written under another fingerprint, or is unfilled."""
        with self._shared():
            return self._stale

    @property
    def unfilled(self) -> bool:
        """Whether it took the place of a damaged one and holds nothing yet; it answers nobody until then."""
        with self._shared():
            return self._unfilled

    def close(self) -> None:
        with self._guard:
            for connection in self._idle:
                close(connection)
            self._idle.clear()

    @contextmanager
    def _shared(self) -> Iterator[None]:
        """The file is there, is the one that idle connections have open, and stays for the block."""
        if self.read_only:
            self._refresh()
            yield
            return
        for _ in range(5):
            with locked(self._lock_path, shared=True, wait=_EXCLUSIVE_WAIT):
                if self._refresh():
                    yield
                    return
            self._restore()
        raise Unavailable(f"index {self.path} keeps disappearing; is something deleting the cache folder?")

    def _refresh(self) -> bool:
        if os.getpid() != self._pid:
            raise Unavailable("an open index can't be used after a fork; open the vault again in the child")
        try:
            status = self.path.stat()
        except FileNotFoundError:
            if self.read_only:
                raise Unavailable(f"there is no index {self.path} and its folder is read-only") from None
            return False
        except OSError as error:
            raise unreachable(f"can't open index {self.path}", error) from error
        identity = (status.st_dev, status.st_ino)
        if self._damage.names(identity):
            if self.read_only:
                raise Unavailable(f"index {self.path} is damaged and its folder is read-only; make the folder writable")
            return False
        if identity == self._identity:
            # Another process may have built it anew in its place.
            return not self._stale or self._adopt(identity, empty=status.st_size == 0)
        self.close()
        return self._adopt(identity, empty=status.st_size == 0)

    def _adopt(self, identity: tuple[int, int], *, empty: bool) -> bool:
        if empty:
            return False
        try:
            connection = connect_to_read(self.path, read_only=self.read_only, vfs=self._vfs)
        except Unreadable:
            return False
        try:
            check_newer(connection, self.path)
            version = version_of(connection)
            if version == 0:
                return False
            row = connection.execute(_FINGERPRINT).fetchone()
        except UNUSABLE:
            return False
        except apsw.Error as error:
            raise unavailable(self.path, error) from error
        finally:
            close(connection)
        self._stale = version < SCHEMA or row is None or row[0] != self.fingerprint
        self._unfilled = row is not None and row[0] == _UNFILLED
        self._identity = identity
        return True

    def _restore(self) -> None:
        """Under the exclusive lock: makes an index where there is none, moves an unusable one aside."""
        with locked(self._lock_path, wait=_EXCLUSIVE_WAIT):
            self._identity = None
            self.close()
            if self.path.exists() and self._usable():
                return
            aside = self._move_aside()
            with self._translated():
                connection = connect(self.path, vfs=self._vfs)
                try:
                    create_schema(connection, _UNFILLED if aside else self.fingerprint)
                finally:
                    close(connection)
            self._damage.clear()

    def _usable(self) -> bool:
        status = self.path.stat()
        if status.st_size == 0 or self._damage.names((status.st_dev, status.st_ino)):
            return False
        try:
            connection = connect(self.path, vfs=self._vfs)
        except Unreadable:
            return False
        try:
            version = version_of(connection)
            if version == 0 and not connection.execute("SELECT count(*) FROM sqlite_schema").get:
                # A creation that a kill or a full disk cut short.
                create_schema(connection, self.fingerprint)
                return True
            return version > SCHEMA or (version > 0 and connection.execute(_FINGERPRINT).fetchone() is not None)
        except UNUSABLE:
            return False
        except apsw.Error as error:
            raise unavailable(self.path, error) from error
        finally:
            close(connection)

    def _move_aside(self) -> bool:
        """Renames the trio, so that no stale write-ahead log meets a new file; ``False`` where there was nothing."""
        stamp, moved = time.strftime("%Y%m%dT%H%M%S"), False
        for suffix in ("", "-wal", "-shm"):
            old = self.path.with_name(self.path.name + suffix)
            if not old.exists():
                continue
            if old.stat().st_size == 0 or (suffix and not moved):
                old.unlink()
                continue
            old.replace(old.with_name(f"{self.path.name}.corrupt-{stamp}{suffix}"))
            self.moved_aside, moved = old.with_name(f"{self.path.name}.corrupt-{stamp}"), True
        return moved

    def _is_read_only(self) -> bool:
        folder = self.path.parent
        try:
            make_folder(folder)
        except OSError as error:
            if not folder.is_dir():
                raise Unavailable(
                    f"can't create {folder}: {error.strerror}; set HEARTH_CACHE_DIR to a writable folder"
                ) from error
        return not os.access(folder, os.W_OK)

    @contextmanager
    def _connection(self, *, reading: bool = False) -> Iterator[apsw.Connection]:
        with self._guard:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = self._translate_connect(reading=reading)
        identity = self._identity
        try:
            yield connection
        finally:
            with self._guard:
                lasting = identity == self._identity and connection.readonly("main") == self.read_only
                if lasting and len(self._idle) < _MAX_IDLE:
                    self._idle.append(connection)
                else:
                    close(connection)

    def _translate_connect(self, *, reading: bool) -> apsw.Connection:
        opened = connect_to_read if reading else connect
        try:
            return opened(self.path, read_only=self.read_only, vfs=self._vfs)
        except Unreadable as error:
            raise Unavailable(str(error), Remedy("reindex --force")) from error

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError, UnicodeDecodeError) as error:  # a text of it may be none any more
            damaged, self._identity = self._identity, None
            self._damage.put(damaged, durable=not self.read_only)
            raise Unavailable(
                f"index {self.path} is damaged ({error}); run the command again: it is moved aside and rebuilt"
            ) from error
        except apsw.Error as error:
            raise unavailable(self.path, error) from error


# Of each kind, as SQLite's own check tells no more.
_MOST = 20
_STRAY = "SELECT count(*) FROM {0} WHERE {1} NOT IN (SELECT id FROM documents)"
_APART = "SELECT count(*) FROM {0} t JOIN fragments f ON f.id = t.fragment WHERE f.document <> t.document"


def mismatches(db: apsw.Connection) -> list[str]:
    """What disagrees, by document. Reads every row except the texts."""
    strays = [f"{count:,} rows of {table} are of no document" for table, count in _count(db, _STRAY, _OF_DOCUMENTS)]
    for table, column in (("relations", "owner"), ("near", "owner"), ("near", "other")):
        if count := db.execute(_STRAY.format(table, column)).get:
            strays.append(f"{count:,} rows of {table} are of no document")
    apart = [f"{count:,} rows of {table} are of another document" for table, count in _count(db, _APART, _OF_FRAGMENTS)]
    return [*strays, *apart, *_unreadable(db), *_miscounted(db), *islice(_documents(db), _MOST)]


_OF_DOCUMENTS = ("fragments", "names", "mentions", "entities", "entity_marks")
_TERMS = "SELECT id, df, strong FROM terms"
_OF_FRAGMENTS = ("postings", "vectors", "entities")


def _count(db: apsw.Connection, sql: str, tables: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for table in tables:
        count = db.execute(sql.format(table, "document")).get
        if count:
            yield table, int(count)


def _unreadable(db: apsw.Connection) -> Iterator[str]:
    """Checks the journal's state, which no document's row repeats."""
    if count := db.execute("SELECT count(*) FROM registers WHERE NOT json_valid(value)").get:
        yield f"{count:,} rows of registers are no JSON"
    if db.execute("SELECT count(*) FROM meta WHERE key = 'journal' AND NOT json_valid(value)").get:
        yield "the position in the journal is no JSON"


def _miscounted(db: apsw.Connection) -> Iterator[str]:
    """Checks the counters against the rows of fragments and names; they decide which words are rare."""
    fragments, length = db.execute("SELECT count(*), coalesce(sum(length), 0) FROM postings").get
    counted = dict(db.execute("SELECT key, value FROM counters"))
    if (counted.get("fragments"), counted.get("length")) != (fragments, length):
        yield "the fragments are not as many, or not as long, as is counted"
    documents = dict(db.execute("SELECT collection, count(*) FROM documents GROUP BY 1"))
    expected = {documents_of(name): count for name, count in documents.items()} | {"documents": sum(documents.values())}
    # Counters are equal where one lacks what the other counts as 0.
    if Counter({key: count for key, count in counted.items() if key.startswith("documents")}) != Counter(expected):
        yield "the documents are not as many as is counted"
    yield from _miscounted_terms(db)
    names = db.execute("SELECT key, name, documents, (SELECT count(DISTINCT document) FROM entities WHERE name = id) "
                       "FROM entity_names")  # fmt: skip
    if wrong := sum(key != key_of(name) or key_said != found for key, name, key_said, found in names):
        yield f"{wrong:,} rows of entity_names are not of the names in the passages"


def _miscounted_terms(db: apsw.Connection) -> Iterator[str]:
    holding, strong = Counter[int](), Counter[int]()
    for (packed,) in db.execute("SELECT packed FROM postings"):
        terms = Packed(packed)
        holding.update(terms.ids())
        strong.update(terms.strong_ids())
    if wrong := sum((holding[row], strong[row]) != (df, prominent) for row, df, prominent in db.execute(_TERMS)):
        yield f"{wrong:,} words are not in as many fragments as is counted"
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.searchable USING fts5vocab(main, matches, row)")
    found = dict(db.execute("SELECT term, doc FROM temp.searchable"))
    db.execute("DROP TABLE temp.searchable")
    expected = {str(row): count for row, count in holding.items()} | {f"s{row}": n for row, n in strong.items()}
    if wrong := len(expected.items() ^ found.items()):
        yield f"{wrong:,} words are not found in the fragments that hold them"


def _documents(db: apsw.Connection) -> Iterator[str]:
    keys, mentioned = _by_document(db, "key", "names"), _by_document(db, "stem", "mentions")
    # A purged document is an empty row.
    full = {row[0] for row in db.execute("SELECT DISTINCT document FROM fragments")}
    cursor = db.execute("SELECT * FROM documents")
    for values in cursor:
        row = dict(zip((column[0] for column in cursor.get_description()), values, strict=True))
        if row["id"] in full:
            wrong = next(_differences(row, keys[row["id"]], mentioned[row["id"]]), None)
            if wrong is not None:
                yield f"{row['collection']}/{plain(row['path'])}: its {wrong} does not agree with the rest of its row"


def _by_document(db: apsw.Connection, column: str, table: str) -> dict[int, set[Any]]:
    found: dict[int, set[Any]] = defaultdict(set)
    for identity, value in db.execute(f"SELECT document, {column} FROM {table}"):
        found[identity].add(value)
    return found


def _differences(row: dict[str, Any], keys: set[Any], mentioned: set[Any]) -> Iterator[str]:
    try:
        columns = ("id", "record", "mtime_ns", "file_size", "ctime_ns", "disk_path", "state", "vanished", "problem")
        document = decode_document([row[name] for name in columns]).document
        state = decode_state(row["state"])
        links = json.loads(row["links"]) if row["links"] else []
    except (ValueError, TypeError, KeyError, apsw.CorruptError):
        yield "record"
        return
    states = {"hidden": mask(state.veils), "valid_to": state.valid_to, "ends_at": state.ends_at}
    yield from (name for name, value in (document_columns(document) | states).items() if row[name] != value)
    if keys != {storable(key) for key in document_keys(document.title, document.path, document.aliases)}:
        yield "title or another name"
    if not mentioned.issuperset(storable(stem) for link in links for stem in stems(link, document.path)):
        yield "links"
