from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from hearth.core.document import INTERNAL, DocumentState
from hearth.core.files import locked
from hearth.core.memory import NewMemory, Remembered
from hearth.core.query import Query
from hearth.disk.collections import DiskFiles
from hearth.disk.memories import DiskMemories
from hearth.guard.secrets import redaction as secrets
from hearth.journal import Clock, Journal
from hearth.markdown import frontmatter
from hearth.memory.admission import Lookup
from hearth.memory.writer import MemoryWriter
from hearth.ports import Collection, DocumentRecord, Filter, MemoryFiles, Store, StoredDocument
from hearth.recall.interfaces import RankingSettings
from hearth.recall.recall import Recaller
from hearth.store.sqlite.store import SqliteStore
from hearth.vault.history import History
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.plan import SyncReport
from hearth.vault.indexing.sync import Syncer

NOON = 1_772_712_000_000  # Thursday 2026-03-05T12:00Z
EVERYTHING = Filter(include_hidden=True)


class Machine:
    """A machine with a vault: a folder of memories, one of notes, a journal, an index and a clock."""

    def __init__(self, home: Path, machine: str = "aaaaaaaaaa", index: str | None = None) -> None:
        self.home, self.machine = home, machine
        self.root, self.notes = home / "memory", home / "notes"
        self.root.mkdir(exist_ok=True)
        self.notes.mkdir(exist_ok=True)
        self.now = NOON
        self.zone = "UTC"
        self.embedded: list[str] = []
        self.memory = Collection(INTERNAL, str(self.root), origin="engine", trust="agent")
        self.collections = [self.memory, Collection("notes", str(self.notes))]
        self.journal = Journal(home / "journal", machine, Clock(lambda: self.now), str)
        self.index = index or f"index-{machine}"
        self.store: Store = SqliteStore(home / f"{self.index}.sqlite", "1")

    def syncer(self) -> Syncer:
        history = History(self.journal, self.store)
        return Syncer(self.store, DiskFiles(), Analyzer(secrets.redact), history, lambda: self.now, nullcontext)

    def writer(self, memories: MemoryFiles | None = None) -> MemoryWriter:
        syncer = self.syncer()
        own = memories or DiskMemories(self.root)
        roots = {c.name: c.root for c in self.collections}
        return MemoryWriter(
            memories=own,
            lookup=Lookup(own, self.store, roots, secrets.redact, lambda: syncer.run(self.collections)),
            store=self.store,
            syncer=syncer,
            collection=self.memory,
            machine=self.machine,
            zone=self.zone,
            clock=lambda: self.now,
            exclusive=lambda: locked(self.home / "memory.lock", wait=30),
            embed=self.embed,
            random=os.urandom,
        )

    def embed(self, record: DocumentRecord) -> DocumentRecord:
        self.embedded.append(record.document.docid)
        return record

    def remember(self, text: str, content_type: str = "note", **given: Any) -> Remembered:
        return self.writer().remember(NewMemory(text, content_type, **given))

    def later(self, *, days: float = 0, minutes: float = 0) -> None:
        self.now += int((days * 1440 + minutes) * 60_000)

    def sync(self) -> SyncReport:
        return self.syncer().run(self.collections)

    def found(self, question: str, **given: Any) -> list[str]:
        """Paths that answer, best first."""
        hits = Recaller(self.store, None, RankingSettings())(Query(question, at=self.now, **given)).hits
        return [hit.path for hit in hits]

    def stored(self, docid: str) -> StoredDocument | None:
        with self.store.read() as reader:
            return reader.document(docid)

    def state(self, docid: str) -> DocumentState:
        stored = self.stored(docid)
        assert stored is not None, docid
        return stored.state

    def documents(self, within: Filter = EVERYTHING) -> list[str]:
        with self.store.read() as reader:
            return [item.document.path for item in list(reader.each_document(within))]

    def files(self) -> list[str]:
        """Visible memory files, by path."""
        return sorted(str(p.relative_to(self.root)) for p in self.root.rglob("*.md") if ".revisions" not in p.parts)

    def revisions(self) -> list[str]:
        """Texts of all revisions, oldest first."""
        return [file.read_text(encoding="utf-8") for file in sorted(self.root.glob(".revisions/*/*.md"))]

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def body(self, path: str) -> str:
        text = self.text(path)
        return text[frontmatter.split(text).end_char :].strip()

    def fields(self, path: str) -> dict[str, Any]:
        return dict(frontmatter.split(self.text(path)).fields)

    def events(self, kind: str) -> list[Any]:
        return [event for event in self.journal.read_after({}).events if event.kind == kind]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Machine]:
    built = Machine(tmp_path)
    yield built
    built.store.close()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Callable[[str], Machine]]:
    """Machines that share one synced vault, each with its own index and clock."""
    built: list[Machine] = []

    def make(name: str) -> Machine:
        built.append(Machine(tmp_path, machine=name * 10))
        return built[-1]

    yield make
    for one in built:
        one.store.close()
