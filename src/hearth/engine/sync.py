"""Sync: brings the index up to what the collections hold now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from hearth.engine import succession
from hearth.engine.analysis import Analyzer
from hearth.engine.history import History
from hearth.engine.intake import Intake, Job, NoDocument, Outcome, Spread, Unchanged, loads
from hearth.engine.naming import Naming
from hearth.engine.plan import SyncPlan, held, plan_sync
from hearth.errors import Unavailable
from hearth.markdown.links import Notes, resolve
from hearth.model.document import Document, FileState
from hearth.model.identity import docid, normal_path
from hearth.ports import (
    Clock,
    Collection,
    CollectionState,
    DocumentRecord,
    Files,
    IndexedFile,
    Skipped,
    Store,
    Walk,
    Writer,
)

# Documents and fragments in one write transaction: short enough that other writers wait some tenths of a second.
BATCH_DOCUMENTS = 500
BATCH_FRAGMENTS = 2_000
# Bytes to read from which on starting processes pays: they take about 0.1 s each, as long as 200 files of 1 KB.
BULK_BYTES = 512 * 1024
# Documents in a row of which each supersedes the next; further down nothing is reconsidered.
_LONGEST_LINE = 64
# How often a single file is looked at again when another process wrote its row meanwhile.
_ONE_TRIES = 5


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
    """``exclusive`` keeps two scans of one vault apart; ``history`` is the journal side; ``spread`` shares out the
    reading of ``bulk`` bytes or more."""

    store: Store
    files: Files
    analyzer: Analyzer
    history: History
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]
    spread: Spread = map
    bulk: int = BULK_BYTES

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

    def one(self, collection: Collection, path: str, identity: str) -> None:
        """Brings the index up to one file, by its path on disk and the docid that it has or will have, without a look
        at any other; a scan may be under way. Raises ``Unavailable`` where it can't be read or keeps changing."""
        disk_path, path = path.encode("utf-8", "surrogateescape"), normal_path(path)
        for _ in range(_ONE_TRIES):
            file = self.files.state(collection, disk_path)
            if file is None:
                raise Unavailable(f"{collection.root}/{path} is gone; the next update sees where it went")
            with self.store.read() as reader:
                stored = reader.document(identity)
            known = {path: stored.indexed} if stored is not None and stored.document.path == path else {}
            report = SyncReport()
            work = _Work(collection, Walk({path: file}), known, SyncPlan((path,), (), (), 0), force=False, alone=True)
            _CollectionScan(self, work, report).take_in(lambda done: None)
            if report.added or report.changed or report.unchanged:
                return
        reasons = "; ".join(skipped.reason for skipped in report.skipped) or "others keep writing it"
        raise Unavailable(f"{collection.root}/{path} can't be indexed now: {reasons}")

    def _planned(self, collection: Collection, *, force: bool) -> _Work:
        # In this order, a memory that is written and indexed meanwhile is not taken for one that is gone.
        with self.store.read() as reader:
            indexed = reader.files(collection.name)
        walk = self.files.walk(collection)
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
    """What one collection needs done. ``alone``: ``indexed`` holds only what is to be read."""

    collection: Collection
    walk: Walk
    indexed: Mapping[str, IndexedFile]
    plan: SyncPlan
    force: bool
    alone: bool = False


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
        self._alone = work.alone
        self._skipped = list(work.walk.skipped)
        self._touched: list[tuple[str, FileState]] = []
        self._added: list[Document] = []
        self._refused: list[str] = []
        self._moved: set[str] = set()
        self._former: dict[str, str] = {}

    @cached_property
    def _notes(self) -> Notes:
        """What links may mean; those that are gone too, since something may have superseded them."""
        return Notes({**self._walk.files, **self._others}.keys())

    @cached_property
    def _others(self) -> Mapping[str, IndexedFile]:
        if not self._alone:
            return self._indexed
        with self._syncer.store.read() as reader:
            return reader.files(self._collection.name)

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
        for done, (job, outcome) in enumerate(self._outcomes(), 1):
            record = self._taken(job, outcome)
            if record is not None:
                batch.append(record)
                fragments += len(record.fragments)
            if len(batch) >= BATCH_DOCUMENTS or fragments >= BATCH_FRAGMENTS:
                yield batch
                batch, fragments = [], 0
            progress(done)
        if batch:
            yield batch

    def _outcomes(self) -> Iterator[tuple[Job, Outcome]]:
        """What comes of each file to read, in order."""
        syncer = self._syncer
        jobs = [self._job(path) for path in self._plan.read]
        bulk = len(jobs) > 1 and sum(job.file.size for job in jobs) >= syncer.bulk
        share: Spread = syncer.spread if bulk else map
        found = share(Intake(syncer.files, syncer.analyzer), loads(self._collection, jobs, syncer.clock))
        yield from zip(jobs, chain.from_iterable(found), strict=True)

    def _job(self, path: str) -> Job:
        known = self._indexed.get(path)
        identity = known.docid if known is not None else docid(self._collection.name, path)
        return Job(path, self._walk.files[path], identity, known.raw_hash if known is not None else None)

    def _taken(self, job: Job, outcome: Outcome) -> DocumentRecord | None:
        """The record to write; a file that can't be read is listed with its reason and keeps what the index had of it,
        one that is no text any more goes like one that is gone."""
        name = self._collection.name
        if isinstance(outcome, NoDocument):
            if job.path in self._indexed:
                self._refused.append(job.path)
            outcome = outcome.reason
        if isinstance(outcome, str):
            self._skipped.append(Skipped(name, job.path, outcome))
            return None
        if isinstance(outcome, Unchanged):
            self._touched.append((job.docid, job.file))
            self._report.unchanged += 1
            return None
        links: tuple[str, ...] = ()
        if outcome.links:
            targets = (self._linked(link, job.path) for link in outcome.links)
            links = tuple(dict.fromkeys(t for t in targets if t is not None and t != job.docid))
        if succession.KEY in outcome.document.facts:
            links += succession.as_links(self._superseded(outcome.document))
        record = replace(outcome, links=links, expected_hash=job.known_hash)
        return record if record.document.docid == job.docid else self._renamed(record, job.path)

    def _renamed(self, record: DocumentRecord, path: str) -> DocumentRecord:
        """A record with the docid that its file may bear."""
        syncer = self._syncer
        named = Naming(syncer.store, syncer.files, self._collection, self._walk).of(
            record, path, self._indexed.get(path)
        )
        if named.moved:
            self._moved.add(named.record.document.docid)
        if named.former is not None:
            self._former[named.record.document.docid] = named.former
        return named.record

    def _linked(self, link: str, path: str) -> str | None:
        """The docid of the document that a link means."""
        target = resolve(link, path, self._notes)
        if target is None:
            return None
        known = self._others.get(target)
        return known.docid if known is not None else docid(self._collection.name, target)

    def _superseded(self, document: Document) -> tuple[str, ...]:
        return succession.targets(document, lambda link: self._linked(link, document.path))

    def _write(self, batch: list[DocumentRecord]) -> None:
        report = self._report
        with self._syncer.store.write() as writer:
            for record in batch:
                document = record.document
                new = record.expected_hash is None
                successions = set() if new else self._freed(writer, document.docid)
                if document.docid in self._former:
                    writer.remove(self._former[document.docid])
                if not writer.put(record):
                    continue  # another process wrote this document meanwhile; the next scan compares again
                self._syncer.history.attach(writer, document.docid, new=new)
                self._reconsider(writer, successions.union(succession.named_in(record.links)))
                if new:
                    report.added += 1
                    self._added.append(document)
                else:
                    report.changed += 1
                report.fragments += len(record.fragments)

    def _freed(self, writer: Writer, identity: str) -> set[str]:
        """What a document that changes or goes has superseded so far."""
        stored = writer.document(identity)
        if stored is None or succession.KEY not in stored.document.facts:
            return set()
        return set(self._superseded(stored.document))

    def _remove(self, writer: Writer, identity: str) -> None:
        freed = self._freed(writer, identity)
        writer.remove(identity)
        self._reconsider(writer, freed)

    def _reconsider(self, writer: Writer, docids: set[str]) -> None:
        """Attaches state anew down the line of what is superseded: a circle may have closed or opened."""
        seen: set[str] = set()
        while docids and len(seen) < _LONGEST_LINE:
            for identity in docids:
                self._syncer.history.attach(writer, identity)
            seen |= docids
            docids = {below for identity in docids for below in self._freed(writer, identity)} - seen

    def finish(self) -> None:
        """Retires what is gone, or holds on to it when too much went at once."""
        report, plan, name = self._report, self._plan, self._collection.name
        lost = (*plan.gone, *self._refused)
        gone = [self._indexed[path] for path in lost if self._indexed[path].docid not in self._moved]
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
                    self._remove(writer, old.docid)
            else:
                writer.set_vanished([old.docid for old in gone], vanished=True)
            writer.set_skipped(name, self._skipped)
            root, now = self._collection.root, self._syncer.clock()
            writer.set_collection(CollectionState(name, root, now, 0, reason, len(gone) if reason else 0))
        if reason is None:
            report.moved += len(renamed) + len(self._moved)
            report.retired += len(gone) - len(renamed)
        else:
            report.held[name] = reason
