"""Stages for what does not hold: superseded text and its copies, decisions without standing, doubts, echoes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from typing import ClassVar, NamedTuple

from hearth import vault
from hearth.core.document import INTERNAL, OVER, SAID, SUPERSEDED, Document
from hearth.core.lazy import dataclass
from hearth.core.memory import CONVERSATION
from hearth.ports import Filter, Reader, StoredDocument, WantedTerm
from hearth.recall.interfaces import Context, Pool, Stage
from hearth.recall.ranking.candidate import Candidate, order
from hearth.recall.ranking.diversify import AskedQuestion, give_way, let_answer, stands_in
from hearth.recall.ranking.prior import ORDINARY, Ageing, Companions, apply_composite, apply_prior
from hearth.recall.ranking.weights import PRIOR
from hearth.recall.statements import say_the_same
from hearth.text.words import cues
from hearth.vault.usage_statistics import companions, moves
from hearth.vault.validity import is_memory

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
    return candidate.move(CopiesStage.name, max(candidate.score, level), "supersedes an answer")


def _mark(candidate: Candidate, by: str, scores: Mapping[str, float | None]) -> Candidate:
    newer = scores[by]
    score = candidate.score * _ALONE if newer is None else min(candidate.score, newer * _BELOW)
    moved = candidate.move(CopiesStage.name, score, "repeats a superseded statement")
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


# So many of the best fragments are looked at.
_STANDING_READ = 30


@dataclass(frozen=True)
class StandingStage(Stage):
    """What was rejected, deprecated or superseded counts a little less than what holds, and stands below what took its
    place; unless that is what the question asks for."""

    name: ClassVar[str] = "standing"

    def applies(self, context: Context) -> bool:
        question = context.question
        asked = question.then or question.within.statuses or "superseded" in question.within.include
        return not asked

    def __call__(self, context: Context, pool: Pool) -> Pool:
        over = {c.fragment.id for c in pool.candidates[:_STANDING_READ] if c.document.document.status in OVER}
        if not over or cues("tense", "over").search(context.question.text):
            return pool
        moved = [_lower(one) if one.fragment.id in over else one for one in pool.candidates]
        for one in [one for one in moved if one.document.document.status == SUPERSEDED and one.fragment.id in over]:
            moved = _put_successor_first(context, moved, one)
        return replace(pool, candidates=order(moved))


def _lower(candidate: Candidate) -> Candidate:
    status = candidate.document.document.status
    return candidate.move(StandingStage.name, candidate.score * PRIOR.over, f"its status is {status}")


def _put_successor_first(context: Context, candidates: list[Candidate], older: Candidate) -> list[Candidate]:
    """The best fragment of what took its place scores no less than it does."""
    by = vault.linking.successor(context.reader, older.document.document.docid)
    newer = next((one for one in candidates if by is not None and one.document.document.docid == by), None)
    if newer is None or newer.score > older.score:
        return candidates
    uri = older.document.document.uri
    led = newer.move(StandingStage.name, older.score / PRIOR.over, f"supersedes {uri}")
    return [led if one is newer else one for one in candidates]


@dataclass(frozen=True)
class DoubtStage(Stage):
    """Of two documents about which a person is asked whether both can be true, the lower one moves up behind the
    higher one, where that is among the best and the question found both."""

    name: ClassVar[str] = "doubt"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        best = pool.candidates[: context.query.limit]
        doubts = context.doubts.find(map(_docid, best))
        found = list(pool.candidates)
        for candidate in best if doubts else ():
            for other in doubts.get(_docid(candidate), ()):
                found = _put_behind(found, candidate, other)
        return replace(pool, candidates=found)


def _put_behind(candidates: list[Candidate], one: Candidate, other: str) -> list[Candidate]:
    places = {candidate.fragment.id: at for at, candidate in enumerate(candidates)}
    top = places[one.fragment.id]
    own = next((at for at, candidate in enumerate(candidates) if _docid(candidate) == other), top)
    if own <= top:
        return candidates
    score = max(candidates[own].score, candidates[top].score)
    moved = candidates[own].move(DoubtStage.name, score, f"may contradict {one.document.document.uri}")
    return [*candidates[: top + 1], moved, *candidates[top + 1 : own], *candidates[own + 1 :]]


def _docid(candidate: Candidate) -> str:
    return candidate.document.document.docid


@dataclass(frozen=True)
class EchoStage(Stage):
    name: ClassVar[str] = "echo"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        return replace(pool, candidates=give_way(let_answer(pool.candidates, _ask(context))))


def _ask(context: Context) -> AskedQuestion:
    weights = context.lexicon.idf_by_term
    words = [(frozenset(w.variants), max(weights.get(v, 0.0) for v in w.variants)) for w in context.question.words]
    return AskedQuestion(words, tuple(context.statistics.languages))


@dataclass(frozen=True)
class PriorStage(Stage):
    name: ClassVar[str] = "prior"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query, settings = context.query, context.settings
        ageing = Ageing(query.at, settings.half_lives, settings.temporal_decay)
        apply = apply_prior
        if settings.scoring == "composite":
            apply = partial(apply_composite, ordinary=_weigh_composite(settings.weights))
        used = _companions(context.reader)
        # A turn carries the day of its whole conversation, too coarse for "now"; only "latest" counts there.
        notes = pool.candidates[0].fragment.kind != "turn"
        recent = context.question.recent or (context.question.now and notes)
        move = apply(ageing, used, recent=recent, explain=query.explain)
        return replace(pool, candidates=move(pool.candidates))


def _weigh_composite(given: Mapping[str, float]) -> tuple[float, float, float]:
    """Shares of relevance, recency and confidence: a person's own weights, else the usual ones, divided by their
    sum, so that a score keeps its scale."""
    names = ("relevance", "recency", "confidence")
    weights = [given.get(name, usual) for name, usual in zip(names, ORDINARY, strict=True)]
    relevance, recency, confidence = (weight / (sum(weights) or 1.0) for weight in weights)
    return relevance, recency, confidence


def _companions(reader: Reader) -> Companions:
    """What a document was used together with; what was never used is not looked up."""
    moved = cache(lambda: moves(reader))

    def used_with(stored: StoredDocument) -> Mapping[str, int]:
        return companions(reader, stored.document.docid, moved()) if stored.state.access_count else {}

    return used_with


@dataclass(frozen=True)
class RerankStage(Stage):
    name: ClassVar[str] = "rerank"

    def applies(self, context: Context) -> bool:
        return context.rerank is not None

    def __call__(self, context: Context, pool: Pool) -> Pool:
        assert context.rerank is not None
        near = None if context.vectors is None else context.vectors.nearness
        parts = context.reader.fragments_of
        found = context.rerank(context.query, context.question.text, pool.candidates, context.emphasis, near, parts)
        missing = pool.missing if found.missing is None else (*pool.missing, found.missing)
        return replace(pool, candidates=found.pool, missing=missing, trace={**pool.trace, "rerank": dict(found.trace)})


# Another part of a conversation stays where nothing else answers this share as well as it does.
_AS_WELL = 0.7


@dataclass(frozen=True)
class QuotesStage(Stage):
    """A window of a conversation adds nothing to what the person said in it, where that answers as well. Where nobody
    asked (``unasked``), windows come only for what no memory, note or own sentence says, and a statement comes once, as
    it stands first."""

    name: ClassVar[str] = "quotes"
    unasked: bool = False

    def __call__(self, context: Context, pool: Pool) -> Pool:
        rest = [candidate for candidate in pool.candidates if not is_window(candidate)]
        bar = max((candidate.score for candidate in rest), default=0.0) / _AS_WELL
        kept: list[Candidate] = []
        for candidate in pool.candidates:
            if is_window(candidate):
                if (self.unasked and candidate.score <= bar) or any(_stands_in(one, candidate) for one in rest):
                    continue
            elif self.unasked and candidate.said and any(say_the_same(one.said, candidate.said) for one in kept):
                continue
            kept.append(candidate)
        return replace(pool, candidates=kept)


def _stands_in(statement: Candidate, window: Candidate) -> bool:
    """Whether what the person said is a part of a window and answers as well."""
    if statement.document.id != window.document.id or statement.fragment.kind != SAID or statement.score < window.score:
        return False
    return window.fragment.start_line <= statement.fragment.start_line <= window.fragment.end_line


def is_window(candidate: Candidate) -> bool:
    """Whether it is a part of a conversation, and no sentence of the person's alone."""
    document = candidate.document.document
    return document.content_type == CONVERSATION and is_memory(document) and candidate.fragment.kind != SAID
