"""Sync: brings the index up to what the collections hold now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from hearth.engine.analysis import Analyzer, NotText
from hearth.engine.history import History
from hearth.engine.plan import SUSPICIOUS_NS, SyncPlan, held, plan_sync
from hearth.errors import Unavailable
from hearth.markdown.links import Notes, resolve
from hearth.model.document import Document, FileState
from hearth.model.identity import content_hash, docid
from hearth.ports import Clock, Collection, CollectionState, DocumentRecord, Files, IndexedFile, Skipped, Store, Walk

# Documents and fragments in one write transaction: short enough that other writers wait some tenths of a second.
BATCH_DOCUMENTS = 200
BATCH_FRAGMENTS = 2_000


@dataclass(slots=True)
class SyncReport:
    """What a sync did; ``skipped`` names every file left out and why, ``held`` collections that lost too much."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    retired: int = 0
    unchanged: int = 0
    fragments: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def touched(self) -> bool:
        return bool(self.added or self.changed or self.retired)


Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    del done, total


def _offset(progress: Progress, base: int, total: int) -> Callable[[int], None]:
    return lambda done: progress(base + done, total)


@dataclass(frozen=True)
class Syncer:
    """``exclusive`` keeps two scans of one vault apart; ``history`` is the journal side."""

    store: Store
    files: Files
    analyzer: Analyzer
    history: History
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]

    def run(
        self,
        collections: Sequence[Collection],
        *,
        force: bool = False,
        progress: Progress = _silent,
    ) -> SyncReport:
        """``force`` retires vanished files in any number."""
        started = time.perf_counter()
        report = SyncReport()
        with self.exclusive():
            report.problems.extend(self.history.replay())
            self._drop_removed(collections, report)
            works = [self._planned(collection, force=force) for collection in collections]
            total = sum(len(work.plan.read) for work in works)
            done = 0
            scans = [_CollectionScan(self, work, report) for work in works]
            for scan, work in zip(scans, works, strict=True):
                scan.take_in(_offset(progress, done, total))
                done += len(work.plan.read)
            # Only now is it known which documents are nowhere any more, so that their state may follow their text.
            for scan in scans:
                scan.finish()
        report.seconds = time.perf_counter() - started
        return report

    def _planned(self, collection: Collection, *, force: bool) -> _Work:
        walk = self.files.walk(collection)
        with self.store.read() as reader:
            indexed = reader.files(collection.name)
        plan = plan_sync(walk.files, indexed, self.clock() * 1_000_000)
        return _Work(collection, walk, indexed, plan, force)

    def _drop_removed(self, collections: Sequence[Collection], report: SyncReport) -> None:
        names = {collection.name for collection in collections}
        with self.store.read() as reader:
            removed = [state for name, state in reader.collections().items() if name not in names]
        for state in removed:
            with self.store.write() as writer:
                writer.drop_collection(state.name)
            report.retired += state.documents


@dataclass(frozen=True, slots=True)
class _Work:
    """What one collection needs done."""

    collection: Collection
    walk: Walk
    indexed: Mapping[str, IndexedFile]
    plan: SyncPlan
    force: bool


