"""A run of ``mine`` or ``import``: its name, the files it writes, and what the journal needs to take it back; and what
it did, or would do: one report for both, with the same figures in a dry run.

The journal gets each record before the file is written, so that a killed run can be undone, too. Files hold nothing of
the run: one that was interrupted and repeated leaves the same files as one that was not.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from hearth.core import instants
from hearth.core.document import content_hash, docid, is_docid
from hearth.core.errors import Conflict, Unavailable
from hearth.core.journal import Draft, Event
from hearth.core.lazy import dataclass
from hearth.markdown import frontmatter
from hearth.memory import file_names
from hearth.memory.undo import WROTE
from hearth.memory.writer import MemoryWriter
from hearth.text.lines import plural
from hearth.vault import changes
from hearth.vault.history import History
from hearth.vault.linking import retire
from hearth.vault.usage_statistics import MOVED_FROM

MAX_LISTED = 100
"""Problems that a report spells out; it always counts all."""
_PLACE_CHARS, _REASON_CHARS = 200, 300

Outcome = Literal["taken", "merged", "known"]


@dataclass
class ImportReport:
    """``taken`` counts documents that are new, ``merged`` those to which something was added, ``known`` those that are
    there already, ``events`` changes of state. ``skipped`` counts by reason what was left out; ``without_place`` counts
    by name the fields for which Hearth has no place; ``dropped_times`` counts times that can't be right or have no
    offset. ``by_source`` says of each source how many documents were taken, merged or known."""

    run: str | None = None
    dry_run: bool = False
    taken: int = 0
    merged: int = 0
    known: int = 0
    events: int = 0
    redacted: int = 0
    dropped_times: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    without_place: Counter[str] = field(default_factory=Counter)
    by_source: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, outcome: Outcome, source: str) -> None:
        """One document of a source."""
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.by_source.setdefault(source, Counter())[outcome] += 1

    def recount(self, was: Outcome, source: str, now: Outcome | None = None) -> None:
        """Another outcome for one document that was counted, or none."""
        setattr(self, was, getattr(self, was) - 1)
        self.by_source.setdefault(source, Counter())[was] -= 1
        if now is not None:
            self.count(now, source)

    def skip(self, reason: str, place: str | None = None, detail: str = "") -> None:
        """Something left out for a ``reason`` that many may share; with a ``place`` it is listed, too."""
        self.skipped[reason] += 1
        if place is not None and len(self.problems) < MAX_LISTED:
            why = (detail or reason).removeprefix(f"{place}: ").removeprefix(f"{place} ")
            self.problems.append(f"{_shorten(place)}: {why[:_REASON_CHARS]}")

    def lack_place(self, name: str, found: object) -> None:
        """A field of a source for which Hearth has no place, where it says something."""
        if found:
            self.without_place[name] += 1

    @property
    def changed(self) -> bool:
        """Whether there is anything to undo."""
        return bool(self.taken or self.merged or self.events)

    def to_dict(self) -> dict[str, Any]:
        """The JSON that every surface shares."""
        numbers = ("taken", "merged", "known", "events", "redacted", "dropped_times")
        return {
            "run": self.run if self.changed and not self.dry_run else None,
            "dry_run": self.dry_run,
            **{name: getattr(self, name) for name in numbers},
            "skipped": dict(self.skipped.most_common()),
            "without_place": dict(self.without_place.most_common()),
            "by_source": {name: dict(+counts) for name, counts in sorted(self.by_source.items())},
            "problems": list(self.problems),
        }


def describe(report: ImportReport, noun: str = "document") -> list[str]:
    """The report as lines for people."""
    verb = "would take in" if report.dry_run else "taken in"
    lines = [f"{verb}: {plural(report.taken, noun)}"]
    lines += [f"  {name}: {_list(counts)}" for name, counts in sorted(report.by_source.items())]
    if report.merged:
        lines.append(f"added to: {plural(report.merged, noun)} already there")
    if report.known:
        lines.append(f"already there: {plural(report.known, noun)}")
    if report.events:
        lines.append(f"changes of state: {report.events:,}")
    if report.skipped:
        lines.append(f"skipped: {_list(report.skipped)}")
    if report.without_place:
        lines.append(f"fields without a place here: {_list(report.without_place)}")
    if report.dropped_times:
        lines.append(f"times dropped (impossible, in the future, or without an offset): {report.dropped_times:,}")
    if report.redacted:
        lines.append(f"secrets taken out: {report.redacted:,}")
    if report.changed and not report.dry_run:
        lines.append(f"take it back with: hearth undo --run {report.run}")
    return lines


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in (+counts).most_common())


def _shorten(place: str) -> str:
    return place if len(place) <= _PLACE_CHARS else f"…{place[1 - _PLACE_CHARS :]}"


MINE, IMPORT = "mine", "import"
_PREFIXES = (f"{MINE}-", f"{IMPORT}-")
_BATCH_FILES, _BATCH_BYTES = 200, 8 * 1024 * 1024
_SUFFIX_CHARS = 6
State = Literal["free", "taken back", "forgotten before", "purged before"]
"""What the journal says of a document: what undoing a run took back may be taken in again, what somebody forgot or
purged stays away."""
Counted = tuple[Outcome, str]
"""How the report counts what a file holds: an outcome, and the source that it is of."""
REFUSALS: tuple[State, ...] = ("forgotten before", "purged before")


def name_run(kind: str, now: int, random: Callable[[int], bytes] = os.urandom) -> str:
    """A new name; ``now`` is ms UTC."""
    return f"{kind}-{instants.moment(now):%Y%m%d-%H%M%S}-{file_names.new_id(random)[:_SUFFIX_CHARS]}"


def is_import(run: object) -> bool:
    return isinstance(run, str) and run.startswith(_PREFIXES)


@dataclass(frozen=True, slots=True)
class PendingFile:
    """A file that is about to be written; ``present`` is what it replaces, ``None`` for a new one."""

    draft: Draft
    path: str
    data: bytes
    present: bytes | None = None
    counted: Counted | None = None


@dataclass
class ImportRun:
    """``history`` is the vault's, ``writer`` writes below its memory folder. In a ``dry_run`` nothing is written. Files
    are written in batches; ``flush`` writes the last one, after which the index has to be brought up to date."""

    name: str
    history: History
    writer: MemoryWriter
    report: ImportReport
    actor: str = "human"
    dry_run: bool = False
    _pending: list[PendingFile] = field(default_factory=list)
    _size: int = 0
    _returnable: set[str] | None = None
    _hidden: set[str] | None = None

    def docid(self, path: str) -> str:
        """Of a file that names no id of its own."""
        return docid(self.writer.collection.name, path)

    def find_state(self, identity: str) -> State:
        """Whether a document may be written."""
        if identity not in self._find_hidden():
            return "free"
        with self.history.store.read() as reader:
            known = self.history.registers(reader, identity)
            event = changes.set_by(reader, identity, "forgotten")
        if known.get("purged_at") is not None:
            return "purged before"
        if not known.get("forgotten"):
            return "free"
        return "taken back" if event in self._find_taken_back() else "forgotten before"

    def create(self, path: str, data: bytes, counted: Counted | None = None) -> None:
        """A new file; ``find_state`` was asked."""
        self._put("relate", path, data, {"type": WROTE, "target": self.name, "was": None}, None, counted)

    def show_again(self, path: str, data: bytes) -> None:
        """A file that is there with this text, and that undoing a run hid."""
        self._put("relate", path, data, {"type": WROTE, "target": self.name, "was": None}, data)

    def replace(self, path: str, data: bytes, present: bytes, counted: Counted | None = None) -> None:
        """Another text for a file that is there; undoing the run brings the former one back."""
        self._put("revised", path, data, {}, present, counted)

    def record(self, drafts: Sequence[Draft]) -> None:
        """Changes of state, marked as the run's own, after the files that wait."""
        if not self.dry_run:
            self.flush()
            self.history.record([self._sign(draft) for draft in drafts])
        self.report.events += len(drafts)

    def flush(self) -> None:
        """Journals the pending files, then writes them."""
        pending, self._pending, self._size = self._pending, [], 0
        if not pending:
            return
        with self.writer.exclusive():
            # What another run wrote meanwhile is neither ours to count nor to take back.
            pending = [one for one in pending if self._is_still_due(one)]
            events = self.history.log.append([one.draft for one in pending])
            for event, one in zip(events, pending, strict=True):
                if not self._write(event, one):
                    self._note_other_writer(one)
        self.history.replay()

    # -- details ---------------------------------------------------------------------------------------------------

    def _is_still_due(self, one: PendingFile) -> bool:
        if self.writer.memories.read(one.path) == one.present:
            return True
        self._note_other_writer(one)
        return False

    def _note_other_writer(self, one: PendingFile) -> None:
        is_same = self.writer.memories.read(one.path) == one.data
        if one.counted is not None:
            self.report.recount(*one.counted, "known" if is_same else None)
        if not is_same:
            self.report.skip("changed while it was read", one.path, "another program just changed it; run it again")

    def _put(
        self,
        kind: str,
        path: str,
        data: bytes,
        more: dict[str, Any],
        present: bytes | None,
        counted: Counted | None = None,
    ) -> None:
        if self.dry_run:
            return
        text = data.decode("utf-8", "replace")
        head = frontmatter.split(text)
        named = head.fields.get("id")
        identity = named if isinstance(named, str) and is_docid(named) else self.docid(path)
        self._show_again(identity, path)
        body = content_hash(text[head.end_char :].encode("utf-8"))
        draft = Draft(kind, identity, path, body, {**more, "raw": content_hash(data)})
        self._pending.append(PendingFile(self._sign(draft), path, data, present, counted))
        self._size += len(data)
        if len(self._pending) >= _BATCH_FILES or self._size >= _BATCH_BYTES:
            self.flush()

    def _sign(self, draft: Draft) -> Draft:
        return replace(draft, data={**draft.data, "run": self.name, "actor": self.actor})

    def _write(self, event: Event, one: PendingFile) -> bool:
        memories = self.writer.memories
        if one.present is None:
            return memories.create(one.path, one.data)
        if one.present == one.data:
            return True
        revision = file_names.revision_path(str(event.doc), event.hlc)
        return memories.create(revision, one.present) and memories.replace(
            one.path, one.data, content_hash(one.present)
        )

    def _show_again(self, identity: str, path: str) -> None:
        """Of a document that undoing a run hid."""
        if identity not in self._find_hidden():
            return
        with self.history.store.read() as reader:
            ops = self.history.plan_change(reader, identity, {"forgotten": False})
        remarks = {"actor": self.actor, "reason": "taken in again"}
        self.history.record(changes.drafts(identity, path, None, ops, remarks))

    def _find_hidden(self) -> set[str]:
        """What somebody forgot or purged, and what bears its state under another name, by the names of before."""
        if self._hidden is None:
            with self.history.store.read() as reader:
                fields = ("forgotten", "purged_at", MOVED_FROM)
                self._hidden = {one for name in fields for one, value in reader.holders(name).items() if value}
        return self._hidden

    def _find_taken_back(self) -> set[str]:
        """The events by which undoing a run hid documents."""
        if self._returnable is None:
            events = self.history.log.newest(own=False, naming=("forget",))
            undoing = (event for event in events if event.kind == "forget" and "undoes" in event.data)
            self._returnable = {event.id for event in undoing if is_import(event.data.get("run"))}
        return self._returnable


