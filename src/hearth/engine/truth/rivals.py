"""Rivals: memories that a statement may repeat, refine or contradict, found by words, attributes and meaning."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hearth.engine.writing.candidates import rarest, words_of
from hearth.extract.truth.claims import wordings_of
from hearth.model.identity import INTERNAL
from hearth.model.query import Recall
from hearth.ports import Filter, PostingReader, Store, StoredDocument

COMPARABLE = (
    "decision", "preference", "fact", "correction", "principle", "skill", "observation", "deduction", "note",
)  # fmt: skip
"""Types of memory that say how one thing is: a milestone is true of its day for ever, an entity's file gathers much."""
LEAST = 0.35
"""Calibrated score from which a memory is near enough to be judged."""
_BY_MEANING = 5
_BY_WORDS = 12
_MATCHED = 60
_TEXT_CHARS = 600

Ask = Callable[[str], Recall]
"""The memories of ``COMPARABLE`` types that are nearest to a text in meaning."""


@dataclass(frozen=True)
class Rivals:
    store: Store
    ask: Ask

    def __call__(self, docid: str, text: str, *, hidden: bool = False) -> list[StoredDocument]:
        """Documents that may bear on a statement, none of them itself; with ``hidden`` also what was superseded,
        invalidated or forgotten, and then by words alone."""
        by_meaning = [] if hidden else self._near(text)
        with self.store.read() as reader:
            within = Filter((INTERNAL,), COMPARABLE, include_hidden=hidden)
            languages = reader.statistics().languages or ("en",)
            rows: dict[int, None] = {}
            for words in (wordings_of(text), frozenset({text[:_TEXT_CHARS]})):
                wanted = {term for word in words for term in words_of(word, languages)}
                rows |= dict.fromkeys(_sharing(reader, wanted, within)[:_BY_WORDS])
            documents = reader.documents(list(rows))
            near = [reader.document(one) for one in by_meaning]
        found = {one.document.docid: one for one in [*near, *documents.values()] if one is not None}
        return [one for one in found.values() if one.document.docid != docid]

    def _near(self, text: str) -> list[str]:
        hits = self.ask(text[:_TEXT_CHARS]).hits
        return [hit.docid for hit in hits[:_BY_MEANING] if hit.score >= LEAST]


def _sharing(reader: PostingReader, wanted: set[str], within: Filter) -> list[int]:
    """Rows of documents that hold the rarest of the words, those that weigh most first."""
    every = reader.statistics().fragments
    plan = [(row.id, False, math.log(1 + every / max(1, row.df))) for row in rarest(reader.terms(wanted).values())]
    if not plan:
        return []
    fragments = reader.match(plan, within, _MATCHED)
    owners = {posting.fragment: posting.document for posting in reader.postings(fragments, within)}
    return list(dict.fromkeys(owners[fragment] for fragment in fragments if fragment in owners))
