"""What follows from judgements on a new statement, and statements that do not come back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hearth.core.document import Document
from hearth.core.judgement import SURE, Judgement, Relation
from hearth.core.lazy import dataclass
from hearth.core.memory import Known, Memory
from hearth.memory.writing.files import read
from hearth.ports import MemoryFiles, Redactor, StoredDocument
from hearth.text.similarity import normalised
from hearth.truth.judge import says_again
from hearth.truth.rivals import COMPARABLE, Rivals

_RETIRED = frozenset({"superseded", "invalidated", "forgotten"})


@dataclass(frozen=True)
class Retired:
    """Derived from the documents that are hidden, so that undoing what hid one lets it be said again."""

    rivals: Rivals
    memories: MemoryFiles
    redact: Redactor

    def __call__(self, memory: Memory) -> Known | None:
        """The retired memory that says what this one says: the same text, or the same value of the same attribute,
        unless the new one tells of a change."""
        if memory.content_type not in COMPARABLE:
            return None
        for stored in self.rivals(memory.id, memory.text, hidden=True):
            if not _RETIRED.intersection(stored.state.veils) or "archived" in stored.state.veils:
                continue
            known = self._read(stored)
            if known is not None and _repeats(memory, known.memory):
                return known
        return None

    def _read(self, stored: StoredDocument) -> Known | None:
        data = self.memories.read(stored.file.disk_path.decode("utf-8", "surrogateescape"))
        return None if data is None else read(stored.document.path, data, self.redact)


def _repeats(memory: Memory, retired: Memory) -> bool:
    if memory.project != retired.project:
        return False
    if normalised(memory.text) == normalised(retired.text):
        return True
    return says_again(retired.text, memory.text)


PER_PIECE = 10
"""Of one piece of a session, so many memories are superseded without anybody being asked."""
PER_DAY = 50
_RANKS = ("explicit", "implied", "inferred", "speculative")
# By how much a doubt lowers the confidence of the older statement, and where that ends.
_DOUBT = {Relation.UPDATE: (0.15, 0.30), Relation.CONTRADICTION: (0.25, 0.20)}


@dataclass(frozen=True, slots=True)
class Party:
    """A memory that states something: when it was said (ms UTC), how it is known, and how sure."""

    document: Document
    at: int
    tier: str = "explicit"
    confidence: float = 1.0
    own: bool = False
    """Whether a person wrote the file: it is changed by nobody else, and asks nobody else to give way."""

    @property
    def rank(self) -> int:
        return _RANKS.index(self.tier) if self.tier in _RANKS else 0


Kind = Literal["same", "refines", "supersede", "ask"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """``confidence`` is what the older one has from now on, where a doubt lowers it; ``why`` a person is asked."""

    kind: Kind
    newer: Party
    older: Party
    judgement: Judgement
    confidence: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Leeway:
    """How many may still be superseded of this piece, and today."""

    piece: int = PER_PIECE
    day: int = PER_DAY


def plan(judged: Sequence[tuple[Party, Party, Judgement]], allowance: Leeway) -> list[Consequence]:
    """``judged`` are (older, newer, how they stand), of which one is always the new statement. What was superseded in
    the course of the plan neither replaces nor is replaced."""
    acts: list[Consequence] = []
    gone: set[str] = set()
    left = min(allowance.piece, allowance.day)
    for older, newer, judgement in judged:
        if gone & {older.document.docid, newer.document.docid}:
            continue
        act = _act(older, newer, judgement, spent=left <= 0)
        if act is None:
            continue
        acts.append(act)
        if act.kind == "supersede":
            left -= 1
            gone.add(older.document.docid)
    return acts


def _act(older: Party, newer: Party, judgement: Judgement, *, spent: bool) -> Consequence | None:
    relation = judgement.relation
    if older.own or newer.own:
        clash = judgement.replaces or judgement.doubtful
        return Consequence("ask", newer, older, judgement, why="a person wrote one of them") if clash else None
    if relation in (Relation.SAME, Relation.REFINES):
        kind: Kind = "same" if relation is Relation.SAME else "refines"
        return Consequence(kind, newer, older, judgement) if judgement.confidence >= _LINKED[kind] else None
    if judgement.replaces:
        why = _explain_protection(older, newer) or (
            "so many were superseded already that a person is asked" if spent else ""
        )
        return Consequence("ask" if why else "supersede", newer, older, judgement, why=why)
    if not judgement.doubtful:
        return None
    why = _explain_protection(older, newer)
    lowered = None if why else _lower(older, judgement.relation)
    return Consequence("ask", newer, older, judgement, lowered, why or "it is not sure enough")


_LINKED = {"same": SURE, "refines": 0.5}


def _explain_protection(older: Party, newer: Party) -> str:
    """Why the older one gives way to nobody but a person."""
    if newer.rank > older.rank:
        return f"what is {older.tier} gives way to nothing that is {newer.tier}"
    return ""


def _lower(older: Party, relation: Relation) -> float | None:
    by, floor = _DOUBT[relation]
    value = round(max(floor, older.confidence - by), 4)
    return value if value < older.confidence else None
