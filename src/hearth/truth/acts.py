"""What follows from judgements on a new statement, and the memories that it may repeat or contradict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal

from hearth.core.document import INTERNAL, SAID, Document
from hearth.core.judgement import SURE, Judgement, Relation
from hearth.core.lazy import dataclass
from hearth.core.memory import CONVERSATION, STATEMENTS, Known, Memory
from hearth.language.kinds import words_beside
from hearth.memory.admission import rarest, words_of
from hearth.memory.files import read
from hearth.ports import (
    Clock,
    Filter,
    MemoryFiles,
    PostingReader,
    Reader,
    Redactor,
    Store,
    StoredDocument,
    StoredFragment,
    WantedTerm,
)
from hearth.recall.ranking.weights import probability
from hearth.text.similarity import normalised
from hearth.truth.judge import says_again
from hearth.vault.ledger import Space

COMPARABLE = STATEMENTS
LEAST = 0.35
"""Calibrated score from which a memory is near enough to be judged."""
NEAR = 5
"""So many of the nearest in meaning are judged."""
_SLOTS = 3
"""Kinds and attributes of one statement of which others are looked up."""
_BY_WORDS = 12
_MATCHED = 60
# What looking up one statement may read of the index: it is done with every memory that is written.
_TERMS, _POSTINGS = 8, 1_500
_SEARCHED = 40
_TEXT_CHARS = 600


@dataclass(frozen=True)
class Rivals:
    """``notes`` are collections of people's own files that are compared, too."""

    store: Store
    space: Space | None
    clock: Clock
    notes: tuple[str, ...] = ()

    @property
    def collections(self) -> tuple[str, ...]:
        return (INTERNAL, *self.notes)

    def __call__(self, docid: str, text: str, *, hidden: bool = False, pending: bool = False) -> list[StoredDocument]:
        """As ``find``, in a transaction of its own."""
        with self.store.read() as reader:
            return self.find(reader, docid, text, hidden=hidden, pending=pending)

    def find(
        self, reader: Reader, docid: str, text: str, *, hidden: bool = False, pending: bool = False
    ) -> list[StoredDocument]:
        """Documents that may bear on a statement, none of them itself; with ``hidden`` also what was superseded,
        invalidated or forgotten, and then by words alone; with ``pending`` also what waits for approval."""
        now, include = self.clock(), ("pending",) if pending else ()
        collections = (INTERNAL,) if hidden else self.collections
        within = Filter(collections, COMPARABLE, include_hidden=hidden, include=include, at=now)
        lists = list(_find_sharing(reader, text, within))
        nearest = [] if hidden else self._near(text, reader, now)
        owners = _find_owners(reader, (*lists, nearest), within if hidden else Filter(include=include, at=now))
        rows: dict[int, None] = {}
        for fragments in lists:
            rows |= dict.fromkeys(_list_owners(owners, fragments)[:_BY_WORDS])
        near = _list_owners(owners, nearest)
        documents = reader.documents([*dict.fromkeys((*rows, *near))])
        memories = [one for one in documents.values() if self._is_compared(one.document)]
        judged = set([row for row in near if row in documents and self._is_compared(documents[row].document)][:NEAR])
        found = {one.document.docid: one for one in memories if one.id in rows or one.id in judged}
        return [one for one in found.values() if one.document.docid != docid]

    def find_own_sentences(self, text: str) -> list[tuple[StoredDocument, StoredFragment]]:
        """What the person said themselves in conversations that may bear on a statement."""
        with self.store.read() as reader:
            now = self.clock()
            lists = _find_sharing(reader, text, Filter((INTERNAL,), (CONVERSATION,), at=now))
            fragments = dict.fromkeys(chain(self._near(text, reader, now), *lists))
            own = [one for one in reader.fragments([*fragments]).values() if one.kind == SAID]
            documents = reader.documents([*{one.document for one in own}])
        talks = {row for row, one in documents.items() if one.document.content_type == CONVERSATION}
        return [(documents[one.document], one) for one in own if one.document in talks]

    def _is_compared(self, document: Document) -> bool:
        return document.collection in self.collections and document.content_type in COMPARABLE

    def _near(self, text: str, reader: Reader, now: int) -> list[int]:
        """The fragments nearest in meaning. All vectors are searched, since to list those of the memories takes longer
        than to look which of the nearest are some."""
        vector = self.space.question(text[:_TEXT_CHARS]) if self.space is not None else None
        if self.space is None or vector is None:
            return []
        import numpy as np

        name = self.space.load().fingerprint
        found = reader.vector_index(name).search(vector, _SEARCHED, reader.rows(Filter(at=now)))
        chances = probability(self.space.curve(), np.array([cosine for _, cosine in found], np.float32))
        return [fragment for (fragment, _), chance in zip(found, chances, strict=True) if chance >= LEAST]


