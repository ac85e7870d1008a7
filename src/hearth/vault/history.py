"""The journal folded to state: brought into the index, and kept with its documents when they move."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hearth import vault
from hearth.core import subjects
from hearth.core.document import Document, DocumentState
from hearth.core.errors import Unavailable
from hearth.core.journal import Draft, Event, Folded, MalformedPayload, Member, Register, check_docid, instant
from hearth.core.lazy import dataclass
from hearth.ports import EventLog, Filter, LogBatch, PositionReader, Reader, StateReader, Store, Writer, read_whole
from hearth.ports.stored import IndexedFile
from hearth.vault import changes, usage_statistics, validity
from hearth.vault.changes import FieldChange
from hearth.vault.payload import KINDS, Primitive

MAX_COUNT = 1_000_000
COUNTED = ("referenced", "seen", "duplicate", "revised")
"""The sets that a document's state comes from."""
_DESCRIPTIVE = ("path", "body_hash")
_SUCCESSION = ("forgotten", "superseded_by", "moved_from", "purged")


def primitives(event: Event) -> tuple[Primitive, ...]:
    """What an event says, for any store to fold; empty for unknown kinds and malformed payloads."""
    try:
        return _primitives(event)
    except MalformedPayload:
        return ()


def problem(event: Event) -> str | None:
    """Why an event of a known kind is skipped; ``None`` where it is not."""
    try:
        _primitives(event)
    except MalformedPayload as error:
        return f"event {event.id} ({event.kind}) is skipped: {error}"
    return None


def state_of(registers: Mapping[str, Any], members: Mapping[str, tuple[int, int]]) -> DocumentState:
    """A document's state from its registers and, for each of its sets, (distinct keys, latest ms UTC)."""

    def count(name: str) -> int:
        return min(members.get(name, (0, 0))[0], MAX_COUNT)

    return DocumentState(
        pinned=registers.get("pinned") is True,
        snoozed_until=registers.get("snoozed_until"),
        forgotten=registers.get("forgotten") is True,
        archived=registers.get("archived") is True,
        superseded_by=registers.get("superseded_by"),
        invalidated_at=registers.get("invalidated_at"),
        access_count=count("referenced"),
        last_accessed_at=max((members[name][1] for name in ("referenced", "seen") if name in members), default=None),
        duplicate_count=count("duplicate"),
        revision_count=count("revised"),
        confidence=registers.get("confidence"),
        fulfilled_at=registers.get("fulfilled_at"),
        fulfilled_by=registers.get("fulfilled_by"),
        tags=tuple(registers.get("tags") or ()),
    )


def telling(item: Primitive) -> bool:
    """Whether it may change a document's state. Daily showing, finding and using together do not."""
    if not subjects.is_document(item.subject):
        return False
    return item.name in COUNTED if isinstance(item, Member) else item.field not in _DESCRIPTIVE


def succeeding(item: Primitive) -> bool:
    """Whether it may change the state of documents that its own supersedes."""
    return isinstance(item, Register) and item.field in _SUCCESSION and subjects.is_document(item.subject)


def _primitives(event: Event) -> tuple[Primitive, ...]:
    read = KINDS.get(event.kind)
    if read is None:
        return ()
    _check_storable(event)
    found: list[Primitive] = list(read(event))
    if event.doc is not None:
        doc = check_docid(event.doc, "doc")
        if event.path is not None and _is_text(event.path):
            found.append(Register(doc, "path", event.path, event.stamp))
        if event.body_hash is not None:
            found.append(Register(doc, "body_hash", event.body_hash, event.stamp))
    return tuple(found)