def revert(writer: MemoryWriter, event: Event, after: str) -> bool:
    """Gives a document the text that it had before the event ``revised`` of a run; ``False`` where it has that already.
    ``after`` is the hash of the file as the run left it. Raises ``Conflict`` where it was changed since."""
    path = str(event.path)
    former = writer.memories.read(file_names.revision_path(str(event.doc), event.hlc))
    with writer.exclusive():
        present = writer.memories.read(path)
        if present is not None and present == former:
            return False
        if former is None or present is None or content_hash(present) != after:
            raise Conflict(f"{path} was changed after the run and stays as it is")
        if not writer.memories.replace(path, former, after):
            raise Unavailable(f"{path} was just changed by another program; try again")
        writer.index(path, str(event.doc))
    return True


def remove(writer: MemoryWriter, files: Sequence[tuple[Event, str]]) -> list[str]:
    """Takes files that a run wrote, and that nobody changed since, off the disk and out of the index; gives their
    docids. Each comes with the hash that the run left it with."""
    gone: list[str] = []
    with writer.exclusive():
        for event, after in files:
            path = str(event.path)
            present = writer.memories.read(path)
            if present is not None and content_hash(present) == after and writer.memories.remove(path):
                gone.append(str(event.doc))
    for start in range(0, len(gone), _BATCH_FILES):
        with writer.store.write() as index:
            for identity in gone[start : start + _BATCH_FILES]:
                retire(index, identity, writer.syncer.history.attach)
    return gone