class _CollectionScan:
    """One collection of a sync under way."""

    def __init__(self, syncer: Syncer, work: _Work, report: SyncReport) -> None:
        self._syncer = syncer
        self._report = report
        self._collection = work.collection
        self._walk = work.walk
        self._indexed = work.indexed
        self._plan = work.plan
        self._force = work.force
        self._skipped = list(work.walk.skipped)
        self._touched: list[tuple[str, FileState]] = []
        self._added: list[Document] = []
        self._notes = Notes(list(work.walk.files) if work.plan.read else [])

    def take_in(self, progress: Callable[[int], None]) -> None:
        """Reads and writes what is new or changed."""
        self._report.unchanged += self._plan.unchanged
        for batch in self._batches(progress):
            self._write(batch)
        self._report.skipped.extend(self._skipped)

    def _batches(self, progress: Callable[[int], None]) -> Iterator[list[DocumentRecord]]:
        """Records read and analyzed outside any transaction, in bounded batches."""
        batch: list[DocumentRecord] = []
        fragments = 0
        for done, path in enumerate(self._plan.read, 1):
            record = self._read(path)
            if record is not None:
                batch.append(record)
                fragments += len(record.fragments)
            if len(batch) >= BATCH_DOCUMENTS or fragments >= BATCH_FRAGMENTS:
                yield batch
                batch, fragments = [], 0
            progress(done)
        if batch:
            yield batch

    def _read(self, path: str) -> DocumentRecord | None:
        """One file; a bad one is listed with its reason and keeps what the index had of it."""
        syncer, collection = self._syncer, self._collection
        file, known = self._walk.files[path], self._indexed.get(path)
        try:
            data = syncer.files.read(collection, file)
            if known is not None and not data and self._just_changed(file):
                raise Unavailable("was emptied this moment, maybe by a write under way; the next scan reads it again")
            if known is not None and known.raw_hash == content_hash(data):
                self._touched.append((known.docid, file))
                self._report.unchanged += 1
                return None
            identity = known.docid if known is not None else docid(collection.name, path)
            record = syncer.analyzer.record(data, collection, path, file, identity, syncer.clock())
        except Unavailable as error:
            self._skipped.append(Skipped(collection.name, path, str(error)))
        except NotText as error:
            self._skipped.append(Skipped(collection.name, path, str(error)))
        except OSError as error:
            self._skipped.append(Skipped(collection.name, path, f"can't be read: {error.strerror or error}"))
        else:
            targets = (resolve(link, path, self._notes) for link in record.links)
            linked = tuple(dict.fromkeys(docid(collection.name, t) for t in targets if t is not None and t != path))
            return replace(record, links=linked, expected_hash=known.raw_hash if known else None)
        return None

    def _just_changed(self, file: FileState) -> bool:
        now = self._syncer.files.state(self._collection, file.disk_path)
        return now is not None and abs(self._syncer.clock() * 1_000_000 - now.mtime_ns) < SUSPICIOUS_NS

    def _write(self, batch: list[DocumentRecord]) -> None:
        report = self._report
        with self._syncer.store.write() as writer:
            for record in batch:
                document = record.document
                if not writer.put(record):
                    continue  # another process wrote this document meanwhile; the next scan compares again
                self._syncer.history.attach(writer, document.docid)
                if record.expected_hash is None:
                    report.added += 1
                    self._added.append(document)
                else:
                    report.changed += 1
                report.fragments += len(record.fragments)

    def finish(self) -> None:
        """Retires what is gone, or holds on to it when too much went at once."""
        report, plan, name = self._report, self._plan, self._collection.name
        gone = [self._indexed[path] for path in plan.gone]
        hashes = {document.body_hash for document in self._added}
        renamed = [old for old in gone if old.body_hash in hashes]
        missing = self._walk.missing
        reason = held(len(gone), len(renamed), len(self._indexed), missing=missing, empty=not self._walk.files)
        if self._force and missing is None:
            reason = None
        with self._syncer.store.read() as reader:
            moves = self._syncer.history.moves(reader, {old.docid: old.body_hash for old in gone}, self._added)
        self._syncer.history.record(moves)
        with self._syncer.store.write() as writer:
            for identity, file in self._touched:
                writer.touch(identity, file)
            writer.set_vanished([self._indexed[path].docid for path in plan.back], vanished=False)
            if reason is None:
                for old in gone:
                    writer.remove(old.docid)
            else:
                writer.set_vanished([old.docid for old in gone], vanished=True)
            writer.set_skipped(name, self._skipped)
            root, now = self._collection.root, self._syncer.clock()
            writer.set_collection(CollectionState(name, root, now, 0, reason, len(gone) if reason else 0))
        if reason is None:
            report.moved += len(renamed)
            report.retired += len(gone) - len(renamed)
        else:
            report.held[name] = reason
