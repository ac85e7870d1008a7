"""The stage that treats what repeats a superseded statement as superseded: a hand-off, a conversation or a page of ours
that still says so stands behind what replaced it, and is marked."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, NamedTuple

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.ports import Filter, StoredDocument, WantedTerm
from hearth.ranking.echo import stands_in
from hearth.ranking.stage import Candidate, order

_READ = 24
"""So many of the best fragments are compared."""
_TERMS, _POSTINGS, _MATCHED = 8, 1_500, 40
# Where what replaced it is no answer itself, and how far below it a copy stands.
_ALONE, _BELOW = 0.6, 0.8


class _Superseded(NamedTuple):
    """A superseded statement, the document that replaced it, and what that says."""

    text: str
    by: str
    now: str


@dataclass(frozen=True)
class CopiesStage(Stage):
    """A fragment that tells both, the old and the new, is no copy: it tells of the change."""

    name: ClassVar[str] = "copies"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query = context.query
        best = pool.candidates[:_READ]
        asked = query.include_hidden or "superseded" in query.include
        if asked or not any(_is_ours(one.document.document) for one in best):
            return pool
        former = _find_superseded(context)
        if not former:
            return pool
        read = {id(one): _mark(one, former, pool.candidates) for one in best if _is_ours(one.document.document)}
        return replace(pool, candidates=order([read.get(id(one), one) for one in pool.candidates]))


def _is_ours(document: Document) -> bool:
    return document.collection == INTERNAL


def _mark(candidate: Candidate, former: list[_Superseded], candidates: list[Candidate]) -> Candidate:
    text = candidate.fragment.text
    repeated = next((one for one in former if stands_in(one.text, text) and not stands_in(one.now, text)), None)
    if repeated is None or candidate.document.document.docid == repeated.by:
        return candidate
    newer = [one.score for one in candidates if one.document.document.docid == repeated.by]
    score = min(candidate.score, max(newer) * _BELOW if newer else candidate.score * _ALONE)
    moved = candidate.move(CopiesStage.name, score, "repeats what was superseded")
    state = replace(candidate.document.state, superseded_by=repeated.by)
    return replace(moved, document=replace(candidate.document, state=state), leads=False)


def _find_superseded(context: Context) -> list[_Superseded]:
    """Superseded statements that hold the rarest words of the question."""
    reader = context.reader
    words = {variant for word in context.question.words for variant in word.variants}
    every = reader.statistics().fragments
    rare = sorted((row for row in reader.terms(words).values() if row.df <= _POSTINGS), key=lambda row: row.df)
    plan = [WantedTerm(row, weight=math.log(1 + every / max(1, row.df))) for row in rare[:_TERMS]]
    if not plan:
        return []
    within = Filter((INTERNAL,), include_hidden=True, at=context.query.at)
    fragments = reader.match(plan, within, _MATCHED)
    owners = dict.fromkeys(posting.document for posting in reader.postings(fragments, within))
    found = []
    for stored in reader.documents([*owners]).values():
        by = stored.state.superseded_by
        newer = None if by is None else reader.document(by)
        if by is not None and newer is not None:
            found.append(_Superseded(_say(context, stored), by, _say(context, newer)))
    return [one for one in found if one.text]


def _say(context: Context, stored: StoredDocument) -> str:
    fragments = context.reader.fragments_of(stored.id)
    return " ".join(one.text for one in fragments if one.kind != "frontmatter").strip()
