"""Sync: brings the index up to what the collections hold now."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, replace
from itertools import chain
from types import MappingProxyType

from hearth.core.document import TEAM, Document, FileState, docid, normal_path
from hearth.core.errors import Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import (
    Clock,
    Collection,
    CollectionState,
    Commit,
    Commits,
    DocumentRecord,
    Files,
    Filter,
    IndexedFile,
    Skipped,
    Store,
    StoredDocument,
    Walk,
)
from hearth.ports.files import Spread
from hearth.ports.stored import OTHER_NOTES
from hearth.vault import linking
from hearth.vault.history import History
from hearth.vault.indexing import analysis
from hearth.vault.indexing.analysis import Analyzer
from hearth.vault.indexing.docids import Naming, as_new, find_misnamed, rename
from hearth.vault.indexing.intake import FileJob, Intake, NoDocument, Outcome, Unchanged, Unindexable, loads
from hearth.vault.indexing.plan import SyncPlan, SyncReport, Untracked, explain_keeping, plan_sync
from hearth.vault.linking import link, reconsider, retire

# Documents and fragments in one write transaction: short enough that other writers wait some tenths of a second.
BATCH_DOCUMENTS = 500
BATCH_FRAGMENTS = 2_000
# Bytes to read from which on starting processes pays: they take about 0.1 s each, as long as 200 files of 1 KB.
BULK_BYTES = 512 * 1024
# From this many new documents on, the terms are merged so that questions find them faster.
_MANY = 200
# How often a single file is looked at again when another process wrote its row meanwhile.
_ONE_TRIES = 5


Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    del done, total


@contextmanager
def _no_collector() -> Iterator[None]:
    """Turns the garbage collector off: it would walk a large listing again and again, a tenth of the time of a scan
    that finds nothing."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


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
    commits: Commits = field(default_factory=Untracked)

    def run(
        self,
        collections: Sequence[Collection],
        *,
        force: bool = False,
        partial: bool = False,
        progress: Progress = _silent,
    ) -> SyncReport:
        """``force`` retires vanished files in any number. ``partial``: these are not all collections."""
        started = time.perf_counter()
        report = SyncReport()
        with self.exclusive():
            report.problems.extend(f"journal: {problem}" for problem in self.history.replay(whole=True))
            if not partial:
                self._drop_removed(collections, report)
            with _no_collector():
                works = [self._plan_work(collection, force=force) for collection in collections]
            total = sum(len(work.plan.read) for work in works)
            done = 0
            scans = [_CollectionScan(self, work, SyncReport()) for work in works]
            for scan, work in zip(scans, works, strict=True):
                scan.take_in(_offset(progress, done, total))
                done += len(work.plan.read)
            named = {collection.name: collection for collection in collections}
            for stored in chain.from_iterable(scan.displace(named.keys()) for scan in scans):
                self._read_again(named[stored.document.collection], stored, report)
            # Only now is it certain which documents are gone, so that their state may follow their text.
            for scan, work in zip(scans, works, strict=True):
                scan.finish()
                report.add(work.collection.name, scan.report)
            for work in works:
                if work.plan.read or work.plan.gone:
                    self._settle(work)
            self._move(scans)
            for collection in collections:
                link(self.store, collection.name, self.history.attach)
            if report.added + report.changed >= _MANY:
                with self.store.write() as writer:
                    writer.merge_terms()
        if not partial:
            report.faults = self._find_faults()
        report.seconds = time.perf_counter() - started
        return report

    def _find_faults(self) -> list[Skipped]:
        with self.store.read() as reader:
            found = list(reader.each_document(Filter(include_hidden=True, faulty=True)))
        return [Skipped(one.document.collection, one.document.path, one.problem or "") for one in found]

    def _settle(self, work: _Work) -> None:
        """Reads notes again whose date or language depends on the others, if the others now decide it differently."""
        with self.store.read() as reader:
            notes = reader.unsettled(work.collection.name)
            settled = analysis.settle(reader, work.collection, notes)
            paths = [path for path in analysis.find_outdated(notes, settled) if path in work.walk.files]
            files = reader.files(work.collection.name) if paths else {}
        if paths:
            again = replace(work, collection=settled, indexed=files, anew=True)
            plan = SyncPlan(tuple(paths), (), (), 0)
            _CollectionScan(self, replace(again, plan=plan), SyncReport()).take_in(lambda done: None)

    def _read_again(self, collection: Collection, stored: StoredDocument, report: SyncReport) -> None:
        """Reads a file again whose docid now belongs to another."""
        try:
            self.one(collection, stored.file.disk_path.decode("utf-8", "surrogateescape"), stored.document.docid)
        except Unavailable as error:
            report.problems.append(str(error))

    def _move(self, scans: Sequence[_CollectionScan]) -> None:
        added = [document for scan in scans for document in scan.added]
        with self.store.read() as reader:
            # Another file may bear the docid of one that is gone now.
            borne = {old.docid: reader.document(old.docid) for scan in scans for old in scan.gone}
            gone = [
                old
                for scan in scans
                for old in scan.gone
                if (now := borne[old.docid]) is None or now.document.path == old.path
            ]
            moves = self.history.moves(reader, gone, added)
        self.history.record(moves)

    def one(
        self,
        collection: Collection,
        path: str,
        identity: str,
        complete: Callable[[DocumentRecord], DocumentRecord] = lambda record: record,
    ) -> None:
        """Brings the index up to one file, by its path on disk and the docid that it has or will have, without a look
        at any other; a scan may be under way. ``complete`` adds to what is to be written. Raises ``Unavailable`` where
        the file can't be read or keeps changing."""
        disk_path, path = path.encode("utf-8", "surrogateescape"), normal_path(path)
        for _ in range(_ONE_TRIES):
            file = self.files.state(collection, disk_path)
            if file is None:
                raise Unavailable(f"{collection.root}/{path} is gone; the next update finds where it went")
            with self.store.read() as reader:
                stored = reader.document(identity)
                settled = analysis.settle(reader, collection)
            known = {path: stored.indexed} if stored is not None and stored.document.path == path else {}
            report = SyncReport()
            work = _Work(settled, Walk({path: file}), known, SyncPlan((path,), (), (), 0), force=False)
            scan = _CollectionScan(self, work, report, complete, {identity: stored})
            scan.take_in(lambda done: None)
            if scan.has_unlinked:
                link(self.store, collection.name, self.history.attach)
            if report.added or report.changed or report.unchanged:
                return
        reasons = "; ".join(skipped.reason for skipped in report.skipped) or "another program keeps writing it"
        raise Unavailable(f"{collection.root}/{path} can't be indexed now: {reasons}")

    def _plan_work(self, collection: Collection, *, force: bool) -> _Work:
        # Read in this order, a memory that is written and indexed meanwhile is not mistaken for a deleted one.
        with self.store.read() as reader:
            indexed, state = reader.files(collection.name), reader.collections().get(collection.name)
        walk = self.files.walk(collection)
        collection = collection.walked(walk)
        # Until the end of the scan the former settings stand there, so that one that is cut short begins again.
        anew = state is not None and state.settings != collection.settings
        plan = plan_sync(walk.files, indexed, self.clock() * 1_000_000, anew=anew)
        if plan.read:
            with self.store.read() as reader:
                collection = analysis.settle(reader, collection)
        revision = self.commits.revision(collection)
        # Reads the history once, and only if it may have news.
        was_announced = revision != (state.revision if state is not None else None)
        asked = was_announced or (revision is not None and not indexed.keys() >= set(plan.read))
        committed = self.commits.first(collection) if asked else None
        return _Work(collection, walk, indexed, plan, force, anew, revision, committed)

    def _drop_removed(self, collections: Sequence[Collection], report: SyncReport) -> None:
        names = {collection.name for collection in collections}
        with self.store.read() as reader:
            removed = [state for name, state in reader.collections().items() if name not in names]
        for state in removed:
            with self.store.write() as writer:
                for file in writer.files(state.name).values():
                    retire(writer, file.docid, self.history.attach)
                writer.drop_collection(state.name)
            report.retired += state.documents


