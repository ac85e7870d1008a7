"""The stage that treats what repeats a superseded statement as superseded: a hand-off, a conversation or a page of ours
that still says so is marked, and what replaced the statement stands in its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple

from hearth.engine.recall.context import Context
from hearth.engine.recall.stage import Pool, Stage
from hearth.lazy import dataclass
from hearth.model.document import Document
from hearth.model.identity import INTERNAL
from hearth.ports import Filter, Reader, StoredDocument, WantedTerm
from hearth.ranking.echo import stands_in
from hearth.ranking.stage import Candidate, order

_READ = 24
"""So many of the best fragments are compared."""
_TERMS, _POSTINGS, _MATCHED = 8, 1_500, 40
_CHAIN = 10
# Where what replaced it is no answer itself, and how far below it a copy stands.
_ALONE, _BELOW = 0.6, 1 - 1e-4


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
        repeated = {
            id(one): found
            for one in best
            if _is_ours(one.document.document) and (found := _find_repeated(one, former)) is not None
        }
        levels: dict[str, float] = {}
        for one in best:
            if id(one) in repeated:
                by = repeated[id(one)].by
                levels[by] = max(levels.get(by, 0.0), one.score)
        raised = [one if id(one) in repeated else _raise(one, levels) for one in pool.candidates]
        scores = {by: max((one.score for one in raised if _is_of(one, by)), default=None) for by in levels}
        marked = [_mark(one, repeated[id(one)].by, scores) if id(one) in repeated else one for one in raised]
        return replace(pool, candidates=order(marked))


def _is_ours(document: Document) -> bool:
    return document.collection == INTERNAL


def _find_repeated(candidate: Candidate, former: list[_Superseded]) -> _Superseded | None:
    text = candidate.fragment.text
    found = next((one for one in former if stands_in(one.text, text) and not stands_in(one.now, text)), None)
    return None if found is None or _is_of(candidate, found.by) else found


def _is_of(candidate: Candidate, docid: str) -> bool:
    return candidate.document.document.docid == docid


def _raise(candidate: Candidate, levels: Mapping[str, float]) -> Candidate:
    """What replaced a statement answers as well as what repeats the statement."""
    level = levels.get(candidate.document.document.docid, 0.0)
    return candidate.move(CopiesStage.name, max(candidate.score, level), "replaced what answers")


def _mark(candidate: Candidate, by: str, scores: Mapping[str, float | None]) -> Candidate:
    newer = scores[by]
    score = candidate.score * _ALONE if newer is None else min(candidate.score, newer * _BELOW)
    moved = candidate.move(CopiesStage.name, score, "repeats what was superseded")
    state = replace(candidate.document.state, superseded_by=by)
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
        newer = _find_latest(reader, stored)
        if newer is not None:
            found.append(_Superseded(_say(context, stored), newer.document.docid, _say(context, newer)))
    return [one for one in found if one.text]


def _find_latest(reader: Reader, stored: StoredDocument) -> StoredDocument | None:
    """What replaced a document in the end, where each of several replaced the one before."""
    newer: StoredDocument | None = None
    by = stored.state.superseded_by
    for _ in range(_CHAIN):
        found = None if by is None else reader.document(by)
        if found is None:
            break
        newer, by = found, found.state.superseded_by
    return newer


def _say(context: Context, stored: StoredDocument) -> str:
    fragments = context.reader.fragments_of(stored.id)
    return " ".join(one.text for one in fragments if one.kind != "frontmatter").strip()
