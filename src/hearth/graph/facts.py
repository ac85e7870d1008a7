"""Facts of an entity: what fragments state of it, since when and until when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from hearth.core import subjects
from hearth.core.document import INTERNAL, QUOTING
from hearth.core.errors import UsageError
from hearth.core.graph import PREDICATES, Fact
from hearth.core.instants import parse
from hearth.core.lazy import dataclass
from hearth.core.memory import CONTENT_TYPES, Merge
from hearth.graph.names import (
    MOST_FRAGMENTS,
    NameFragment,
    find_alike,
    find_fragments,
    has_memories,
    name_asked,
    read_line,
)
from hearth.graph.relations import close, is_retold
from hearth.language.intervals import find_event_time, find_span
from hearth.language.name_matching import is_nearly, key_of
from hearth.language.triples import EVENTS, FactTriple, field_triples, find_named_triples, find_triples, row_triples
from hearth.markdown.blocks import paragraphs
from hearth.markdown.frontmatter import place_values
from hearth.ports import Filter, Reader, StoredDocument, TermRow, WantedTerm
from hearth.text.names import name_key
from hearth.text.similarity import normalised
from hearth.text.terms import terms
from hearth.text.time_expressions import time_ranges
from hearth.vault.usage_statistics import former

if TYPE_CHECKING:
    from hearth.ports import Reader
    from hearth.vault.vault import Vault

NOTED = 0.6
_MOST_AGAIN = 16
_HEAD = "frontmatter"


class _StatedTriple(NamedTuple):
    """A triple, the line that it stands on, and of a dated line its day and the end of it (ms UTC)."""

    triple: FactTriple
    line: int
    day: int | None = None
    last: int | None = None
    dated: bool = False


def read_facts(
    reader: Reader, fragment: NameFragment, at: int, zone: str, *, head: bool = False, wanted: str = ""
) -> Iterator[Fact]:
    """What a fragment says at an instant (ms UTC) in a zone; with ``head`` also what its note's fields say, and of the
    key of a name that is ``wanted`` what the prose of people's notes says."""
    document, state = fragment.stored.document, fragment.stored.state
    if document.trust == "external":
        return
    sure = document.confidence if state.confidence is None else state.confidence
    own = document.collection == INTERNAL
    first = document.valid_from or document.dated_at
    again = _find_repeats(reader, document.docid, first, state.valid_to) if own and first is not None else ()
    for one in _states(reader, fragment, at, zone, head=head, wanted=wanted):
        triple = one.triple
        read_at = one.day or document.dated_at or at
        began, ended = find_span(triple.quote, triple.object, read_at, zone)
        if began is None and triple.predicate in EVENTS:
            began = find_event_time(triple.quote, triple.object, read_at, zone)
        since = one.day or document.valid_from or document.dated_at
        until = min((end for end in (ended, one.last) if end is not None), default=None)
        # Of what was over when it was said nobody knows when it began.
        over = since is not None and until is not None and until <= since
        fact = Fact(
            triple.subject,
            triple.predicate,
            triple.object,
            key_of(triple.subject, words=True),
            key_of(triple.object, words=True),
            document.docid,
            document.collection,
            document.path,
            one.line,
            triple.quote,
            sure if own else min(sure, NOTED),
            began if began is not None or over else since,
            min((end for end in (until, state.valid_to) if end is not None), default=None),
            key_of(triple.within, words=True),
            one.day or document.dated_at,
        )
        yield fact
        if began is None and ended is None and not one.dated:
            yield from (replace(fact, valid_from=moment, said_at=moment) for moment in again)


def _states(
    reader: Reader, fragment: NameFragment, at: int, zone: str, *, head: bool, wanted: str
) -> Iterator[_StatedTriple]:
    stored, part = fragment
    in_head = part.kind == _HEAD
    if head or in_head:
        yield from _head_states(reader, stored)
    # What is said in passing in a conversation counts as what a note says.
    if stored.document.collection == INTERNAL and stored.document.content_type not in QUOTING:
        yield from _memory_states(fragment, at, zone, fields=not in_head)
    elif not in_head:
        yield from _note_states(reader, fragment, wanted)


def _memory_states(fragment: NameFragment, at: int, zone: str, *, fields: bool) -> Iterator[_StatedTriple]:
    document, part = fragment.stored.document, fragment.part
    gathers = CONTENT_TYPES[document.content_type].merge is Merge.GATHER
    about = document.facts.get("subject") or (document.title if gathers else None)
    for row, paragraph in paragraphs(part.text):
        line = part.start_line + row
        dated = read_line(paragraph) if gathers else None
        statement = paragraph if dated is None else dated.text
        day, last = (None, None) if dated is None else (parse(dated.date, zone), _end_of(dated.until, at, zone))
        triples = row_triples(statement, document.title) if fields else ()
        for triple in (*triples, *find_triples(statement, about)):
            yield _StatedTriple(triple, line, day, last, dated is not None)


