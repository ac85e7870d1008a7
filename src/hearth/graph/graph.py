"""How documents hang together: what people say of it, and what is derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from hearth.core import subjects
from hearth.core.errors import Conflict, Remedy, UsageError
from hearth.core.graph import TYPES
from hearth.core.journal import Action, Changed, Draft
from hearth.core.lazy import dataclass
from hearth.core.query import RemarkOptions
from hearth.memory.history.history import History
from hearth.memory.state import changes
from hearth.memory.state.changer import Changer
from hearth.memory.state.changes import Remarks
from hearth.ports import Reader, StoredDocument
from hearth.vault.indexing import linking

if TYPE_CHECKING:
    from hearth.graph.deriving import Deriver, DeriveReport
    from hearth.graph.mentions import NameReader

STATABLE = tuple(name for name, kind in TYPES.items() if kind.statable)
_REPLACES = "supersedes"
_PERSON = "human"


@dataclass(frozen=True)
class Graph:
    """``state`` finds the documents that are meant, and changes what replaces what; ``deriver`` is loaded when
    relations are derived, ``names`` when names are read."""

    history: History
    state: Changer
    deriver: Callable[[], Deriver]
    names: Callable[[], NameReader]
    is_stale: Callable[[], bool]
    unasked: bool = True
    """Whether relations are derived, and names read, though nobody asks for it."""

    def missing(self) -> int:
        """Documents whose relations are to be derived: what ``build`` has to do."""
        if self.is_stale():
            return 0
        with self.history.store.read() as reader:
            return self.deriver().missing(reader)

    def build(self, progress: Callable[[int, int], None] = lambda done, total: None) -> DeriveReport:
        """Derives what is missing: what texts name, what is next in time, what hand-offs continue, what is alike.
        Raises ``Unavailable`` where another process of this machine is at it."""
        self.state.prepare()
        return self.deriver().run(progress)

    def relate(self, reference: str, kind: str, other: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Says that a document is related to another, by a type in ``STATABLE``; it goes before what is derived. Where
        it supersedes the other, that one leaves searches.

        Raises ``NotFound`` and ``Ambiguous`` for a reference, ``UsageError`` for another type or a document and itself,
        ``Conflict`` for a forgotten document."""
        said = Remarks(**remarks)
        source, target = self._ends(reference, kind, other)
        if kind == _REPLACES:
            done = self.state.supersede(f"#{target.document.docid}", f"#{source.document.docid}", **remarks)
            return _report("related" if done.events else "unchanged", source, kind, target, done.events)
        for end in (source, target):
            if end.state.forgotten:
                place = f"{end.document.collection}/{end.document.path}"
                raise Conflict(f"{place} is forgotten", _restore(end))
        origin = "person" if said.actor == _PERSON else "program"
        return self._say(source, kind, target, "relate", {"origin": origin}, said)

    def unrelate(self, reference: str, kind: str, other: str, **remarks: Unpack[RemarkOptions]) -> Changed:
        """Says that a document is not related to another in this way: neither what somebody said nor what is derived
        counts any more, until somebody says so anew. Raises as ``relate``."""
        said = Remarks(**remarks)
        source, target = self._ends(reference, kind, other)
        if kind == _REPLACES:
            return self._bring_back(source, target, said)
        return self._say(source, kind, target, "unrelate", {"hide": True}, said)

    # -- details ---------------------------------------------------------------------------------------------------

    def _ends(self, reference: str, kind: str, other: str) -> tuple[StoredDocument, StoredDocument]:
        if kind not in STATABLE:
            raise UsageError(f"{kind[:64]!r} is not a relation; choose one of: {', '.join(STATABLE)}")
        self.state.prepare()
        source, target = (self.state.targets.one(one, described=False) for one in (reference, other))
        if source.document.docid == target.document.docid:
            raise UsageError(f"{source.document.path} can't be related to itself; name two documents")
        return source, target

    def _say(
        self,
        source: StoredDocument,
        kind: str,
        target: StoredDocument,
        event: str,
        data: Mapping[str, Any],
        said: Remarks,
    ) -> Changed:
        document = source.document
        field = subjects.name_relation(kind, target.document.docid)
        with self.history.store.read() as reader:
            was = self.history.registers(reader, document.docid).get(field)
            after = reader.set_by(document.docid, field)
            latest = _latest(reader, document.docid, kind, target.document.docid)
        wanted = dict(data) if event == "relate" else False
        if latest == wanted:
            return _report("unchanged", source, kind, target)
        ends = {"type": kind, "target": target.document.docid, "target_text": target.document.body_hash}
        told = {**ends, **data, **said.data(), "was": was, "after": after}
        events = self.history.record([Draft(event, document.docid, document.path, document.body_hash, told)])
        return _report("related" if event == "relate" else "unrelated", source, kind, target, tuple(events))

    def _bring_back(self, source: StoredDocument, target: StoredDocument, said: Remarks) -> Changed:
        """What the other one replaced returns, unless a file says so."""
        docid = target.document.docid
        with self.history.store.read() as reader:
            known = self.history.registers(reader, docid)
            by = known.get(linking.FIELD)
            if by != source.document.docid:
                note = _explain(reader, source, target)
                return _report("unchanged", source, _REPLACES, target, note=note)
            ops = changes.plan(known, lambda field: reader.set_by(docid, field), {linking.FIELD: None})
            drafts = changes.of(target.document, ops, said.data())
        return _report("unrelated", source, _REPLACES, target, tuple(self.history.record(drafts)))


def _latest(reader: Reader, source: str, kind: str, target: str) -> Any:
    """What was said last of the two; of a symmetric type whichever end it was said of."""
    fields = {(source, subjects.name_relation(kind, target))}
    if TYPES[kind].symmetric:
        fields.add((target, subjects.name_relation(kind, source)))
    said = [one for one in reader.said_of([source]) if (one.subject, one.field) in fields]
    return max(said, key=lambda one: one.stamp).value if said else None


def _explain(reader: Reader, source: StoredDocument, target: StoredDocument) -> str:
    if target.document.docid in reader.links_of(source.document.docid, linking.KEY):
        return f"the file of #{source.document.docid} declares the relation: remove it from that file"
    return f"#{source.document.docid} does not supersede it"


def _report(
    action: Action,
    source: StoredDocument,
    kind: str,
    target: StoredDocument,
    events: tuple[str, ...] = (),
    note: str | None = None,
) -> Changed:
    document = source.document
    fields = (("type", kind), ("target", target.document.docid))
    return Changed(action, document.docid, document.collection, document.path, events, fields, note)


def _restore(stored: StoredDocument) -> Remedy:
    return Remedy(f"restore {stored.document.docid}", "restore", "restore it first: ")
