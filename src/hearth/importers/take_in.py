"""Takes what a reader found into the vault: files below ``memory/imported``, events, and an account of every record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from hearth.core.document import CROCKFORD, content_hash, docid
from hearth.core.errors import UsageError
from hearth.core.instants import DAY_MS
from hearth.core.journal import Draft, Event
from hearth.core.lazy import dataclass
from hearth.importers.records import Change, DocumentName, FileName, Found, MemoryName, Record
from hearth.importers.rendering import RenderedFile, Renderer, identify, owner_of
from hearth.importers.runs import REFUSALS, ImportRun, Outcome, is_import
from hearth.memory import file_names
from hearth.memory.undo import undoable
from hearth.ports import EventLog, read_whole
from hearth.vault.exchange import ExchangeFiles
from hearth.vault.history import problem
from hearth.vault.validity import IMPORTED

EDITED = "edited since it was taken in"
GONE_HERE = "superseded or forgotten here"
COUNTED: Mapping[str, Outcome] = {"taken": "taken", "merged": "merged", "known": "known"}
_HLC_BITS, _HLC_END = 16, 2**62
_ULID_BITS = 80
_ORDER = ("taken", "merged", *REFUSALS, GONE_HERE, EDITED, "known")


@dataclass
class _Journaled:
    """What the journals hold of imports: ids of all events, those that were taken back, and, by docid, the hash of the
    file as the last import wrote it."""

    known: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)


@dataclass
class Intake:
    """Takes records of one ``source`` (a word) into the vault. ``collections`` gives the name of the collection that
    each of its folders became, ``files`` the paths that are read of each, ``copied`` the folders whose files are copied
    instead."""

    run: ImportRun
    own: ExchangeFiles
    source: str
    collections: Mapping[str, str]
    files: Mapping[str, frozenset[str]]
    copied: Mapping[str, Path] = field(default_factory=dict)
    _events: list[Event] = field(default_factory=list)
    _again: list[Draft] = field(default_factory=list)
    _named: set[FileName] = field(default_factory=set)
    _ids: set[str] = field(default_factory=set)
    _journaled: _Journaled | None = None

    def take(self, found: Iterable[Found], is_stopped: Callable[[], bool] = lambda: False) -> None:
        """All of it, or what comes before somebody stops it; each record is counted once. What can't be taken is
        counted with its reason."""
        for one in found:
            if is_stopped():
                break
            if isinstance(one, Record):
                self._count(one)
        rest = (FileName(folder, path) for folder, paths in self.files.items() for path in sorted(paths))
        for name in rest:
            if is_stopped():
                break
            if name not in self._named:
                self._count_file(name, "file")
        self.run.flush()
        if not self.run.dry_run:
            self.own.adopt(self._events)
            self.run.history.replay()
            self.run.record(self._again)
            self.run.report.events -= len(self._again)

    # -- records ---------------------------------------------------------------------------------------------------

    def _count(self, record: Record) -> None:
        report = self.run.report
        if record.skipped:
            report.skip(record.skipped)
            return
        for name in record.unplaced:
            report.without_place[name] += 1
        before = len(self._events) + len(self._again)
        if record.memory is not None or record.conversation is not None:
            try:
                if not self._write(record):
                    return
            except UsageError as error:
                report.skip("can't be kept", record.label, error.said)
                return
        elif record.file is not None:
            self._count_file(record.file, record.kind)
        for change in record.changes:
            self._journal(change)
        if record.memory is None and record.file is None and record.conversation is None:
            is_new = len(self._events) + len(self._again) > before
            report.count("taken" if is_new or not record.changes else "known", record.kind)

    def _count_file(self, name: FileName, kind: str) -> None:
        self._named.add(name)
        report = self.run.report
        if name.path not in self.files.get(name.folder, frozenset()):
            report.skip("left out of the collection: hidden, excluded, too large or not markdown", str(name.path))
            return
        if name.folder in self.copied:
            self._copy(name, kind)
            return
        with self.run.history.store.read() as reader:
            is_known = reader.document(self._resolve(name)) is not None
        report.count("known" if is_known else "taken", kind)

    def _copy(self, name: FileName, kind: str) -> None:
        """Byte for byte."""
        try:
            data = (self.copied[name.folder] / name.path).read_bytes()
        except OSError as error:
            self.run.report.skip("can't be read", name.path, str(error.strerror))
            return
        path = self._copy_path(name)
        self._tell(self._put(path, data, self.run.docid(path), kind), name.path, kind)

    def _copy_path(self, name: FileName) -> str:
        return f"{IMPORTED}/{self.source}/{file_names.slug(name.folder) or self.source}/{name.path}"

    def _tell(self, outcome: str, label: str, kind: str) -> None:
        report = self.run.report
        if outcome in COUNTED:
            report.count(COUNTED[outcome], kind)
        else:
            report.skip(outcome, label)

    def _write(self, record: Record) -> bool:
        """Whether it has a document now; without one, no state is set."""
        report = self.run.report
        parts = list(Renderer(self.source, self.run.writer, report).render(record))
        outcomes = (self._put_memory(part, record.kind if part is parts[0] else None) for part in parts)
        outcome = min(outcomes, key=_ORDER.index)
        if outcome in _ORDER[:2]:
            report.redacted += sum(part.redacted for part in parts)
        self._tell(outcome, record.label, record.kind)
        return outcome in COUNTED or outcome == EDITED

    def _put_memory(self, file: RenderedFile, kind: str | None) -> str:
        """A statement that gave way here does not come back by an import."""
        is_new = self.run.writer.memories.read(file.path) is None
        if is_new and file.memory.origin is not None and self.run.writer.retired(file.memory) is not None:
            return GONE_HERE
        return self._put(file.path, file.data, file.memory.id, kind)

    def _put(self, path: str, data: bytes, identity: str, kind: str | None) -> str:
        """What became, or would become, of a file, by which a record of a ``kind`` is counted."""
        if identity in self._ids:
            return "known"
        self._ids.add(identity)
        state = self.run.find_state(identity)
        present = self.run.writer.memories.read(path)
        if present is None:
            if state in REFUSALS:
                return state
            self.run.create(path, data, None if kind is None else ("taken", kind))
            return "taken"
        if state == "taken back":
            if present != data:
                return EDITED
            self.run.show_again(path, data)
            return "taken"
        if present == data:
            return "known"
        if self._read_journal().written.get(identity) != content_hash(present):
            return EDITED
        self.run.replace(path, data, present, None if kind is None else ("merged", kind))
        return "merged"

    # -- events ----------------------------------------------------------------------------------------------------

    def _journal(self, change: Change) -> None:
        data = {key: self._resolve_all(value) for key, value in change.data.items()}
        document = None if change.document is None else self._resolve(change.document)
        path = change.document.path if isinstance(change.document, FileName) else None
        draft = Draft(change.kind, document, path, None, data)
        is_possible = 0 <= change.at <= self.run.writer.clock() + DAY_MS
        self.run.report.dropped_times += not is_possible
        event = _stamp(self.source, draft, change.at if is_possible else 0)
        # Uses are no change that undoing takes back: what they count goes with its document.
        said = {**data, **({"run": self.run.name} if undoable(event) else {}), "actor": f"import {self.source}"}
        if problem(event) is not None:
            self.run.report.skip("state that can't be kept", event.kind, str(problem(event)))
            return
        journaled = self._read_journal()
        if event.id not in journaled.known:
            journaled.known.add(event.id)
            self._events.append(replace(event, data=said))
        elif event.id in journaled.undone:
            journaled.undone.discard(event.id)
            self._again.append(draft)
        else:
            return
        self.run.report.events += 1

    def _resolve(self, name: DocumentName) -> str:
        if isinstance(name, MemoryName):
            return identify(self.source, name.key)
        if name.folder in self.copied:
            return self.run.docid(self._copy_path(name))
        return docid(self.collections.get(name.folder, name.folder), name.path)

    def _resolve_all(self, value: Any) -> Any:
        if isinstance(value, (FileName, MemoryName)):
            return self._resolve(value)
        return [self._resolve_all(one) for one in value] if isinstance(value, list) else value

    def _read_journal(self) -> _Journaled:
        if self._journaled is None:
            self._journaled = _read_journaled(self.run.history.log)
        return self._journaled


def _read_journaled(log: EventLog) -> _Journaled:
    found = _Journaled()
    for batch in read_whole(log):
        for event in batch.events:
            found.known.add(event.id)
            undoes, raw = event.data.get("undoes"), event.data.get("raw")
            if isinstance(undoes, str):
                found.undone.add(undoes)
            if event.doc is not None and isinstance(raw, str) and is_import(event.data.get("run")):
                found.written[event.doc] = raw
    return found


def _stamp(source: str, draft: Draft, at: int) -> Event:
    """An event with the source's time; the same one each time, on every machine."""
    told = repr((source, draft.kind, draft.doc, at, sorted(draft.data.items())))
    seed = int.from_bytes(hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()[:10], "big")
    value = at << _ULID_BITS | seed
    identity = "".join(CROCKFORD.upper()[value >> shift & 31] for shift in range(125, -1, -5))
    hlc = min(at << _HLC_BITS, _HLC_END - 1)
    return Event(identity, hlc, at, owner_of(source), draft.kind, draft.doc, draft.path, None, draft.data)
