"""The consolidator: plans a run, carries it out change by change, and tells what runs did."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Unpack

from hearth.core.errors import BadReply, ConfigError, Unavailable
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import Origin
from hearth.core.query import RemarkOptions
from hearth.memory.file_names import new_id
from hearth.memory.memories import Memories
from hearth.memory.reviews import draft_review, find_review
from hearth.memory.undo import WROTE
from hearth.ports import Clock, Reader, StoredDocument
from hearth.truth.consolidation_plan import (
    CONFIDENCE,
    SUPPORTS,
    Conclusions,
    ConsolidationChange,
    find_fallen,
    plan,
    raise_confidence,
)
from hearth.truth.duplicates import CurrentMemory, list_current
from hearth.truth.review import draft_tags, merge_sources
from hearth.vault.changes import Remarks
from hearth.vault.history import History

ACTOR = "consolidation"
EVERY_DAYS = 7
EVERY_MEMORIES = 200
_PREFIX = "consolidation-"
_SOURCE_CHARS = 300
_LAST, _SEEN, _CONCLUDED = "consolidated_at", "consolidated_memories", "concluded_at"


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """``changes`` are what was done, or what would be where not ``applied``; ``kept`` counts what changed in the
    meantime and was skipped. ``run`` is what ``undo_run`` takes back, ``None`` where nothing was done; ``remarks`` say
    why a language model had no part in it."""

    applied: bool
    changes: tuple[ConsolidationChange, ...]
    memories: int
    kept: int = 0
    run: str | None = None
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        return {
            "dry_run": not self.applied,
            "changes": [change.to_dict() for change in self.changes],
            "memories": self.memories,
            "kept": self.kept,
            "run": self.run,
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did, from the journal: for each event its kind, path and reason."""

    run: str
    at: int
    events: tuple[tuple[str, str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        rows = [{"kind": kind, "path": path, "why": why} for kind, path, why in self.events]
        return {"run": self.run, "at": self.at, "events": rows}


@dataclass(frozen=True)
class Consolidator:
    """``lease`` lets one process of the machine consolidate at a time; it raises ``Unavailable`` elsewhere."""

    history: History
    memories: Memories
    clock: Clock
    lease: Callable[[], AbstractContextManager[None]]
    conclusions: Conclusions | None = None
    random: Callable[[int], bytes] = os.urandom

    def run(
        self,
        *,
        apply: bool = True,
        since: int | None = None,
        model: bool | None = None,
        **remarks: Unpack[RemarkOptions],
    ) -> ConsolidationReport:
        """Plans, and carries the plan out where it is to be applied; ``since`` (ms UTC) leaves out what only older
        memories say. ``model`` says whether a language model draws conclusions, too; by default it does where there is
        one. Raises ``Unavailable`` where it shall and none is configured."""
        if model and self.conclusions is None:
            raise Unavailable("no language model is configured; see llm.provider in the settings")
        if not apply:
            return self._make_plan(since, thinking=model is not False)
        with self.lease():
            return self.run_leased(since=since, thinking=model is not False, **remarks)

    def run_leased(
        self,
        *,
        since: int | None = None,
        part_of: str | None = None,
        thinking: bool = True,
        **remarks: Unpack[RemarkOptions],
    ) -> ConsolidationReport:
        """The same, by whoever holds the lease; ``part_of`` another run, by whose name it is undone."""
        given: RemarkOptions = {"actor": ACTOR}
        given.update(remarks)
        metadata = Remarks(**given).data()
        planned = self._make_plan(since, thinking=thinking)
        run = part_of or _PREFIX + new_id(self.random)
        done = [change for change in planned.changes if self._carry_out(change, {**metadata, "run": run})]
        with self.history.store.write() as writer:
            writer.set_meta(_LAST, str(self.clock()))
            writer.set_meta(_SEEN, str(planned.memories))
            if thinking and self.conclusions is not None and not planned.remarks:
                writer.set_meta(_CONCLUDED, str(self.clock()))
        if self.conclusions is not None:
            self.conclusions.done()
        kept = len(planned.changes) - len(done)
        return ConsolidationReport(True, tuple(done), planned.memories, kept, run if done else None, planned.remarks)

    def due(self) -> bool:
        """Whether a week has passed since the last run of this machine, or 200 memories came."""
        with self.history.store.read() as reader:
            last, seen = reader.meta(_LAST), reader.meta(_SEEN)
            if not last or not seen:
                return True
            if self.clock() - int(last) >= EVERY_DAYS * DAY_MS:
                return True
            state = reader.collections().get(self.memories.writer.collection.name)
        return state is not None and state.documents - int(seen) >= EVERY_MEMORIES

    def report(self, run: str | None = None) -> RunReport | None:
        """What a run did, the last one unless it is named."""
        rows: list[tuple[str, str, str]] = []
        at = 0
        for event in self.history.log.newest(own=False):
            of_run = event.data.get("run")
            if run is None and isinstance(of_run, str) and of_run.startswith(_PREFIX):
                run = of_run
            if run is not None and of_run == run and event.data.get("undoes") is None:
                at = max(at, event.at)
                rows.append((event.kind, event.path or str(event.doc), str(event.data.get("reason", ""))))
        return RunReport(run, at, tuple(reversed(rows))) if run is not None and rows else None

    # -- details ---------------------------------------------------------------------------------------------------

    def _make_plan(self, since: int | None, *, thinking: bool) -> ConsolidationReport:
        self.memories.prepare()
        with self.history.store.read() as reader:
            memories = list(list_current(reader))
            more = [
                one
                for one in find_fallen(reader, memories, _find_replaced(reader))
                if not self._is_reviewed(reader, one)
            ]
            concluded = max(since or 0, int(reader.meta(_CONCLUDED) or 0))
        remarks: tuple[str, ...] = ()
        thinker = self.conclusions if thinking else None
        if thinker is not None:
            try:
                more += thinker.draw(memories, concluded)
            except (Unavailable, BadReply, ConfigError) as error:
                remarks, thinker = (error.said,), None
        found = plan(memories, self.clock(), since or 0, more)
        with self.history.store.read() as reader:
            fresh = [change for change in found if change.kind != "entity" or not self._is_reviewed(reader, change)]
        if thinker is not None:
            fresh, remarks = _sum_up(thinker, fresh)
        return ConsolidationReport(False, tuple(fresh), len(memories), remarks=remarks)

    def _is_reviewed(self, reader: Reader, change: ConsolidationChange) -> bool:
        return find_review(reader, change.keep.docid, change.others[0].docid, self.clock()) is not None

    def _carry_out(self, change: ConsolidationChange, metadata: dict[str, str]) -> bool:
        """False where one of its documents is not as the plan saw it any more."""
        metadata = {**metadata, "reason": metadata.get("reason") or change.why[:200]}
        with self.history.store.read() as reader:
            stored = [self._find_unchanged(reader, one) for one in (change.keep, *change.others)]
            present = [one for one in stored if one is not None]
            if len(present) < len(stored):
                return False
            keep, *others = present
            drafts = self._drafts(reader, change, keep, others, metadata)
        if change.kind == "deduction":
            drafts = self._conclude(change, present, metadata)
        if change.kind == "summary":
            drafts = [*self._summary(change, metadata), *drafts]
        self.history.record(drafts)
        return bool(drafts)

    def _find_unchanged(self, reader: Reader, one: CurrentMemory) -> StoredDocument | None:
        stored = reader.document(one.docid)
        if stored is None or stored.state.hidden or stored.document.body_hash != one.body_hash:
            return None
        return stored

    def _drafts(
        self,
        reader: Reader,
        change: ConsolidationChange,
        keep: StoredDocument,
        others: Sequence[StoredDocument],
        metadata: dict[str, str],
    ) -> list[Draft]:
        match change.kind:
            case "archive":
                return self.history.draft_change(reader, keep.document, {"archived": True}, metadata)
            case "summary":
                return [
                    draft
                    for one in others
                    for draft in self.history.draft_change(reader, one.document, {"archived": True}, metadata)
                ]
            case "entity":
                return [draft_review(keep.document, others[0].document.docid, "merge", why=change.why, **metadata)]
            case "fallen":
                older = others[0].document.docid
                return [
                    draft_review(
                        keep.document, older, "update", why=change.why, confidence=change.certainty, **metadata
                    )
                ]
            case "deduction":
                return []
            case "duplicate" | "pattern":
                return [*self._draft_union(reader, change, keep, others, metadata)]

    def _draft_union(
        self,
        reader: Reader,
        change: ConsolidationChange,
        keep: StoredDocument,
        others: Sequence[StoredDocument],
        metadata: dict[str, str],
    ) -> Iterable[Draft]:
        confidence = raise_confidence(change)
        if confidence is not None:
            yield from self.history.draft_change(reader, keep.document, {"confidence": confidence}, metadata)
        for one in others:
            yield from self.history.draft_change(reader, one.document, {"superseded_by": keep.document.docid}, metadata)
            yield from merge_sources(keep, one, metadata)
        yield from draft_tags(reader, self.history, keep, others, metadata)

    def _summary(self, change: ConsolidationChange, metadata: dict[str, str]) -> list[Draft]:
        """Writes it, with edges to what it was made of."""
        done = self.memories.remember(change.text, "summary", project=change.keep.project, created_by=ACTOR)
        edges = [(WROTE, metadata["run"]), *(("summarises", one.docid) for one in change.others)]
        return [
            Draft("relate", done.docid, done.path, data={"type": kind, "target": target, **metadata, "was": None})
            for kind, target in edges
        ]

    def _conclude(
        self, change: ConsolidationChange, premises: Sequence[StoredDocument], metadata: dict[str, str]
    ) -> list[Draft]:
        """Writes it, with an edge from each premise; nothing where it is there already or was taken back once."""
        source = "consolidation of " + ", ".join(f"#{one.document.docid}" for one in premises)
        done = self.memories.remember(
            change.text,
            "deduction",
            project=change.keep.project,
            created_by=ACTOR,
            confidence=CONFIDENCE,
            origin=Origin(source[:_SOURCE_CHARS], tier="inferred"),
        )
        if done.action != "written":
            return []
        wrote = {"type": WROTE, "target": metadata["run"], **metadata, "was": None}
        edge = {"type": SUPPORTS, "target": done.docid, "weight": CONFIDENCE, **metadata, "was": None}
        documents = [one.document for one in premises]
        return [
            Draft("relate", done.docid, done.path, data=wrote),
            *(Draft("relate", one.docid, one.path, one.body_hash, dict(edge)) for one in documents),
        ]


def _find_replaced(reader: Reader) -> dict[str, str]:
    """What was replaced by what says something else, by docid."""
    why = reader.holders("superseded_why")
    return {
        docid: by
        for docid, by in reader.holders("superseded_by").items()
        if by and (why.get(docid) or {}).get("actor") != ACTOR
    }


def _sum_up(
    thinker: Conclusions, found: Sequence[ConsolidationChange]
) -> tuple[list[ConsolidationChange], tuple[str, ...]]:
    """With sentences about what each summary lists; without them where the model is not available."""
    changes: list[ConsolidationChange] = []
    for one in found:
        try:
            changes.append(thinker.sum_up(one) if one.kind == "summary" else one)
        except (Unavailable, BadReply, ConfigError) as error:
            return [*changes, *found[len(changes) :]], (error.said,)
    return changes, ()
