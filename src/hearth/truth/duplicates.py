"""Which memories may say the same, and names that may be one by a typing slip."""

from __future__ import annotations

import re
import shlex
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from hearth.core.document import INTERNAL
from hearth.core.graph import NamedEntity
from hearth.core.judgement import Relation, Said
from hearth.core.lazy import dataclass, regex
from hearth.language.entity_words import is_code_name
from hearth.language.name_matching import KnownNames, find_nearly, key_of
from hearth.memory import archive
from hearth.ports import Filter, Reader, StoredDocument
from hearth.text.similarity import near_identical, normalised, protected
from hearth.truth.judge import judge
from hearth.vault.changes import read_stated_names
from hearth.vault.validity import confidence_of, is_memory

_UNITED = """
decision deduction antipattern problem milestone observation fact moment note preference principle skill correction
"""
UNITED = frozenset(_UNITED.split())
"""The types of which several may say one thing; an issue is what its tracker says, however like another."""
_MOST_CHARS = 2_000
_WORD = regex(r"[^\W_]{3,}")
_HEADING = regex(r"^#{1,6}\s.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CurrentMemory:
    """A memory that nothing hides; ``at`` (ms UTC) is since when it is true."""

    docid: str
    collection: str
    path: str
    body_hash: str
    content_type: str
    text: str
    at: int
    project: str | None
    subject: str | None
    session: str | None
    confidence: float
    importance: float | None
    uses: int
    pinned: bool
    ends_at: int | None

    @property
    def words(self) -> frozenset[str]:
        """What tells which others may say the same."""
        return frozenset(word.casefold() for word in _WORD.findall(self.text))


def list_current(reader: Reader) -> Iterator[CurrentMemory]:
    """Every memory that the engine wrote and that is in force, expired ones included."""
    for stored in archive.documents(reader, (INTERNAL,)):
        if is_memory(stored.document) and not stored.state.hidden and not stored.vanished:
            yield hold(reader, stored)


def hold(reader: Reader, stored: StoredDocument) -> CurrentMemory:
    """The line for one document."""
    document, state, facts = stored.document, stored.state, stored.document.facts
    united = document.content_type in UNITED
    parts = reader.fragments_of(stored.id) if united else []
    text = "\n".join(part.text for part in parts if part.kind != "frontmatter")[:_MOST_CHARS]
    return CurrentMemory(
        docid=document.docid,
        collection=sys.intern(document.collection),
        path=document.path,
        body_hash=document.body_hash,
        content_type=sys.intern(document.content_type),
        text=_HEADING.sub("", text).strip(),
        at=document.valid_from or document.modified_at,
        project=_intern(facts.get("project")),
        subject=_intern(facts.get("subject")),
        session=_intern(facts.get("session")),
        confidence=confidence_of(document, state),
        importance=_share(facts.get("importance")),
        uses=state.access_count,
        pinned=state.pinned,
        ends_at=state.ends_at,
    )


def _share(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _intern(text: str | None) -> str | None:
    """One string for all memories that hold the same."""
    return None if text is None else sys.intern(text)


SHARED = 0.5
"""The share of all their words that two have to have in common to be compared."""
JUDGED = 0.9
_MOST_WITH_WORD = 64
_MOST_COMPARED = 24
_LEAST_WORDS = 2
_FORMS = 4_096
"""Texts of which it is kept what is compared of them."""


def pairs(memories: Sequence[CurrentMemory], since: int) -> Iterator[tuple[CurrentMemory, CurrentMemory, float]]:
    """Those of one type, project and subject that say the same, the older one first, with how sure that is. At least
    one of the two is from ``since`` (ms UTC) on."""
    known_words: dict[str, int] = {}
    words = _WordLists()
    for memory in memories:
        words.append({known_words.setdefault(word, len(known_words)) for word in memory.words})
    forms = lru_cache(_FORMS)(_read_forms)
    order_of = _order_by_rarity(words.every, known_words)
    groups: dict[tuple[str, str | None], dict[int, tuple[int, ...]]] = defaultdict(dict)
    order = sorted(range(len(memories)), key=lambda at: (memories[at].at, memories[at].docid))
    for at in order:
        memory = memories[at]
        rare = _rarest(words[at], order_of)
        own = frozenset(words[at])
        known = groups[memory.content_type, memory.project]
        found = dict.fromkeys(other for word in rare for other in reversed(known.get(word, ())))
        if memory.at >= since:
            near = (memories[other] for other in found if _near(own, words[other]))
            yield from _same(memory, islice(near, _MOST_COMPARED), forms)
        for word in rare:
            known[word] = (*known.get(word, ())[1 - _MOST_WITH_WORD :], at)


class _WordLists:
    """Words of memories as numbers, in one array: sets of texts take twenty times the room."""

    def __init__(self) -> None:
        self.every = array("I")
        self._ends = array("I", [0])

    def append(self, words: Iterable[int]) -> None:
        self.every.extend(words)
        self._ends.append(len(self.every))

    def __getitem__(self, at: int) -> array[int]:
        return self.every[self._ends[at] : self._ends[at + 1]]


def _order_by_rarity(words: Iterable[int], known: Mapping[str, int]) -> array[int]:
    """The place of each word, by its number, among all: the rarest comes first."""
    counts = array("I", bytes(4 * len(known)))
    for word in words:
        counts[word] += 1
    places = array("I", bytes(4 * len(known)))
    for place, (_, number) in enumerate(sorted(known.items(), key=lambda item: (counts[item[1]], item[0]))):
        places[number] = place
    return places


def _rarest(words: array[int], order_of: array[int]) -> list[int]:
    ordered = sorted(words, key=order_of.__getitem__)
    return ordered[: len(ordered) - -(-len(ordered) // 2) + 1] if len(ordered) >= _LEAST_WORDS else []


def _near(one: frozenset[int], other: array[int]) -> bool:
    both = len(one.intersection(other))
    return both >= SHARED * (len(one) + len(other) - both)


class _Forms(NamedTuple):
    """A text normalised, and what may not differ: names, identifiers, numbers and negations, in order."""

    normalised: str
    protected: tuple[str, ...]


def _read_forms(text: str) -> _Forms:
    return _Forms(normalised(text), tuple(protected(text)))


def _same(
    memory: CurrentMemory, others: Iterable[CurrentMemory], forms: Callable[[str], _Forms]
) -> Iterator[tuple[CurrentMemory, CurrentMemory, float]]:
    for other in others:
        if memory.subject and other.subject and memory.subject.casefold() != other.subject.casefold():
            continue
        sure = _how_sure(other, memory, forms)
        if sure:
            yield other, memory, sure


def _how_sure(older: CurrentMemory, newer: CurrentMemory, forms: Callable[[str], _Forms]) -> float:
    """1 where nothing is lost by keeping one of the two, less where the judge says so, 0 where they are two things."""
    one, other = forms(older.text), forms(newer.text)
    if one.normalised == other.normalised:
        return 1.0
    if one.protected != other.protected:
        return 0.0
    if near_identical(older.text, newer.text):
        return 1.0
    verdict = judge(
        Said(older.text, older.content_type, older.subject, older.at),
        Said(newer.text, newer.content_type, newer.subject, newer.at),
    )
    return verdict.confidence if verdict.relation is Relation.SAME and verdict.confidence >= JUDGED else 0.0


MOST = 3
_LEAST = 3
"""Letters of a part of a name in which a slip of the hand can be told."""
# Spellings that are compared, those of most documents first.
_COMPARED = 1_000


@dataclass(frozen=True, slots=True)
class DoubleName:
    """``name`` stands in fewer documents than ``like``, which it may mean."""

    name: str
    like: str

    @property
    def commands(self) -> tuple[str, str]:
        """What says that they are the same, and what says that they are not."""
        merge = shlex.join(("hearth", "entities", "merge", self.name, self.like))
        return merge, shlex.join(("hearth", "entities", "split", self.name))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "like": self.like}


def find_doubles(reader: Reader, now: int) -> list[DoubleName]:
    """At most 3, those in most documents first. Persons and what code is called are none of them, nor is what
    somebody said to stand alone, or joined; what is hidden or was forgotten shows no name."""
    spellings = [one for one in reader.list_spellings(_COMPARED) if one.type != "person" and not is_code_name(one.name)]
    persons = {one.key for one in reader.list_spellings(_COMPARED, "person")}
    stated = read_stated_names(reader).everywhere
    names = KnownNames((NamedEntity(one.name, one.type) for one in spellings), stated)
    spelled: dict[str, str] = {}
    for one in spellings:
        if one.key not in persons and one.key not in stated:
            spelled.setdefault(one.key, one.name)
    found: list[DoubleName] = []
    for like, name in find_nearly(list(spelled)):
        if key_of(names.resolve(spelled[name]).name or name) == key_of(names.resolve(spelled[like]).name or like):
            continue
        if _differ_by_initial(spelled[like], spelled[name]):
            continue
        if all(reader.naming([key], Filter(at=now), 1) for key in (like, name)):
            found.append(DoubleName(spelled[name], spelled[like]))
        if len(found) == MOST:
            break
    return found


def _differ_by_initial(one: str, other: str) -> bool:
    """Whether the names differ by an initial or number, as different people's do: "Steven K", "Steven R"."""
    pairs = [(a, b) for a, b in zip_longest(one.split(), other.split(), fillvalue="") if a != b]
    return any(min(len(a.rstrip(".")), len(b.rstrip("."))) < _LEAST for a, b in pairs)
