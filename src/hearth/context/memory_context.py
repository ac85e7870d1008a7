"""memory_context: what the notes say to a whole message, as a digest within a budget."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hearth.context.notes import is_withheld, suspected
from hearth.context.packing import digest
from hearth.context.queries import MergedHit, derive, gathered, is_short, judge
from hearth.context.report import CompatResult, MemoryContext, citation, name, source_of
from hearth.core.errors import UsageError
from hearth.core.lazy import dataclass
from hearth.core.query import MAX_RESULTS, Conversation, Hit, Query, Recall
from hearth.language.asking import MAX_MESSAGE_CHARS, shorten_message
from hearth.ports import DocumentReader, Store
from hearth.recall.ranking.gate import is_eligible
from hearth.recall.ranking.weights import CUT
from hearth.recall.recall import Recaller

DEFAULT_BUDGET = 800
MIN_BUDGET = 50


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A message and how to answer it. ``base`` has the moment, the zone and the vault; its text is not read.
    ``project`` leaves out memories of other projects; ``max_results`` bounds the fragments."""

    message: str
    base: Query
    budget_tokens: int = DEFAULT_BUDGET
    max_results: int = MAX_RESULTS
    min_score: float | None = None
    project: str | None = None
    cites: bool = True


def context(request: ContextRequest, recaller: Recaller, store: Store) -> MemoryContext:
    """The questions of a short message are answered as a query is; what a longer one asks and says is asked piece by
    piece, and held to what is shown unasked. Raises ``UsageError`` for numbers out of range, never for the message."""
    if request.budget_tokens < MIN_BUDGET:
        raise UsageError(f"a budget of {request.budget_tokens} tokens fits no fragment; give {MIN_BUDGET} or more")
    if not 1 <= request.max_results <= MAX_RESULTS:
        raise UsageError(f"max_results {request.max_results} is out of range; choose 1 to {MAX_RESULTS}")
    cut = len(request.message) > MAX_MESSAGE_CHARS
    verdict = judge(shorten_message(request.message))
    if verdict.skip is not None:
        return MemoryContext("", skipped=verdict.skip, cut=cut)
    queries = derive(verdict.text)
    if not queries:
        return MemoryContext("", skipped="nothing to search for", cut=cut)
    asked = tuple(query.text for query in queries)
    alone = {query.kind for query in queries} <= {"message", "ask"} and is_short(verdict.text)
    admits = partial(_admits, request)
    answers: list[Recall] = []

    def recall(query: Query) -> Recall:
        answers.append(recaller(query))
        return answers[-1]

    found = gathered(queries, _base(request, alone=alone), recall, store, admits, request.max_results)
    shown = digest([(one.hit, _heading(one.hit, request)) for one in found], request.budget_tokens)
    if not shown.kept:
        return MemoryContext("", queries=asked, reason="no note is relevant enough", cut=cut)
    entries = tuple(_entry(found[position], request) for position in shown.kept)
    confident, confidence = any(a.confident for a in answers), max(a.confidence for a in answers)
    return MemoryContext(shown.text, entries, asked, shown.tokens, cut=cut, confident=confident, confidence=confidence)


def _base(request: ContextRequest, *, alone: bool) -> Query:
    return replace(
        request.base,
        limit=MAX_RESULTS,
        budget_tokens=request.budget_tokens,
        min_score=CUT.weak if alone and request.min_score is None else request.min_score,
        recipe="hybrid" if alone else "surface",
        conversation=_conversation(request),
    )


def _conversation(request: ContextRequest) -> Conversation:
    return Conversation(project=request.project, other_projects=request.project is None)


def _admits(request: ContextRequest, hit: Hit, reader: DocumentReader) -> bool:
    stored = reader.document(hit.docid)
    if stored is None or not is_eligible(stored, request.base.at, _conversation(request)):
        return False
    return not is_withheld(hit, suspected(hit))


def _cite(hit: Hit) -> str:
    return citation(name(hit.collection, hit.path), hit.start_line, hit.end_line)


def _heading(hit: Hit, request: ContextRequest) -> str:
    """With who wrote it, unless a person did, and what it looks like where that is an attack."""
    marks = [hit.voice] if hit.voice else []
    if labels := suspected(hit).labels:
        marks.append("suspicious: " + ", ".join(labels))
    return ", ".join((_cite(hit) if request.cites else hit.title, *marks))


def _entry(one: MergedHit, request: ContextRequest) -> CompatResult:
    hit = one.hit
    place = name(hit.collection, hit.path)
    cited = _cite(hit) if request.cites else None
    return CompatResult(
        hit.docid, place, hit.start_line, hit.end_line, one.value, hit.text, cited, one.queries, source_of(hit)
    )