def _note_states(reader: Reader, fragment: NameFragment, wanted: str) -> Iterator[_StatedTriple]:
    document, part = fragment.stored.document, fragment.part

    def whole() -> str:
        return "\n".join(one.text for one in reader.fragments_of(fragment.stored.id))

    for row, paragraph in paragraphs(part.text):
        prose = find_named_triples(paragraph, wanted, whole, document) if wanted else ()
        for triple in (*row_triples(paragraph, document.title), *prose):
            if "://" not in triple.object:  # an address is a source, not what something is
                yield _StatedTriple(triple, part.start_line + row)


def _head_states(reader: Reader, stored: StoredDocument) -> Iterator[_StatedTriple]:
    """A long head is cut into several fragments, which may repeat lines."""
    rows: dict[int, str] = {}
    for part in reader.fragments_of(stored.id):
        if part.kind == _HEAD:
            rows |= dict(enumerate(part.text.split("\n"), part.start_line))
    first = min(rows, default=1)
    for value in place_values("".join(f"{rows[line]}\n" for line in sorted(rows))):
        for triple in field_triples(value.key, value.text, stored.document.title, whole=value.whole):
            yield _StatedTriple(triple, first + value.line)


def _end_of(date: str | None, at: int, zone: str) -> int | None:
    """Of a day (YYYY-MM-DD), ms UTC."""
    times = time_ranges(date, at, zone) if date else ()
    return times[0].end if times else None


def _find_repeats(reader: Reader, docid: str, since: int, until: int | None) -> list[int]:
    """When a memory was said again while it held (ms UTC), the earliest first."""
    found = {
        at for name in former(reader, docid) for at in reader.keys(name, subjects.SAID_AGAIN, _MOST_AGAIN).values()
    }
    return sorted(at for at in found if since < at and (until is None or at < until))


_MOST_READ, _MOST_MATCHED = 100, 400
# Terms that more fragments hold tell too little.
_MOST_HOLD = 5_000
_LEAST_HALF, _LEAST_PART = 2, 3
_BEGINNING, _MOST_BEGINNING = 2, 400


def find_stated(reader: Reader, asked: str, within: Filter, at: int, zone: str) -> list[str]:
    """Those of most facts first; read at an instant (ms UTC) in a zone."""
    languages = reader.statistics().languages or ("en",)
    key, stems = key_of(asked), _stems(asked, languages)

    def is_alike(name: str) -> bool:
        other = key_of(name)
        return (
            other == key or is_nearly(key, other) or _holds(other, key) or not stems.isdisjoint(_stems(name, languages))
        )

    counts = Counter[str]()
    shown: dict[str, str] = {}
    for fragment in _find_fragments(reader, _find_terms(reader, asked, languages), within):
        called = is_alike(fragment.stored.document.title)
        for fact in read_facts(reader, fragment, at, zone, head=called):
            counts.update(
                shown.setdefault(key_of(name), name) for name in (fact.subject, fact.object) if is_alike(name)
            )
    return [name for name, _ in counts.most_common()]


def _holds(key: str, part: str) -> bool:
    return len(part) >= _LEAST_PART and part in key


def _stems(name: str, languages: Sequence[str]) -> set[tuple[str, tuple[str, ...]]]:
    """Equal ones say the same in a language: "job queues", "job queue"."""
    return {(language, found) for language in languages if (found := tuple(terms(name, language)))}


def _find_terms(reader: Reader, asked: str, languages: Sequence[str]) -> list[WantedTerm]:
    words = key_of(asked, words=True).split()
    halves = [(word[:at], word[at:]) for word in words for at in range(_LEAST_HALF, len(word) - _LEAST_HALF + 1)]
    spelled = [(word,) for word in (*words, "".join(words))]
    found: dict[int, TermRow] = {}
    for language in languages:
        parts = [[term for word in one for term in terms(word, language)] for one in (*spelled, *halves)]
        rows = reader.terms({term for one in parts for term in one})
        found |= {rows[term].id: rows[term] for one in parts if all(term in rows for term in one) for term in one}
    known = {row.term for row in found.values()}
    for word in words:
        # A word that the vault has is no slip of the hand.
        if known.isdisjoint(term for language in languages for term in terms(word, language)):
            begun = reader.terms_with_prefix(word[:_BEGINNING], _MOST_BEGINNING) if len(word) > _BEGINNING else ()
            found |= {row.id: row for row in begun if is_nearly(row.term, word)}
    return [WantedTerm(row) for row in found.values() if row.df <= _MOST_HOLD]


def _find_fragments(reader: Reader, wanted: Sequence[WantedTerm], within: Filter) -> list[NameFragment]:
    """Memories first: of notes nothing but their fields is read."""
    matched = reader.match(wanted, within, _MOST_MATCHED) if wanted else []
    if not has_memories(reader):
        matched = matched[:_MOST_READ]
    parts = reader.fragments(matched)
    documents = reader.documents(sorted({part.document for part in parts.values()}))
    parts_found = [parts[one] for one in matched if one in parts and parts[one].document in documents]
    found = [NameFragment(documents[part.document], part) for part in parts_found]
    found.sort(key=lambda one: one.stored.document.collection != INTERNAL)
    return found[:_MOST_READ]


