"""A folder of notes, a journal and an index without an application around them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import DocumentState, docid
from hearth.core.journal import Draft
from hearth.disk.collections import DiskFiles
from hearth.guard.secrets import redaction as secrets
from hearth.journal import Clock, Journal
from hearth.ports import Collection, Filter, Store, StoredDocument
from hearth.store.sqlite.store import SqliteStore
from hearth.vault.history import History
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.plan import SyncReport
from hearth.vault.indexing.sync import Syncer

EVERYTHING = Filter(include_hidden=True)


class Box:
    """A folder of notes, a journal and an index, and what it takes to sync them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "notes"
        self.root.mkdir()
        self.now = time.time_ns() // 1_000_000
        self.collections = [Collection("notes", str(self.root))]
        self.journal = Journal(home / "journal", "aaaaaaaaaa", Clock(lambda: self.now), str)
        self.stores: list[Store] = []
        self.store = self.new_store()

    def new_store(self) -> Store:
        """An empty index; the one before is forgotten."""
        path = self.home / f"index-{len(self.stores)}.sqlite"
        self.store = SqliteStore(path, "1")
        self.stores.append(self.store)
        return self.store

    @property
    def history(self) -> History:
        return History(self.journal, self.store)

    def syncer(self, **given: Any) -> Syncer:
        parts = {"files": DiskFiles(), "analyzer": Analyzer(secrets.redact), "clock": lambda: self.now} | given
        return Syncer(store=self.store, history=self.history, exclusive=nullcontext, **parts)

    def sync(self, *, force: bool = False, **given: Any) -> SyncReport:
        self.now += 3_600_000  # no file is so new that it is read without a reason
        return self.syncer(**given).run(self.collections, force=force)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def journalled(self, kind: str, path: str, collection: str = "notes", **data: Any) -> None:
        """An event about a document, with path and text as every event carries them."""
        name = docid(collection, path)
        with self.store.read() as reader:
            stored = reader.document(name)
        known = None if stored is None else stored.document.body_hash
        self.history.record([Draft(kind, name, path, known, data)])

    def stored(self, path: str, collection: str = "notes") -> StoredDocument | None:
        with self.store.read() as reader:
            return reader.document(docid(collection, path))

    def state(self, path: str, collection: str = "notes") -> DocumentState:
        stored = self.stored(path, collection)
        assert stored is not None, path
        return stored.state

    def paths(self, within: Filter = EVERYTHING) -> list[str]:
        with self.store.read() as reader:
            return [stored.document.path for stored in list(reader.each_document(within))]

    def texts(self, path: str) -> list[str]:
        stored = self.stored(path)
        assert stored is not None, path
        with self.store.read() as reader:
            return [part.text for part in reader.fragments_of(stored.id)]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    built = Box(tmp_path)
    yield built
    for store in built.stores:
        store.close()


@pytest.fixture
def make_box(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Box]:
    """Makes a box of its own for each example of a property."""
    return lambda: Box(tmp_path_factory.mktemp("box"))
