"""The archiver: sweeps what lies unused, and brings back what somebody wants."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, Unpack, cast

from hearth.core.document import VEILS
from hearth.core.errors import UsageError
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.query import MAX_RESULTS, Query, QueryOptions, Recall, RemarkOptions
from hearth.memory import archive
from hearth.memory.archive import ArchiveStore, Op, Policy, plan, planned
from hearth.memory.file_names import new_id
from hearth.memory.purge import Eraser, scope_of
from hearth.memory.status import LifecycleStatus, Restored, StaleNote, StatusCount, Swept, Uses, find_stale_notes
from hearth.ports import Clock, Reader, Store, StoredDocument
from hearth.vault.changes import Remarks
from hearth.vault.history import History

DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Restorable:
    """Which archived documents to bring back: all that fit everything given, ``everything`` where nothing is.
    ``since`` is when they were archived at the earliest, ms UTC; ``limit`` is for a ``query``."""

    query: Query | None = None
    collection: str | None = None
    since: int | None = None
    everything: bool = False
    limit: int = DEFAULT_LIMIT

    def checked(self) -> Restorable:
        """Raises ``UsageError`` for nothing, for everything together with a choice, and for a limit below 1."""
        given = [self.query, self.collection, self.since]
        chosen = any(one is not None for one in given)
        if chosen == self.everything:
            what = "all excludes a choice" if chosen else "nothing says what to restore"
            raise UsageError(f"{what}; give a query, a collection or since, or ask for all")
        if self.limit < 1:
            raise UsageError(f"limit {self.limit} is out of range; choose 1 or more")
        return self


_BATCH = 500
Item = TypeVar("Item")


@dataclass(frozen=True)
class Archiver:
    """A sweep archives what lay unused for too long: hidden from searches, to be restored at any time. What changes
    something journals why and by whom, as ``Changer`` does.

    ``find`` answers a query from a store, ``sure`` is the score from which a hit is surely meant; ``uses`` tells how a
    document was used; ``ask`` makes a query of the present moment; ``prepare`` brings an index of another version up to
    date."""

    history: History
    eraser: Eraser
    find: Callable[[Store, Query], Recall]
    sure: float
    policy: Policy
    clock: Clock
    zone: str
    uses: Callable[[Reader, str], Uses]
    ask: Callable[..., Query]
    prepare: Callable[[], None]
    random: Callable[[int], bytes] = os.urandom

    @property
    def store(self) -> Store:
        return self.history.store

    def status(self) -> LifecycleStatus:
        """What is active, archived, stale and due, the policy, and what deserves a pin or a snooze."""
        self.prepare()
        with self.store.read() as reader:
            return StatusCount(reader, self.policy, self.clock(), self.zone, self.uses).report()

    def stale_notes(self, limit: int = 5) -> list[StaleNote]:
        """Notes whose ``review_by`` has passed, the longest overdue first. Raises ``UsageError`` for a limit
        below 1."""
        self.prepare()
        if limit < 1:
            raise UsageError(f"limit {limit} is out of range; choose 1 or more")
        with self.store.read() as reader:
            return find_stale_notes(reader, self.clock(), self.zone, limit)

    # -- sweep -----------------------------------------------------------------------------------------------------

    def plan(self, now: int) -> list[Op]:
        with self.store.read() as reader:
            governed = archive.documents(reader, self.policy.governed)
            return list(planned(governed, self.policy, now, archive.since(reader)))

    def sweep(
        self, apply: bool | None = None, *, part_of: str | None = None, **remarks: Unpack[RemarkOptions]
    ) -> Swept:
        """Archives what is due, or says what would be: without ``apply``, as ``lifecycle.dry_run`` says.

        Old archives are purged only where ``lifecycle.purge_after_days`` is set and ``apply`` is true; never as
        ``part_of`` another run, by whose name all of it can be undone."""
        metadata = Remarks(**remarks).data()
        self.prepare()
        now, run = self.clock(), part_of or new_id(self.random)
        metadata["run"] = run
        ops = [op for op in self.plan(now) if part_of is None or op.action == "archive"]
        archives = tuple(op for op in ops if op.action == "archive")
        purges = tuple(op for op in ops if op.action == "purge")
        if not (apply if apply is not None else not self.policy.dry_run):
            return Swept(False, archives, purges, now)
        deferred = 0 if apply else len(purges)
        done = Swept(True, (), (), now, deferred=deferred, run=run)
        for page in _batches(archives):
            done = self._archive(page, now, metadata, done)
        return done if deferred or not purges else self._erase(purges, now, metadata, done)

    def _archive(self, ops: Sequence[Op], now: int, metadata: dict[str, str], done: Swept) -> Swept:
        drafts: list[Draft] = []
        with self.store.read() as reader:
            due = self._still_due(reader, ops, now)
            for op, stored in due:
                remarks = {"reason": op.why, **metadata}
                drafts += self.history.draft_change(reader, stored.document, {"archived": True}, remarks)
        events = self.history.record(drafts)
        return replace(
            done,
            archived=(*done.archived, *(op for op, _ in due)),
            events=done.events + len(events),
            last_event=events[-1] if events else done.last_event,
            kept=done.kept + len(ops) - len(due),
        )

    def _erase(self, ops: Sequence[Op], now: int, metadata: dict[str, str], done: Swept) -> Swept:
        """Journals every purge first, so that an end at any point after it is made good by the next scan."""
        gone: list[Op] = []
        for page in _batches(ops):
            drafts: list[Draft] = []
            with self.store.read() as reader:
                for op, stored in self._still_due(reader, page, now):
                    drafts.append(_purge(stored, {"reason": op.why, **metadata}))
                    gone.append(op)
            self.history.record(drafts)
        kept = done.kept + len(ops) - len(gone)
        return replace(done, purged=tuple(gone), kept=kept, pending=self.eraser.run().pending)

    def _still_due(self, reader: Reader, ops: Iterable[Op], now: int) -> list[tuple[Op, StoredDocument]]:
        """What nobody pinned, used or edited since the plan was made."""
        since = archive.since(reader)
        found: list[tuple[Op, StoredDocument]] = []
        for op in ops:
            stored = reader.document(op.docid)
            again = [] if stored is None else plan([stored], self.policy, now, since)
            if stored is not None and again and again[0].action == op.action:
                found.append((op, stored))
        return found

    # -- archive ---------------------------------------------------------------------------------------------------

    def search(self, text: str | Query, **options: Unpack[QueryOptions]) -> Recall:
        """As ``Vault.recall``, among what is archived and nothing else."""
        self.prepare()
        query = self.ask(text, **options) if isinstance(text, str) else text
        wanted = replace(query, include=VEILS[1:], include_hidden=False)
        return self.find(cast(Store, ArchiveStore(self.store)), wanted)

    def restore(
        self,
        query: str | None = None,
        *,
        apply: bool = True,
        reason: str | None = None,
        actor: str = "program",
        **fitting: Any,
    ) -> Restored:
        """Brings back what is archived and fits all that is given: the best for a query, ``limit`` of them, of one
        ``collection``, archived ``since`` (ms UTC). ``everything=True`` has to be said. Raises ``UsageError`` where
        nothing says which documents."""
        metadata = Remarks(reason, actor).data()
        wanted = Restorable(None if query is None else self.ask(query), **fitting).checked()
        self.prepare()
        with self.store.read() as reader:
            docids, left = self._find(reader, wanted)
        done = Restored(apply, (), left=left)
        for page in _batches(docids):
            done = self._bring_back(page, metadata, done)
        return done

    def _find(self, reader: Reader, wanted: Restorable) -> tuple[list[str], int]:
        since = archive.since(reader)
        fitting = [
            stored.document.docid
            for stored in archive.archived(reader)
            if (wanted.collection in (None, stored.document.collection))
            and (wanted.since is None or (since(stored.document.docid) or 0) >= wanted.since)
        ]
        if wanted.query is None:
            return fitting, 0
        collections = () if wanted.collection is None else (wanted.collection,)
        # A change wants more than the best there is: what is not sure to be meant stays archived.
        least = self.sure if wanted.query.min_score is None else wanted.query.min_score
        query = replace(wanted.query, collections=collections, limit=MAX_RESULTS, diverse=False, min_score=least)
        found = dict.fromkeys(hit.docid for hit in self.search(query).hits)
        admitted = set(fitting)
        chosen = [docid for docid in found if docid in admitted]
        return chosen[: wanted.limit], max(0, len(chosen) - wanted.limit)

    def _bring_back(self, docids: Sequence[str], metadata: dict[str, str], done: Restored) -> Restored:
        drafts: list[Draft] = []
        back = []
        with self.store.read() as reader:
            for docid in docids:
                stored = reader.document(docid)
                if stored is not None and stored.state.archived and not stored.state.forgotten:
                    drafts += self.history.draft_change(reader, stored.document, {"archived": False}, metadata)
                    back.append(stored.document)
        events = self.history.record(drafts) if done.applied else []
        last = events[-1] if events else done.last_event
        return replace(done, documents=(*done.documents, *back), last_event=last)


def _purge(stored: StoredDocument, remarks: dict[str, str]) -> Draft:
    document, scope = stored.document, scope_of(stored, file=False)
    data = {"scope": scope, **remarks}
    if scope == "memory":  # the name of its file says what it is about
        return Draft("purge", document.docid, data=data)
    return Draft("purge", document.docid, document.path, document.body_hash, data)


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
