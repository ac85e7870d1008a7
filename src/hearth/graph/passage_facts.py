"""Facts that a fragment states, and names much like one of which nothing is stated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from hearth.core import subjects
from hearth.core.document import INTERNAL
from hearth.core.graph import Fact
from hearth.core.instants import parse
from hearth.core.types import CONTENT_TYPES, Merge
from hearth.graph.entities.entity_files import read_line
from hearth.graph.entities.names import NamePassage, has_memories
from hearth.graph.entities.resolve import is_nearly, key_of
from hearth.language.relations.named import field_triples, find_named_triples, row_triples
from hearth.language.relations.spans import happened, stated_span
from hearth.language.relations.triples import EVENTS, FactTriple, find_triples
from hearth.markdown.blocks import paragraphs
from hearth.markdown.head.nested_fields import place_values
from hearth.memory.sessions.statistics import former
from hearth.ports import Filter, Reader, StoredDocument, TermRow, WantedTerm
from hearth.recall.ranking.diversify import QUOTING
from hearth.text.terms import terms
from hearth.text.times.expressions import time_ranges

NOTED = 0.6
_MOST_AGAIN = 16
_HEAD = "frontmatter"


class _Stated(NamedTuple):
    """A triple, the line that it stands on, and of a dated line its day and the end of it (ms UTC)."""

    triple: FactTriple
    line: int
    day: int | None = None
    last: int | None = None
    dated: bool = False


def read_facts(
    reader: Reader, passage: NamePassage, at: int, zone: str, *, head: bool = False, wanted: str = ""
) -> Iterator[Fact]:
    """What a passage says at an instant (ms UTC) in a zone; with ``head`` also what its note's fields say, and of the
    key of a name that is ``wanted`` what the prose of people's notes says."""
    document, state = passage.stored.document, passage.stored.state
    if document.trust == "external":
        return
    sure = document.confidence if state.confidence is None else state.confidence
    own = document.collection == INTERNAL
    first = document.valid_from or document.dated_at
    again = _said_again(reader, document.docid, first, state.valid_to) if own and first is not None else ()
    for one in _states(reader, passage, at, zone, head=head, wanted=wanted):
        triple = one.triple
        read_at = one.day or document.dated_at or at
        began, ended = stated_span(triple.quote, triple.object, read_at, zone)
        if began is None and triple.predicate in EVENTS:
            began = happened(triple.quote, triple.object, read_at, zone)
        since = one.day or document.valid_from or document.dated_at
        told = min((end for end in (ended, one.last) if end is not None), default=None)
        # Of what was over when it was said nobody knows when it began.
        over = since is not None and told is not None and told <= since
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
            min((end for end in (told, state.valid_to) if end is not None), default=None),
            key_of(triple.within, words=True),
            one.day or document.dated_at,
        )
        yield fact
        if began is None and ended is None and not one.dated:
            yield from (replace(fact, valid_from=moment, said_at=moment) for moment in again)


def _states(reader: Reader, passage: NamePassage, at: int, zone: str, *, head: bool, wanted: str) -> Iterator[_Stated]:
    stored, part = passage
    in_head = part.kind == _HEAD
    if head or in_head:
        yield from _head_states(reader, stored)
    # What is said in passing in a conversation counts as what a note says.
    if stored.document.collection == INTERNAL and stored.document.content_type not in QUOTING:
        yield from _memory_states(passage, at, zone, fields=not in_head)
    elif not in_head:
        yield from _note_states(reader, passage, wanted)


def _memory_states(passage: NamePassage, at: int, zone: str, *, fields: bool) -> Iterator[_Stated]:
    document, part = passage.stored.document, passage.part
    gathers = CONTENT_TYPES[document.content_type].merge is Merge.GATHER
    about = document.facts.get("subject") or (document.title if gathers else None)
    for row, paragraph in paragraphs(part.text):
        line = part.start_line + row
        dated = read_line(paragraph) if gathers else None
        said = paragraph if dated is None else dated.text
        day, last = (None, None) if dated is None else (parse(dated.date, zone), _end_of(dated.until, at, zone))
        triples = row_triples(said, document.title) if fields else ()
        for triple in (*triples, *find_triples(said, about)):
            yield _Stated(triple, line, day, last, dated is not None)


def _note_states(reader: Reader, passage: NamePassage, wanted: str) -> Iterator[_Stated]:
    document, part = passage.stored.document, passage.part

    def whole() -> str:
        return "\n".join(one.text for one in reader.fragments_of(passage.stored.id))

    for row, paragraph in paragraphs(part.text):
        prose = find_named_triples(paragraph, wanted, whole, document) if wanted else ()
        for triple in (*row_triples(paragraph, document.title), *prose):
            if "://" not in triple.object:  # an address is a source, not what something is
                yield _Stated(triple, part.start_line + row)


def _head_states(reader: Reader, stored: StoredDocument) -> Iterator[_Stated]:
    """A long head is cut into several fragments, which may repeat lines."""
    rows: dict[int, str] = {}
    for part in reader.fragments_of(stored.id):
        if part.kind == _HEAD:
            rows |= dict(enumerate(part.text.split("\n"), part.start_line))
    first = min(rows, default=1)
    for value in place_values("".join(f"{rows[line]}\n" for line in sorted(rows))):
        for triple in field_triples(value.key, value.text, stored.document.title, whole=value.whole):
            yield _Stated(triple, first + value.line)


def _end_of(date: str | None, at: int, zone: str) -> int | None:
    """Of a day (YYYY-MM-DD), ms UTC."""
    times = time_ranges(date, at, zone) if date else ()
    return times[0].end if times else None


def _said_again(reader: Reader, docid: str, since: int, until: int | None) -> list[int]:
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
    for passage in _find_passages(reader, _find_terms(reader, asked, languages), within):
        called = is_alike(passage.stored.document.title)
        for fact in read_facts(reader, passage, at, zone, head=called):
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


def _find_passages(reader: Reader, wanted: Sequence[WantedTerm], within: Filter) -> list[NamePassage]:
    """Memories first: of notes nothing but their fields is read."""
    matched = reader.match(wanted, within, _MOST_MATCHED) if wanted else []
    if not has_memories(reader):
        matched = matched[:_MOST_READ]
    parts = reader.fragments(matched)
    documents = reader.documents(sorted({part.document for part in parts.values()}))
    held = [parts[one] for one in matched if one in parts and parts[one].document in documents]
    found = [NamePassage(documents[part.document], part) for part in held]
    found.sort(key=lambda one: one.stored.document.collection != INTERNAL)
    return found[:_MOST_READ]