@dataclass(frozen=True, slots=True)
class _Work:
    """What one collection needs done. ``anew``: its settings shape all its rows otherwise now. ``committed``: when git
    had each path first, ``None`` where that is as it was."""

    collection: Collection
    walk: Walk
    indexed: Mapping[str, IndexedFile]
    plan: SyncPlan
    force: bool
    anew: bool = False
    revision: str | None = None
    committed: Mapping[str, Commit] | None = None


class _CollectionScan:
    """One collection of a sync under way. ``complete`` adds to each record; ``holders`` are documents that were just
    looked up, by docid."""

    def __init__(
        self,
        syncer: Syncer,
        work: _Work,
        report: SyncReport,
        complete: Callable[[DocumentRecord], DocumentRecord] = lambda record: record,
        holders: Mapping[str, StoredDocument | None] = MappingProxyType({}),
    ) -> None:
        self._syncer = syncer
        self.report = report
        self._collection = work.collection
        self._walk = work.walk
        self._indexed = work.indexed
        self._plan = work.plan
        self._force = work.force
        self._anew = work.anew
        self._revision = work.revision
        self._committed = work.committed
        self._skipped = list(work.walk.skipped)
        self._touched: list[tuple[str, FileState]] = []
        self.added: list[Document] = []
        self.gone: list[IndexedFile] = []
        self._moved: set[str] = set()
        self._former: dict[str, str] = {}
        self._complete = complete
        self._naming = Naming(syncer.store, syncer.files, work.collection, work.walk, set(), holders)
        self._unfit: list[str] = []
        self._refused: list[DocumentRecord] = []
        # Whether the next scan has to read something again.
        self._later = False
        # Whether links of the collection may have to be resolved.
        self.has_unlinked = True

    def take_in(self, progress: Callable[[int], None]) -> None:
        """Reads and writes what is new or changed."""
        self.report.unchanged += self._plan.unchanged
        for batch in self._batches(progress):
            self._write(batch)
        self.report.skipped.extend(self._skipped)
        self.report.left_out.update(self._walk.left_out)

    def _batches(self, progress: Callable[[int], None]) -> Iterator[list[DocumentRecord]]:
        """Records read and analyzed outside any transaction, in bounded batches."""
        batch: list[DocumentRecord] = []
        fragments = 0
        for done, (job, outcome) in enumerate(self._outcomes(), 1):
            record = self._take(job, outcome)
            if record is not None:
                if record.problem is not None:
                    self.report.new_faults.append(Skipped(self._collection.name, job.path, record.problem))
                batch.append(self._complete(record))
                fragments += len(record.fragments)
            if len(batch) >= BATCH_DOCUMENTS or fragments >= BATCH_FRAGMENTS:
                yield batch
                batch, fragments = [], 0
            progress(done)
        if batch:
            yield batch

    def _outcomes(self) -> Iterator[tuple[FileJob, Outcome]]:
        """The outcome for each file to read, in order."""
        syncer = self._syncer
        jobs = [self._job(path) for path in self._plan.read]
        bulk = len(jobs) > 1 and sum(job.file.size for job in jobs) >= syncer.bulk
        share: Spread = syncer.spread if bulk else map
        found = share(Intake(syncer.files, syncer.analyzer), loads(self._collection, jobs, syncer.clock))
        yield from zip(jobs, chain.from_iterable(found), strict=True)

    def _job(self, path: str) -> FileJob:
        known = self._indexed.get(path)
        known_hash = known.raw_hash if known is not None else None
        return FileJob(path, self._walk.files[path], docid(self._collection.name, path), known_hash, self._anew)

    def _take(self, job: FileJob, outcome: Outcome) -> DocumentRecord | None:
        """The record to write. A bad file is listed with its reason; what can't be read just now keeps what the index
        had of it, what holds no text any more does not."""
        name = self._collection.name
        if isinstance(outcome, NoDocument):
            self._skipped.append(Skipped(name, job.path, outcome.reason, job.file))
            if job.path in self._indexed:
                self._unfit.append(job.path)
            return None
        if isinstance(outcome, Unindexable):
            self._later = True
            self._skipped.append(Skipped(name, job.path, outcome.reason, job.file, shut=True))
            return None
        if isinstance(outcome, str):
            self._later = True
            self._skipped.append(Skipped(name, job.path, outcome))
            return None
        if isinstance(outcome, Unchanged):
            self._touched.append((self._indexed[job.path].docid, job.file))
            self.report.unchanged += 1
            return None
        at, by = self._first(job.path)
        document = replace(outcome.document, committed_at=at, committed_by=by)
        mount = self._collection.find_mount(job.path)
        if mount is not None and not mount.is_own(by, document.facts.get("machine")):
            document = replace(document, trust=TEAM)
        record = replace(outcome, document=document, expected_hash=job.known_hash)
        known = self._indexed.get(job.path)
        bears = job.docid if known is None else known.docid
        return record if record.document.docid == bears else self._rename(record, job.path)

    def _first(self, path: str) -> tuple[int | None, str | None]:
        if self._committed is not None:
            return self._committed.get(path, (None, None))
        known = self._indexed.get(path)
        return (None, None) if known is None else (known.committed_at, known.committed_by)

    def _rename(self, record: DocumentRecord, path: str) -> DocumentRecord:
        """A record with the docid that its file may bear."""
        named = self._naming.of(record, path, self._indexed.get(path))
        if named.moved:
            self._moved.add(named.record.document.docid)
        if named.former is not None:
            self._former[named.record.document.docid] = named.former
        return named.record

    def _write(self, batch: list[DocumentRecord]) -> None:
        report, attach = self.report, self._syncer.history.attach
        with self._syncer.store.write() as writer:
            # A superseding document may only arrive now, or with a new date.
            waiting = linking.journaled_superseders(writer)
            for record in batch:
                document = record.document
                new = record.expected_hash is None
                if document.docid in self._former:
                    retire(writer, self._former[document.docid], attach)
                if not writer.put(record):
                    self._later = True
                    self._refused.append(record)
                    continue  # another process wrote this document meanwhile; the next scan compares again
                attach(writer, document.docid, document if new else None)
                if document.docid in waiting or linking.KEY in document.facts:
                    reconsider(writer, linking.find_superseded(writer, document.docid), attach)
                if new:
                    report.added += 1
                    self.added.append(document)
                else:
                    report.changed += 1
                report.fragments += len(record.fragments)
            self.has_unlinked = bool(writer.unlinked(self._collection.name, 1))

    def displace(self, among: Set[str]) -> list[StoredDocument]:
        """Takes in the files whose docid, made from their path, a file of another collection names: that one's row
        goes. Gives those that went, of the collections ``among``."""
        gone = []
        refused, self._refused = self._refused, []
        for record in refused:
            identity = record.document.docid
            if identity != docid(self._collection.name, record.document.path):
                continue
            with self._syncer.store.write() as writer:
                holder = writer.document(identity)
                other = None if holder is None else holder.document.collection
                if holder is None or other == self._collection.name or other not in among:
                    continue
                retire(writer, identity, self._syncer.history.attach)
            gone.append(holder)
            self._write([record])
        return gone

    def _is_there(self, old: IndexedFile) -> bool:
        """A file that exists has not vanished, even if settings leave it out now or it holds no text any more."""
        return self._syncer.files.state(self._collection, old.file.disk_path) is not None

    def finish(self) -> None:
        """Retires what is gone, or holds on to it when too much went at once."""
        report, plan, name = self.report, self._plan, self._collection.name
        lost = (*plan.gone, *self._unfit)
        gone = [self._indexed[path] for path in lost if self._indexed[path].docid not in self._moved]
        hashes = {document.body_hash for document in self.added}
        self.gone = gone
        renamed = [old for old in gone if old.body_hash in hashes]
        missing = self._walk.missing
        vanished = sum(not self._is_there(old) for old in gone if old.body_hash not in hashes)
        reason = explain_keeping(vanished, len(self._indexed), missing=missing, empty=not self._walk.files)
        if self._force and missing is None:
            reason = None
        with self._syncer.store.write() as writer:
            for identity, file in self._touched:
                writer.update(identity, file=file)
            for path, known in self._indexed.items() if self._committed is not None else ():
                if (known.committed_at, known.committed_by) != self._first(path):
                    writer.update(known.docid, committed=self._first(path))
                    # Its date decides until when it and the documents it replaced were true.
                    reconsider(writer, {known.docid}, self._syncer.history.attach)
            for path in plan.back:
                writer.update(self._indexed[path].docid, vanished=False)
            for old in gone:
                if reason is None:
                    retire(writer, old.docid, self._syncer.history.attach)
                else:
                    writer.update(old.docid, vanished=True)
            others = json.dumps(report.other_notes)
            if (writer.meta(f"{OTHER_NOTES}{name}") or "{}") != others:
                writer.set_meta(f"{OTHER_NOTES}{name}", others)
            root, now = self._collection.root, self._syncer.clock()
            kept = len(gone) if reason else 0
            writer.set_collection(
                CollectionState(name, root, now, 0, reason, kept, self._collection.settings, self._revision),
                self._skipped,
            )
        self._put_names_right()
        if reason is None and not self._later:
            report.walks[name] = self._walk
        if reason is None:
            report.moved += len(renamed) + len(self._moved)
            report.retired += len(gone) - len(renamed)
        else:
            report.held[name] = reason

    def _put_names_right(self) -> None:
        """Gives docids that several files name, or that got free, to those that should bear them."""
        with self._syncer.store.read() as reader:
            misnamed = find_misnamed(reader, self._collection.name)
        if not misnamed:
            return
        jobs = [
            FileJob(path, self._walk.files[path], docid(self._collection.name, path), None)
            for path in (stored.document.path for stored, _ in misnamed)
            if path in self._walk.files
        ]
        intake = Intake(self._syncer.files, self._syncer.analyzer)
        found = chain.from_iterable(map(intake, loads(self._collection, jobs, self._syncer.clock)))
        read = {job.path: outcome for job, outcome in zip(jobs, found, strict=True)}
        renamed = []
        for stored, identity in misnamed:
            outcome, former = read.get(stored.document.path), stored.document
            if not isinstance(outcome, DocumentRecord) or outcome.document.raw_hash != former.raw_hash:
                self._later = True
                return  # some are not what they were: the next scan looks again
            document = replace(outcome.document, committed_at=former.committed_at, committed_by=former.committed_by)
            renamed.append((former.docid, as_new(replace(outcome, document=document), identity)))
        with self._syncer.store.write() as writer:
            self.added += [record.document for record in rename(writer, renamed, self._syncer.history.attach)]
