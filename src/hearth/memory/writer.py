"""The writer of memories: takes new ones in, plans what becomes of them, and carries it out, file first."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hearth.core import instants
from hearth.core.document import content_hash, docid
from hearth.core.errors import BadReply, Conflict, Unavailable
from hearth.core.journal import Draft
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, ENTITY, Action, Known, Memory, Merge, NewMemory, Remembered, is_of_project
from hearth.language.signals import due_at
from hearth.markdown.fragments import embedding_text
from hearth.memory import file_names, files, policy
from hearth.memory.admission import Admitted, Astray, Find, Lookup, admitted, memory_of, text_of
from hearth.memory.policy import Extend, Op, Repeat, Rewrite, SupersedeStep, Write, plan
from hearth.ports import (
    Clock,
    Collection,
    DocumentRecord,
    Embedder,
    MemoryFiles,
    Reader,
    Redactor,
    Store,
)
from hearth.vault.indexing.sync import Syncer
from hearth.vault.validity import COMMITMENT

if TYPE_CHECKING:
    from hearth.ports import Bytes, Vectors


@dataclass(frozen=True)
class EmbedRecord:
    """Adds the vectors of its fragments to a record. What it can't embed now is left to the next update, which fills in
    what is missing."""

    load: Callable[[], Embedder]
    quantize: Callable[[Vectors], tuple[Bytes, Vectors]]

    def __call__(self, record: DocumentRecord) -> DocumentRecord:
        if not record.fragments:
            return record
        title = record.document.title
        try:
            embedder = self.load()
            texts = [embedding_text(part.fragment, title) for part in record.fragments]
            rows, scales = self.quantize(embedder.embed(texts, "document"))
        except (Unavailable, BadReply):
            return record
        return replace(record, vectors=(embedder.fingerprint, list(rows), scales.tolist()))


# How often a write starts again because a name was taken or somebody else wrote the file meanwhile.
_TRIES = 8
SaidAgain = Callable[[Reader, str, str, tuple[str | None, str | None]], Mapping[str, Any]]
"""Part of an event about a docid, from a text and the sessions of both."""


@dataclass(frozen=True)
class MemoryWriter:
    """Writes memories into ``collection``, whose folder is the root of ``memories``.

    ``exclusive`` keeps writers of one vault apart, in all processes; ``embed`` adds vectors to a record;
    ``machine`` is whose files may be rewritten; ``retired`` finds what said the same and is no longer so;
    ``find_repetitions`` tells which fragments another session confirmed.
    """

    memories: MemoryFiles
    store: Store
    syncer: Syncer
    collection: Collection
    lookup: Lookup
    machine: str
    zone: str
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]
    embed: Callable[[DocumentRecord], DocumentRecord]
    retired: Callable[[Memory], Known | None] = lambda memory: None
    find_repetitions: SaidAgain = lambda reader, docid, text, sessions: {}
    random: Callable[[int], bytes] = os.urandom

    def remember(self, wish: NewMemory) -> Remembered:
        """Writes a memory, or finds it there already; it is in its file, in the index and searchable on return.

        Raises ``UsageError`` for a wish that can't be kept, ``NotFound`` or ``Ambiguous`` for what it supersedes,
        ``Unavailable`` where the file can't be written, or is written but can't be indexed now.
        """
        fit = admitted(wish, self.redact)
        if CONTENT_TYPES[fit.wish.content_type].merge is Merge.APPEND:
            return self.note(wish.text)

        def write(find: Find) -> Remembered:
            memory = self._memory(fit)
            if fit.wish.key is not None and (there := self._there(memory)) is not None:
                return there
            if fit.wish.origin is not None and (gone := self.retired(memory)) is not None:
                return self._report("retired", gone.memory, gone.path)
            others = [one for one in find(memory) if not file_names.is_entry(one.path)]
            return self._carry_out(memory, plan(memory, others))

        return replace(self._alone(write), redacted=fit.redacted)

    def note(self, text: str) -> Remembered:
        """Adds a text to today's file under the present time. Raises as ``remember``."""
        clean, redacted = text_of(text, self.redact)
        with self.exclusive():
            moment = instants.moment(self.clock(), instants.zone_of(self.zone))
            path = files.note(self.memories, clean, moment, self.machine)
            identity = docid(self.collection.name, path)
            self.index(path, identity)
        where = f"{self.memories.root}/{path}"
        title = f"{moment:%Y-%m-%d}"
        return Remembered("appended", identity, self.collection.name, path, where, "daily", title, redacted=redacted)

    def keep(self, memory: Memory, path: str, others: Callable[[Known], bool]) -> Remembered:
        """Writes a memory to a path of its own unless one of the ``others`` has just said the same."""

        def write(find: Find) -> Remembered:
            [first, *_] = plan(memory, [one for one in find(memory) if others(one)])
            return self._repeat(first, memory) if isinstance(first, Repeat) else self._write(memory, path)

        return self._alone(write)

    def overwrite(self, memory: Memory, path: str) -> Remembered:
        """Writes a memory to a path of its own; what this machine wrote there before becomes a revision."""
        with self.exclusive():
            data = self.memories.read(path)
            if data is None:
                return self._write(memory, path)
            one = files.read(path, data, self.redact)
            if one is None or one.memory.machine != self.machine:
                raise Conflict(f"{self.memories.root}/{path} was not written by this machine; move it away")
            return self._rewrite(Rewrite(one, replace(memory, id=one.memory.id), "revised"))

    @property
    def redact(self) -> Redactor:
        return self.syncer.analyzer.redact

    # -- before ----------------------------------------------------------------------------------------------------

    def _alone(self, write: Callable[[Find], Remembered]) -> Remembered:
        """Work that must be the only one. Where a memory that it needs is not where it was, the folders are looked at
        before a second try: not by who keeps other writers waiting, since a scan may have to wait for one that waits
        for writers."""
        try:
            with self.exclusive():
                return write(self.lookup.find_all)
        except Astray:
            self.lookup.scan()
        with self.exclusive():
            return write(self.lookup.find)

    def _there(self, memory: Memory) -> Remembered | None:
        """The memory of this key where it was written before, also one that is hidden or was moved since."""
        with self.store.read() as reader:
            stored = reader.document(memory.id)
        if stored is not None:
            return self._report("duplicate", memory, stored.document.path)
        path = _path_of(self, memory)
        data = self.memories.read(path)
        if data is None or (memory.content_type == ENTITY and not _holds(path, data, memory, self.redact)):
            return None
        self.index(path, memory.id)
        return self._report("duplicate", memory, path)

    def _memory(self, fit: Admitted) -> Memory:
        identity = file_names.new_id(self.random) if fit.wish.key is None else file_names.id_of(fit.wish.key)
        memory = memory_of(fit.wish, identity, self.machine, self.clock())
        memory = replace(memory, supersedes=self.lookup.resolve(fit.wish.supersedes))
        moment = instants.moment(memory.authored_at, instants.zone_of(self.zone))
        if memory.content_type == COMMITMENT and memory.due_at is None:
            memory = replace(memory, due_at=due_at(memory.text, moment.date()))
        return policy.begun(memory, moment) if CONTENT_TYPES[memory.content_type].merge is Merge.GATHER else memory

    # -- carrying out ----------------------------------------------------------------------------------------------

    def _carry_out(self, new: Memory, ops: Sequence[Op]) -> Remembered:
        first, *rest = ops
        match first:
            case Write(memory):
                done = self._write(memory, _path_of(self, memory))
            case Extend():
                done = self._extend(first)
            case Rewrite():
                done = self._rewrite(first)
            case Repeat():
                done = self._repeat(first, new)
            case SupersedeStep():
                raise AssertionError("a plan begins with where the memory is")
        targets = tuple(op.docid for op in rest if isinstance(op, SupersedeStep) and op.docid != done.docid)
        self._supersede(targets, done.docid)
        return replace(done, supersedes=targets)

    def _write(self, memory: Memory, path: str) -> Remembered:
        for taken in range(1, _TRIES + 1):
            if self.memories.create(path, files.rendered(memory)):
                self.index(path, memory.id)
                return self._report("written", memory, path)
            if memory.content_type == ENTITY:
                path = _path_of(self, memory, taken + 1)
                continue
            old, memory = memory.id, replace(memory, id=file_names.new_id(self.random))
            path = path.replace(old, memory.id)
        raise Unavailable(f"can't find a free name for {self.memories.root}/{path}; try again")

    def _rewrite(self, op: Rewrite) -> Remembered:
        """The former text is kept first. Where a person wrote the file since it was read, theirs stays and the new
        text becomes the revision; where they removed it, the memory is written anew."""
        one, memory = op.known, op.memory
        revised = Draft("revised", memory.id, one.path, one.body_hash)
        [event] = self.syncer.history.log.append([revised])
        revision = file_names.revision_path(memory.id, event.hlc)
        former = self.redact(one.source).text.encode("utf-8", "replace")
        if not self.memories.create(revision, former):
            raise Unavailable(f"{self.memories.root}/{revision} already exists; check this machine's clock")
        action: Action = op.action
        if not self.memories.replace(one.path, files.rewritten(one, memory), one.raw_hash):
            if self.memories.read(one.path) is None:
                anew = replace(memory, id=file_names.new_id(self.random))
                return self._write(anew, _path_of(self, anew))
            self.memories.replace(revision, files.rendered(memory), content_hash(former))
            action = "set aside"
        self.index(one.path, memory.id)
        self.syncer.history.replay()
        return replace(self._report(action, memory, one.path), revision=revision)

    def _extend(self, op: Extend) -> Remembered:
        one = op.known
        if not self.memories.replace(one.path, files.rewritten(one, op.memory), one.raw_hash):
            raise Unavailable(f"{self.memories.root}/{one.path} was just changed by another program; try again")
        self.index(one.path, op.memory.id)
        return self._report("appended", op.memory, one.path)

    def _repeat(self, op: Repeat, new: Memory) -> Remembered:
        memory = op.known.memory
        with self.store.read() as reader:
            about = self.find_repetitions(reader, memory.id, new.text, (memory.session, new.session))
        data = {**about, "said": max(0, new.authored_at)}
        self.syncer.history.record([Draft("duplicate", memory.id, op.known.path, op.known.body_hash, data)])
        return self._report("duplicate", memory, op.known.path)

    def _supersede(self, targets: Sequence[str], by: str) -> None:
        if targets:
            with self.store.read() as reader:
                stored = [reader.document(target) for target in targets]
            documents = [item.document for item in stored if item is not None]
            self.syncer.history.record(
                [Draft("supersede", d.docid, d.path, d.body_hash, {"by": by}) for d in documents]
            )

    def index(self, path: str, identity: str) -> None:
        """Brings a file that was just written into the index."""
        try:
            self.syncer.one(self.collection, path, identity, self.embed)
        except Unavailable as error:
            place = f"{self.memories.root}/{path}"
            raise Unavailable(f"{place} is written, but not in the index until the next update: {error}") from error

    def _report(self, action: Action, memory: Memory, path: str) -> Remembered:
        return Remembered(
            action=action,
            docid=memory.id,
            collection=self.collection.name,
            path=path,
            file=self.collection.place(path),
            content_type=memory.content_type,
            title=memory.title,
        )


def _path_of(writer: MemoryWriter, memory: Memory, number: int = 1) -> str:
    """Of a new file. Those about entities are named by what they are about, on every machine apart."""
    if memory.content_type != ENTITY:
        return f"{_find_folder(writer.collection, memory)}{file_names.path_of(memory)}"
    own = files.maker(writer.memories, writer.machine) == writer.machine
    return file_names.entity_path(memory, None if own else writer.machine, number)


_PRIVATE = frozenset({"handoff", "commitment", "question", "moment", "summary", "bead"})
"""Types about a person's work rather than the project."""


def _find_folder(collection: Collection, memory: Memory) -> str:
    """Where the project keeps its memories itself, what belongs there; empty for the vault. What waits for approval
    is nobody else's to read."""
    kind = CONTENT_TYPES[memory.content_type]
    shared = (kind.folder or "").startswith("agent/") and memory.content_type not in _PRIVATE
    if not shared or memory.scope != "project" or memory.project is None or memory.pending_since is not None:
        return ""
    return next((one.below for one in collection.mounts if is_of_project(memory.project, one.key)), "")


def _holds(path: str, data: bytes, memory: Memory, redact: Redactor) -> bool:
    one = files.read(path, data, redact)
    return one is not None and one.memory.id == memory.id
