"""Names much like one of which nothing is stated: subjects and objects of facts in passages that hold its words, its
words written apart or as one, or what a slip of the hand makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hearth.engine.documents.holding import NamePassage, has_memories
from hearth.engine.graph.factual.passages import read_facts
from hearth.graph.nearly import is_nearly
from hearth.graph.resolve import key_of
from hearth.model.identity import INTERNAL
from hearth.ports import Filter, Reader, TermRow, WantedTerm
from hearth.text.terms import terms

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