def _check_storable(event: Event) -> None:
    """Stores keep text as UTF-8 and values as JSON, which lone surrogates and infinite numbers don't fit."""
    try:
        texts = (event.id, event.machine, event.body_hash, event.data)
        json.dumps(texts, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise MalformedPayload("it holds text or numbers that can't be stored") from error


def _is_text(path: str) -> bool:
    """Not so for a name on disk that no encoding explains; the body hash still finds its document."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


Rows = dict[tuple[str, ...], tuple[Any, ...]]
_KEYS = {"registers": 2, "members": 3}
"""Columns that name a row of each kind, the subject first."""


_POSITION = "journal"


def read_position(reader: PositionReader) -> dict[str, Any]:
    """How far the journals are folded: what ``EventLog.read_after`` takes."""
    found: dict[str, Any] = json.loads(reader.meta(_POSITION) or "{}")
    return found


def _note_position(writer: Writer, position: Mapping[str, Any]) -> None:
    writer.set_meta(_POSITION, json.dumps(position, sort_keys=True), aside=True)


@dataclass(frozen=True, slots=True)
class Refolded:
    """``behind``: the journals hold what the index has not taken in, or not what it had, so that they can't be compared
    before the next update. Else ``wrong`` says by subject what of the index they don't say."""

    behind: bool
    wrong: Mapping[str, str]


def refold(log: EventLog, reader: PositionReader) -> Refolded:
    expected, present = _fold(log).dump(), reader.folded()
    # Asked last: others go on writing.
    later = log.read_after(read_position(reader), whole=True)
    if later.events or later.lost:
        return Refolded(True, {})
    return Refolded(False, {} if expected == present else dict(_compare(json.loads(expected), json.loads(present))))


def _fold(log: EventLog) -> Folded:
    folded = Folded()
    for batch in read_whole(log):
        for event in batch.events:
            folded.apply(primitives(event))
    return folded


def _compare(expected: Mapping[str, Any], present: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind, width in _KEYS.items():
        right, found = _rows(expected[kind], width), _rows(present[kind], width)
        for key in sorted(right.keys() | found.keys(), key=str):
            if right.get(key) != found.get(key):
                yield key[0], f"{key[1]!r} of it is not what the journal says"


def _rows(listed: list[list[Any]], width: int) -> Rows:
    return {tuple(row[:width]): tuple(row[width:]) for row in listed}


@dataclass(frozen=True)
class History:
    """``undated_days`` is how long after it was made a commitment without a day lapses; ``None`` means never."""

    log: EventLog
    store: Store
    undated_days: int | None = validity.UNDATED_DAYS

    def replay(self, *, whole: bool = False) -> list[str]:
        """Folds what the journals hold beyond the index's position; says what is wrong with them. Where some of what
        was folded is not there any more, all is folded anew; ``whole`` looks for that in every byte."""
        problems: list[str] = []
        while True:
            with self.store.read() as reader:
                position = read_position(reader)
            batch = self.log.read_after(position, whole=whole)
            problems.extend(batch.problems)
            if batch.lost:
                return problems + self._anew()
            problems.extend(p for event in batch.events if (p := problem(event)) is not None)
            if batch.events or batch.position != position:
                with self.store.write() as writer:
                    # Two processes may fold the same events: folding is idempotent, the later position wins.
                    self._fold(writer, batch)
            if not batch.more:
                return problems

    def _take_in(self) -> None:
        """Folds what was just appended. There is news for certain, so it needs no look in a transaction of its own."""
        if self.store.condition == "unfilled":
            self.replay()
            return
        with self.store.write() as writer:
            batch = self.log.read_after(read_position(writer))
            if not batch.lost:
                self._fold(writer, batch)
        if batch.lost or batch.more:
            self.replay()

    def _fold(self, writer: Writer, batch: LogBatch) -> None:
        items = [item for event in batch.events for item in primitives(event)]
        writer.fold(items)
        if any(event.kind == "purge" for event in batch.events):
            changes.demand(writer)
        for docid in usage_statistics.bearers(writer, {item.subject for item in items if telling(item)}):
            self.attach(writer, docid)
        for docid in usage_statistics.bearers(writer, {item.subject for item in items if succeeding(item)}):
            vault.linking.reconsider(writer, vault.linking.find_superseded(writer, docid), self.attach)
        _note_position(writer, batch.position)

    def plan_change(self, reader: Reader, docid: str, wanted: Mapping[str, Any]) -> list[FieldChange]:
        """What of ``wanted`` differs from the registers of a document."""
        return changes.plan(self.registers(reader, docid), lambda field: changes.set_by(reader, docid, field), wanted)

    def draft_change(
        self, reader: Reader, document: Document, wanted: Mapping[str, Any], remarks: Mapping[str, Any]
    ) -> list[Draft]:
        """The events that give a document these fields; none where it has them."""
        return changes.of(document, self.plan_change(reader, document.docid, wanted), remarks)

    def _anew(self) -> list[str]:
        """In one transaction, so that nobody sees what was forgotten come back for a moment."""
        problems: list[str] = []
        with self.store.write() as writer:
            writer.fold((), anew=True)
            position: Mapping[str, Any] = {}
            for batch in read_whole(self.log):
                position = batch.position
                writer.fold([item for event in batch.events for item in primitives(event)])
                problems.extend(p for event in batch.events if (p := problem(event)) is not None)
            _note_position(writer, position)
            for docid in writer.docids():
                stored = writer.document(docid)
                if stored is not None and changes.is_purged(stored.document):
                    # No purge may hold for it now: the next scan reads its file and finds out.
                    writer.remove(docid)
                else:
                    self.attach(writer, docid)
        return problems

    def record(self, drafts: list[Draft], *, durable: bool = True) -> list[str]:
        """Appends state changes, then applies them; gives the ids of their events. Raises ``Unavailable`` where the
        index can't be written: the change is made all the same, the next replay brings it in."""
        if not drafts:
            return []
        events = self.log.append(drafts, durable=durable)
        try:
            self._take_in()
        except Unavailable as error:
            message = f"the journal has it, and answers heed it once the index can be written: {error.said}"
            raise type(error)(message) from error
        return [event.id for event in events]

    def attach(self, writer: Writer, docid: str, new: Document | None = None) -> None:
        """Gives a document the state that the journal has for it, under its present and former identities, and that
        other documents' ``supersedes`` gives it; the row of a ``new`` document has none yet."""
        registers, members = self._read_known(writer, docid)
        by = vault.linking.superseder(writer, docid, registers.get(vault.linking.FIELD))
        if new is not None and not (registers or members or by or validity.has_own_state(new)):
            return
        stored = writer.document(docid)
        if stored is None:
            return
        document = stored.document
        state = self._state(writer, document, registers, members, by)
        if "purged" in registers:
            if changes.is_to_be_purged(registers, document):
                changes.hollow_out(writer, document)
                state = replace(state, forgotten=True)
            elif changes.is_purged(document):
                writer.remove(docid)  # its file is read again by the next scan
                return
        writer.update(docid, state=state)

    def expected(self, reader: Reader, document: Document) -> DocumentState:
        """The state that ``attach`` gives a document that is not purged."""
        registers, members = self._read_known(reader, document.docid)
        by = vault.linking.superseder(reader, document.docid, registers.get(vault.linking.FIELD))
        return self._state(reader, document, registers, members, by)

    def _state(
        self,
        reader: Reader,
        document: Document,
        registers: Mapping[str, Any],
        members: Mapping[str, tuple[int, int]],
        by: str | None,
    ) -> DocumentState:
        """With when it ends, and when it ended; ``by`` is what superseded it."""
        pending = registers.get("approved") is not True and validity.pending_since(document) is not None
        state = replace(state_of(registers, members), superseded_by=by, pending=pending)
        restored = None
        if registers.get("archived") is False:
            setters = (
                changes.set_by(reader, name, "archived") for name in usage_statistics.former(reader, document.docid)
            )
            restored = next((instant(event) for event in setters if event is not None), None)
        state = replace(state, ends_at=validity.ends_at(document, state, restored, self.undated_days))
        newer = None if state.superseded_by is None else reader.document(state.superseded_by)
        superseded_at = validity.find_supersession_time(registers)
        later = None if newer is None else newer.document
        return replace(state, valid_to=validity.valid_to(document, state, later, superseded_at))

    def registers(self, reader: StateReader, docid: str) -> dict[str, Any]:
        """What the journal says of a document under its present and former identities."""
        return self._read_known(reader, docid)[0]

    def _read_known(self, reader: StateReader, docid: str) -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
        registers: dict[str, Any] = {}
        members: dict[str, tuple[int, int]] = {}
        own: dict[str, dict[str, Any]] = {}
        for subject in usage_statistics.back(docid, lambda name: own[name].get(usage_statistics.MOVED_FROM)):
            own[subject], sets = reader.subject(subject)
            registers = {**own[subject], **registers}
            for name, (count, at) in sets.items():
                before = members.get(name, (0, 0))
                members[name] = (before[0] + count, max(before[1], at))
        return registers, members

    def moves(self, reader: Reader, gone: Iterable[IndexedFile], added: Iterable[Document]) -> list[Draft]:
        """Drafts of ``moved`` for documents whose text had state under another identity: new ones for one that this
        scan lost, of several with the same text the one of the same file name, and any for one that is not in the
        index, whenever it left."""
        new = list(added)
        texts = {document.body_hash for document in new}
        lost: dict[str, list[IndexedFile]] = {}
        for old in sorted(gone, key=lambda old: old.docid):
            if old.body_hash in texts and self._has_state(reader, old.docid):
                lost.setdefault(old.body_hash, []).append(old)
        free = [document for document in new if document.body_hash in lost and not reader.registers(document.docid)]
        moved: dict[str, tuple[Document, str]] = {}
        for by_name in (True, False):
            for document in free:
                formers = lost[document.body_hash]
                former = next((old for old in formers if not by_name or _name(old) == _name(document)), None)
                if former is not None and document.docid not in moved:
                    formers.remove(former)
                    moved[document.docid] = (document, former.docid)
        taken = {*moved, *(former for _, former in moved.values())}
        for orphan, docid in self._orphans(reader, taken):
            stored = reader.document(docid)
            if stored is not None:
                moved[docid] = (stored.document, orphan)
        return [_draft_move(document, former) for document, former in moved.values()]

    def _orphans(self, reader: Reader, taken: set[str]) -> list[tuple[str, str]]:
        """Identities that no document bears and that have not moved yet, with the one document that has their last
        known text; none where several have it, or where it is the text of several, those ``taken`` apart."""
        found = [
            pair
            for pair in reader.orphans()
            if not taken.intersection(pair) and not reader.holders("moved_from", pair[0])
        ]
        formers, documents = Counter(former for former, _ in found), Counter(docid for _, docid in found)
        return [(former, docid) for former, docid in found if formers[former] == documents[docid] == 1]

    def _has_state(self, reader: Reader, docid: str) -> bool:
        """What is only said to supersede others, or to be related to them, counts."""
        return any(reader.subject(docid)) or bool(reader.find_relations([docid]))


def list_forgotten(store: Store, history: History) -> list[dict[str, Any]]:
    """What is forgotten and may be brought back, the newest first: docid, collection, path, title, ``forgotten_at`` (ms
    UTC) and ``reason``, both ``None`` where no journal here says it."""
    with store.read() as reader:
        every = reader.each_document(Filter(include_hidden=True))
        hidden = [one.document for one in every if one.state.forgotten and not changes.is_purged(one.document)]
        causes = {document.docid: changes.set_by(reader, document.docid, "forgotten") for document in hidden}
    named = tuple(filter(None, causes.values()))
    events = {event.id: event for event in history.log.newest(own=False, naming=named)} if named else {}
    rows: list[dict[str, Any]] = []
    for document in hidden:
        event = events.get(causes[document.docid] or "")
        when, why = (None, None) if event is None else (event.at, event.data.get("reason"))
        about = {name: getattr(document, name) for name in ("docid", "collection", "path", "title")}
        rows.append({**about, "forgotten_at": when, "reason": why})
    return sorted(rows, key=lambda row: (-(row["forgotten_at"] or 0), row["collection"], row["path"]))


def _name(document: Document | IndexedFile) -> str:
    return document.path.rpartition("/")[2]


def _draft_move(document: Document, former: str) -> Draft:
    return Draft("moved", document.docid, document.path, document.body_hash, {"from": former})