DIRECTIONS = ("both", "outgoing", "incoming")
MOST_OF_ONE = 50
"""Facts of one document that count, the newest."""
MOST_READ, _LARGE = 1_000, 100_000
"""Fragments of notes that are read of a vault of at most so many; of a larger one a tenth, which takes milliseconds."""
_MOST_CANDIDATES = 10
_MOST_CALLED = 16
_MOST_REMEMBERED = 400
_ENDS = ("subject_key", "object_key")
_SELF = ("we", "wir", "nosotros", "nous", "nós", "noi")


@dataclass(frozen=True, slots=True)
class FactsView:
    """The facts of a name, the newest first; ``total`` counts those that were found, ``known`` also what holds at other
    times or was not asked for, ``left_out`` what documents say of it beyond ``MOST_OF_ONE`` facts each. Where nothing
    is known, ``candidates`` are names of which something is, those much like it before others in the same fragments,
    and where no fragment mentions, ``alike`` are names much like it of which nothing may be. ``truncated`` says
    that more fragments of notes hold the name than were read."""

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
    """Of the 1,000 best fragments that hold the name, of a large vault 100, and of the 400 best of memories; with
    ``as_of`` (ms UTC) only what held then. ``outgoing`` are those of which it is the subject. Raises ``UsageError`` for
    a name without a letter or digit, a predicate that there is not, and another direction."""
    asked = name_asked(name)
    if predicate is not None and predicate not in PREDICATES:
        raise UsageError(f"{predicate!r} is not a predicate; choose one of: {', '.join(PREDICATES)}")
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is not a direction; choose one of: {', '.join(DIRECTIONS)}")
    wanted = key_of(asked, words=True)
    within = Filter(at=vault.clock(), include=("superseded", "archived"))
    with vault.store.read() as reader:
        found_in, truncated = _facts_find_fragments(reader, asked, within)
        fragments = [*found_in, *_find_by_title(reader, asked, within, found_in)]
        fragments.sort(key=_find_first_statement)
        alike = () if fragments else find_alike(reader, asked, Filter(at=vault.clock()))
        own, quoting = (
            [
                fact
                for one in fragments
                if (one.stored.document.content_type in QUOTING) is quotes
                for fact in _read(vault, reader, one, wanted)
            ]
            for quotes in (False, True)
        )
        stated = _once(own, quoting)
        has_ended = any(_tells(fact, _ENDS, wanted) for fact in stated)
        near = [] if has_ended else find_stated(reader, asked, within, vault.clock(), vault.zone)
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


def _facts_find_fragments(reader: Reader, name: str, within: Filter) -> tuple[list[NameFragment], bool]:
    """And whether notes hold it in more. What is remembered of a name must not drown in what mentions it."""
    most = MOST_READ if reader.statistics().fragments <= _LARGE else MOST_FRAGMENTS
    fragments = find_fragments(reader, name, within, most + 1)
    if len(fragments) <= most:
        return fragments, False
    fragments.pop()
    if not has_memories(reader):
        return fragments, True
    known = {one.part.id for one in fragments}
    remembered = find_fragments(reader, name, replace(within, collections=(INTERNAL,)), _MOST_REMEMBERED)
    return [*fragments, *(one for one in remembered if one.part.id not in known)], True


def _find_by_title(reader: Reader, name: str, within: Filter, taken: Iterable[NameFragment]) -> list[NameFragment]:
    """Of memories and notes that are called so, fragments beside those that hold the name; of notes their fields."""
    known = {one.part.id for one in taken}
    documents = reader.documents(reader.find_rows("name", (name_key(name),), within, _MOST_CALLED)).values()
    found = (
        NameFragment(stored, part)
        for stored in documents
        for part in reader.fragments_of(stored.id)
        if part.id not in known and (stored.document.collection == INTERNAL or part.kind == "frontmatter")
    )
    return list(islice(found, MOST_FRAGMENTS))


def _find_first_statement(fragment: NameFragment) -> tuple[int, str, int]:
    document = fragment.stored.document
    return document.dated_at or 0, document.docid, fragment.part.start_line


def _read(vault: Vault, reader: Reader, fragment: NameFragment, wanted: str) -> Iterator[Fact]:
    """The fields of what is called so count with each of its fragments."""
    called = _names(key_of(fragment.stored.document.title, words=True), wanted)
    return read_facts(reader, fragment, vault.clock(), vault.zone, head=called, wanted=wanted)


def _once(facts: Iterable[Fact], quoted: Iterable[Fact]) -> list[Fact]:
    """Each the first time, and again where it had ended meanwhile: windows overlap, and two machines may remember one
    thing. What conversations and hand-offs quote says nothing that a memory says."""
    stated, found = list(facts), dict[tuple[str, ...], list[Fact]]()
    for fact in stated:
        alike = found.setdefault(_key(fact), [])
        if not alike or not is_retold(fact, alike[-1], stated):
            alike.append(fact)
    for fact in quoted:
        found.setdefault(_key(fact), [fact])
    return [fact for alike in found.values() for fact in alike]


def _key(fact: Fact) -> tuple[str, ...]:
    return fact.subject_key, fact.predicate, fact.object_key, normalised(fact.quote)
