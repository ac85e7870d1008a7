"""Facts of something named: what the passages that hold the name state of it, since when and until when.

Derived when it is asked for, as entities are: from the sentences of memories, with their confidence, and from people's
notes, with 0.6: from their fields (``owner: …``) and, since the same patterns get too much of prose wrong, from its
sentences about two things with names of their own. What is external states nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from hearth.core.document import INTERNAL
from hearth.core.errors import UsageError
from hearth.core.graph import PREDICATES, Fact
from hearth.core.lazy import dataclass
from hearth.graph.entities.names import MOST_PASSAGES, NamePassage, find_alike, find_passages, has_memories, name_asked
from hearth.graph.entities.resolve import key_of
from hearth.graph.passage_facts import find_stated, read_facts
from hearth.graph.relations.combine import close, is_retold
from hearth.ports import Filter
from hearth.recall.ranking.diversify import QUOTING
from hearth.text.names import name_key
from hearth.text.similarity import normalised

if TYPE_CHECKING:
    from hearth.ports import Reader
    from hearth.vault.vault import Vault

DIRECTIONS = ("both", "outgoing", "incoming")
MOST_OF_ONE = 50
"""Facts of one document that count, the newest."""
MOST_READ, _LARGE = 1_000, 100_000
"""Passages of notes that are read of a vault of at most so many; of a larger one a tenth, which takes milliseconds."""
_MOST_CANDIDATES = 10
_MOST_CALLED = 16
_MOST_REMEMBERED = 400
_ENDS = ("subject_key", "object_key")
_SELF = ("we", "wir", "nosotros", "nous", "nós", "noi")


@dataclass(frozen=True, slots=True)
class FactsView:
    """The facts of a name, the newest first; ``total`` counts those that were found, ``known`` also what holds at other
    times or was not asked for, ``left_out`` what documents say of it beyond ``MOST_OF_ONE`` facts each. Where nothing
    is known, ``candidates`` are names of which something is, those much like it before others in the same passages,
    and where no passage holds the name, ``alike`` are names much like it of which nothing may be. ``truncated`` says
    that more passages of notes hold the name than were read."""

    asked: str
    facts: tuple[Fact, ...] = ()
    total: int = 0
    known: int = 0
    left_out: int = 0
    candidates: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    truncated: bool = False

    def to_dict(self) -> dict[str, Any]:
        rows = [fact.to_dict() for fact in self.facts]
        counts = {"total": self.total, "known": self.known, "left_out": self.left_out}
        others = {"candidates": list(self.candidates), "alike": list(self.alike), "truncated": self.truncated}
        return {"asked": self.asked, "facts": rows, **counts, **others}


def find_facts(
    vault: Vault,
    name: str,
    *,
    predicate: str | None = None,
    direction: str = "both",
    as_of: int | None = None,
    limit: int = 50,
) -> FactsView:
    """Of the 1,000 best passages that hold the name, of a large vault 100, and of the 400 best of memories; with
    ``as_of`` (ms UTC) only what held then. ``outgoing`` are those of which it is the subject. Raises ``UsageError`` for
    a name without a letter or digit, a predicate that there is not, and another direction."""
    asked = name_asked(name)
    if predicate is not None and predicate not in PREDICATES:
        raise UsageError(f"{predicate!r} is no predicate; one of: {', '.join(PREDICATES)}")
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is no direction; one of: {', '.join(DIRECTIONS)}")
    wanted = key_of(asked, words=True)
    within = Filter(at=vault.clock(), include=("superseded", "archived"))
    with vault.store.read() as reader:
        held, truncated = _find_passages(reader, asked, within)
        passages = [*held, *_called(reader, asked, within, held)]
        passages.sort(key=_first_said)
        alike = () if passages else find_alike(reader, asked, Filter(at=vault.clock()))
        own, quoting = (
            [
                fact
                for one in passages
                if (one.stored.document.content_type in QUOTING) is quotes
                for fact in _read(vault, reader, one, wanted)
            ]
            for quotes in (False, True)
        )
        stated = _once(own, quoting)
        told = any(_tells(fact, _ENDS, wanted) for fact in stated)
        near = [] if told else find_stated(reader, asked, within, vault.clock(), vault.zone)
    known = close(stated)
    ways = {"outgoing": ("subject_key",), "incoming": ("object_key",)}.get(direction, _ENDS)
    every = [fact for fact in known if _tells(fact, _ENDS, wanted)]
    own = _cap(every)
    found = [
        fact
        for fact in own
        if _tells(fact, ways, wanted) and predicate in (None, fact.predicate) and (as_of is None or fact.holds(as_of))
    ]
    found.sort(
        key=lambda fact: (fact.valid_to is not None, -(fact.valid_from or 0), -fact.confidence, fact.docid, fact.line)
    )
    beside = () if own else tuple(fact.subject for fact in known if fact.subject_key not in _SELF)
    return FactsView(
        asked,
        tuple(found[:limit]),
        len(found),
        len(own),
        len(every) - len(own),
        tuple(dict.fromkeys((*near, *beside)))[:_MOST_CANDIDATES],
        alike,
        truncated,
    )


def _cap(facts: Iterable[Fact]) -> list[Fact]:
    """Of each document the newest, of equal ones those further below."""
    counts = Counter[str]()
    kept = []
    for fact in sorted(facts, key=lambda fact: (-(fact.valid_from or 0), -fact.line)):
        counts[fact.docid] += 1
        if counts[fact.docid] <= MOST_OF_ONE:
            kept.append(fact)
    return kept


def _tells(fact: Fact, ways: Iterable[str], wanted: str) -> bool:
    """Whether the name stands at one of these ends."""
    return any(_names(getattr(fact, way), wanted) for way in ways)


def _names(key: str, wanted: str) -> bool:
    """Whether a phrase is a name or ends in it: "job queue" is a queue."""
    return key == wanted or key.endswith(f" {wanted}")


def _find_passages(reader: Reader, name: str, within: Filter) -> tuple[list[NamePassage], bool]:
    """And whether notes hold it in more. What is remembered of a name must not drown in what mentions it."""
    most = MOST_READ if reader.statistics().fragments <= _LARGE else MOST_PASSAGES
    held = find_passages(reader, name, within, most + 1)
    if len(held) <= most:
        return held, False
    held.pop()
    if not has_memories(reader):
        return held, True
    known = {one.part.id for one in held}
    remembered = find_passages(reader, name, replace(within, collections=(INTERNAL,)), _MOST_REMEMBERED)
    return [*held, *(one for one in remembered if one.part.id not in known)], True


def _called(reader: Reader, name: str, within: Filter, held: Iterable[NamePassage]) -> list[NamePassage]:
    """Of memories and notes that are called so, passages beside those that hold the name; of notes their fields."""
    known = {one.part.id for one in held}
    documents = reader.documents(reader.called((name_key(name),), within, _MOST_CALLED)).values()
    found = (
        NamePassage(stored, part)
        for stored in documents
        for part in reader.fragments_of(stored.id)
        if part.id not in known and (stored.document.collection == INTERNAL or part.kind == "frontmatter")
    )
    return list(islice(found, MOST_PASSAGES))


def _first_said(passage: NamePassage) -> tuple[int, str, int]:
    document = passage.stored.document
    return document.dated_at or 0, document.docid, passage.part.start_line


def _read(vault: Vault, reader: Reader, passage: NamePassage, wanted: str) -> Iterator[Fact]:
    """The fields of what is called so count with each of its passages."""
    called = _names(key_of(passage.stored.document.title, words=True), wanted)
    return read_facts(reader, passage, vault.clock(), vault.zone, head=called, wanted=wanted)


def _once(facts: Iterable[Fact], quoted: Iterable[Fact]) -> list[Fact]:
    """Each the first time, and again where it had ended meanwhile: windows overlap, and two machines may remember one
    thing. What conversations and hand-offs quote says nothing that a memory says."""
    stated, found = list(facts), dict[tuple[str, ...], list[Fact]]()
    for fact in stated:
        told = found.setdefault(_key(fact), [])
        if not told or not is_retold(fact, told[-1], stated):
            told.append(fact)
    for fact in quoted:
        found.setdefault(_key(fact), [fact])
    return [fact for told in found.values() for fact in told]


def _key(fact: Fact) -> tuple[str, ...]:
    return fact.subject_key, fact.predicate, fact.object_key, normalised(fact.quote)
