"""The scribe: takes wishes in, plans what becomes of them, and carries it out, file first, index last."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from hearth.engine.history import History
from hearth.engine.reference import find
from hearth.engine.sync import Syncer
from hearth.engine.writing import days, known, names
from hearth.engine.writing.admission import Admitted, admitted, memory_of, text_of
from hearth.engine.writing.candidates import candidates
from hearth.engine.writing.policy import Op, Repeat, Rewrite, Supersede, Write, plan
from hearth.errors import Conflict, Unavailable
from hearth.model.document import Document
from hearth.model.event import Draft
from hearth.model.identity import content_hash, docid, is_docid
from hearth.model.memory import Action, Known, Memory, Remembered, Wish
from hearth.model.types import CONTENT_TYPES, Merge
from hearth.ports import Clock, Collection, Memories, Reader, Redactor, Store

# How often a write starts again because a name was taken or somebody else wrote the file meanwhile.
_TRIES = 8


@dataclass(frozen=True)
class Scribe:
    """Writes memories into ``collection``, whose folder is the root of ``memories``.

    ``exclusive`` keeps writers of one vault apart, in all processes; ``embed`` gives one document its vectors; ``scan``
    looks at all folders;
    ``roots`` are the folders of all collections, for references; ``machine`` is whose files may be rewritten.
    """

    memories: Memories
    store: Store
    syncer: Syncer
    collection: Collection
    roots: Mapping[str, str]
    machine: str
    zone: str
    clock: Clock
    exclusive: Callable[[], AbstractContextManager[None]]
    embed: Callable[[str], None]
    scan: Callable[[], object]
    random: Callable[[int], bytes] = os.urandom

    def remember(self, wish: Wish) -> Remembered:
        """Writes a memory, or finds it there already; it is in its file, in the index and searchable on return.

        Raises ``UsageError`` for a wish that can't be kept, ``NotFound`` or ``Ambiguous`` for what it supersedes,
        ``Unavailable`` where the file can't be written, or is written but can't be indexed now.
        """
        fit = admitted(wish, self.redact)
        if CONTENT_TYPES[fit.wish.content_type].merge is Merge.APPEND:
            return self._noted(fit.wish.text, fit.redacted)
        with self.exclusive():
            memory = self._memory(fit)
            others = [one for one in self._known(memory) if not names.is_entry(one.path)]
            done = self._carried_out(plan(memory, others))
        return replace(done, redacted=fit.redacted)

    def note(self, text: str) -> Remembered:
        """Adds a text to today's file under the present time. Raises as ``remember``."""
        return self._noted(*text_of(text, self.redact))

    def keep(self, memory: Memory, path: str, others: Callable[[Known], bool]) -> Remembered:
        """Writes a memory to a path of its own unless one of the ``others`` has just said the same."""
        with self.exclusive():
            [first, *_] = plan(memory, [one for one in self._known(memory) if others(one)])
            return self._repeated(first) if isinstance(first, Repeat) else self._written(memory, path)

    def overwrite(self, memory: Memory, path: str) -> Remembered:
        """Writes a memory to a path of its own; what this machine wrote there before becomes a revision."""
        with self.exclusive():
            data = self.memories.read(path)
            if data is None:
                return self._written(memory, path)
            one = known.read(path, data, self.redact)
            if one is None or one.memory.machine != self.machine:
                raise Conflict(f"{self.memories.root}/{path} was not written by this machine; move it away")
            return self._rewritten(Rewrite(one, replace(memory, id=one.memory.id), "revised"))

    @property
    def redact(self) -> Redactor:
        return self.syncer.analyzer.redact

    @property
    def _history(self) -> History:
        return self.syncer.history

    # -- before ----------------------------------------------------------------------------------------------------

    def new_id(self) -> str:
        return names.new_id(self.random)

    def _memory(self, fit: Admitted) -> Memory:
        memory = memory_of(fit.wish, self.new_id(), self.machine, self.clock())
        if not fit.wish.supersedes:
            return memory
        with self.store.read() as reader:
            targets = [self._target(reference, reader) for reference in fit.wish.supersedes]
        return replace(memory, supersedes=tuple(dict.fromkeys(targets)))

    def _target(self, reference: str, reader: Reader) -> str:
        named = reference.strip().removeprefix("#")
        if is_docid(named) and (stored := reader.document(named)) is not None and not stored.state.forgotten:
            return named
        return find(reference, reader, dict(self.roots)).stored.document.docid

    def _known(self, memory: Memory) -> list[Known]:
        """Memories that the new one may affect, as their files say now. Where one is not where it was, somebody moved
        or removed it, and the folders are looked at first."""
        for last in (False, True):
            with self.store.read() as reader:
                found = candidates(reader, memory)
            places = [(stored.document, stored.file.disk_path.decode("utf-8", "surrogateescape")) for stored in found]
            read = [(document, path, self.memories.read(path)) for document, path in places]
            if last or all(data is not None for _, _, data in read):
                break
            self.scan()
        made = (self._made(document, path, data) for document, path, data in read if data is not None)
        return [one for one in made if one is not None]

    def _made(self, document: Document, path: str, data: bytes) -> Known | None:
        one = known.read(path, data, self.redact)
        # A copy made by hand names the original's id.
        return None if one is None or one.memory.id != document.docid else replace(one, body_hash=document.body_hash)

    # -- carrying out ----------------------------------------------------------------------------------------------

    def _carried_out(self, ops: Sequence[Op]) -> Remembered:
        first, *rest = ops
        match first:
            case Write(memory):
                done = self._written(memory, names.path_of(memory))
            case Rewrite():
                done = self._rewritten(first)
            case Repeat():
                done = self._repeated(first)
            case Supersede():
                raise AssertionError("a plan begins with where the memory is")
        targets = tuple(op.docid for op in rest if isinstance(op, Supersede) and op.docid != done.docid)
        self._supersede(targets, done.docid)
        return replace(done, supersedes=targets)

    def _written(self, memory: Memory, path: str) -> Remembered:
        for _ in range(_TRIES):
            if self.memories.create(path, known.rendered(memory)):
                self._index(path, memory.id)
                return self._remembered("written", memory, path)
            old, memory = memory.id, replace(memory, id=self.new_id())
            path = path.replace(old, memory.id)
        raise Unavailable(f"can't find a free name for {self.memories.root}/{path}; try again")

    def _rewritten(self, op: Rewrite) -> Remembered:
        """The former text is kept first. Where a person wrote the file since it was read, theirs stays and the new
        text becomes the revision; where they removed it, the memory is written anew."""
        one, memory = op.known, op.memory
        revised = Draft("revised", memory.id, one.path, one.body_hash)
        [event] = self._history.log.append([revised])
        revision = names.revision_path(memory.id, event.hlc)
        former = self.redact(one.source).text.encode("utf-8", "replace")
        if not self.memories.create(revision, former):
            raise Unavailable(f"{self.memories.root}/{revision} is there already; check this machine's clock")
        action: Action = op.action
        if not self.memories.replace(one.path, known.rewritten(one, memory), one.raw_hash):
            if self.memories.read(one.path) is None:
                anew = replace(memory, id=self.new_id())
                return self._written(anew, names.path_of(anew))
            self.memories.replace(revision, known.rendered(memory), content_hash(former))
            action = "set aside"
        self._index(one.path, memory.id)
        self._history.replay()
        return replace(self._remembered(action, memory, one.path), revision=revision)

    def _repeated(self, op: Repeat) -> Remembered:
        memory = op.known.memory
        self._history.record([Draft("duplicate", memory.id, op.known.path, op.known.body_hash)])
        return self._remembered("duplicate", memory, op.known.path)

    def _supersede(self, targets: Sequence[str], by: str) -> None:
        if targets:
            with self.store.read() as reader:
                stored = [reader.document(target) for target in targets]
            documents = [item.document for item in stored if item is not None]
            self._history.record([Draft("supersede", d.docid, d.path, d.body_hash, {"by": by}) for d in documents])

    def _noted(self, text: str, redacted: int) -> Remembered:
        with self.exclusive():
            moment = days.local(self.clock(), self.zone)
            path = days.path_today(self.memories, moment, self.machine)
            for _ in range(_TRIES):
                present = self.memories.read(path)
                data = days.with_note(present, text, moment, self.machine)
                if self.memories.create(path, data) if present is None else self._put(path, data, present):
                    break
            else:
                raise Unavailable(f"{self.memories.root}/{path} keeps changing; try again")
            identity = docid(self.collection.name, path)
            self._index(path, identity)
        where = f"{self.memories.root}/{path}"
        title = f"{moment:%Y-%m-%d}"
        return Remembered("appended", identity, self.collection.name, path, where, "daily", title, redacted=redacted)

    def _put(self, path: str, data: bytes, present: bytes) -> bool:
        return self.memories.replace(path, data, content_hash(present))

    def _index(self, path: str, identity: str) -> None:
        try:
            self.syncer.one(self.collection, path, identity)
            self.embed(identity)
        except Unavailable as error:
            place = f"{self.memories.root}/{path}"
            raise Unavailable(f"{place} is written, but not in the index until the next update: {error}") from error

    def _remembered(self, action: Action, memory: Memory, path: str) -> Remembered:
        return Remembered(
            action=action,
            docid=memory.id,
            collection=self.collection.name,
            path=path,
            file=f"{self.memories.root}/{path}",
            content_type=memory.content_type,
            title=memory.title,
        )