def _find_owners(reader: PostingReader, lists: Iterable[Sequence[int]], within: Filter) -> dict[int, int]:
    """Fragment -> the row of its document, of all lists in one look-up."""
    fragments = list(dict.fromkeys(chain.from_iterable(lists)))
    return {posting.fragment: posting.document for posting in reader.postings(fragments, within)}


def _list_owners(owners: Mapping[int, int], fragments: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(owners[one] for one in fragments if one in owners))


def _words_of_slots(text: str, languages: Sequence[str]) -> list[frozenset[str]]:
    """Index terms that find a slot's other statements, since a new state comes in new words: other values of a kind,
    other words for an attribute."""
    return [_terms_of(words, tuple(languages)) for words in words_beside(text)[:_SLOTS]]


@lru_cache(maxsize=256)
def _terms_of(words: tuple[str, ...], languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for word in words for term in words_of(word, languages))


def _find_sharing(reader: PostingReader, text: str, within: Filter) -> Iterator[list[int]]:
    """Fragments that hold the rarest of a statement's words, or of the words for each of its slots, those that weigh
    most first."""
    languages = reader.statistics().languages or ("en",)
    every = reader.statistics().fragments
    for wanted in (words_of(text[:_TEXT_CHARS], languages), *_words_of_slots(text[:_TEXT_CHARS], languages)):
        plan = [
            WantedTerm(row, weight=math.log(1 + every / max(1, row.df)))
            for row in rarest(reader.terms(wanted).values(), _TERMS, _POSTINGS)
        ]
        yield reader.match(plan, within, _MATCHED) if plan else []


_RETIRED = frozenset({"superseded", "invalidated", "forgotten"})


@dataclass(frozen=True)
class SupersededStatements:
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


PER_BATCH = 10
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

    batch: int = PER_BATCH
    day: int = PER_DAY


def plan(judged: Sequence[tuple[Party, Party, Judgement]], allowance: Leeway) -> list[Consequence]:
    """``judged`` are (older, newer, how they stand), of which one is always the new statement. What was superseded in
    the course of the plan neither replaces nor is replaced."""
    acts: list[Consequence] = []
    gone: set[str] = set()
    left = min(allowance.batch, allowance.day)
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
        return Consequence("ask", newer, older, judgement, why="a person wrote one of the two") if clash else None
    if relation in (Relation.SAME, Relation.REFINES):
        kind: Kind = "same" if relation is Relation.SAME else "refines"
        return Consequence(kind, newer, older, judgement) if judgement.confidence >= _LINKED[kind] else None
    if judgement.replaces:
        why = _explain_protection(older, newer) or (
            "too many were superseded automatically today, so a person decides" if spent else ""
        )
        return Consequence("ask" if why else "supersede", newer, older, judgement, why=why)
    if not judgement.doubtful:
        return None
    why = _explain_protection(older, newer)
    lowered = None if why else _lower(older, judgement.relation)
    return Consequence("ask", newer, older, judgement, lowered, why or "confidence is too low")


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
