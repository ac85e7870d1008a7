"""The recipe ``plan``: an outline, the parts of a question each by the search that fits it, or one hybrid search;
and ``intent``, where what is asked for is first asked of a model. Follows one document through a question: which
lanes find it, its place after each step, and the step that drops it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from hearth.core.lazy import dataclass
from hearth.core.query import MAX_RESULTS, ClauseType, Hit, Query, QueryPlan, Recall
from hearth.recall.interfaces import Context
from hearth.recall.ranking.candidate import Candidate
from hearth.recall.ranking.packing import FRAGMENT_OVERHEAD
from hearth.recall.recall import INTENT, PLAN, Recaller, find_recipe
from hearth.recall.routing import classify, plan, route
from hearth.text.lines import estimate_tokens

if TYPE_CHECKING:
    from hearth.recall.routing import Interpreter


_FOUND_BY: dict[str, ClauseType] = {"keyword": "keyword", "hybrid": "hybrid", INTENT: "graph"}


def answer(query: Query, recaller: Recaller, model: Interpreter | None = None) -> Recall:
    """``Recall.plan`` says which it was; ``model`` is asked where the wording tells nothing. An outline is as long as
    its budget, whatever the limit, and by time.

    Raises what ``Recaller`` raises."""
    # Operators belong to the whole question.
    chosen, missing = (QueryPlan("single"), ()) if query.syntax else _choose(query.text, model)
    if chosen.kind == "parts":
        chosen = replace(chosen, types=tuple(map(find_type, chosen.clauses)))
        found, types = _ask_parts(query, chosen, recaller)
        chosen = replace(chosen, types=types)
    elif chosen.kind == "outline":
        found = recaller(replace(query, recipe="outline", limit=MAX_RESULTS))
    else:
        found = recaller(replace(query, recipe="hybrid"))
    return replace(found, query=query.text, recipe=PLAN, plan=chosen, missing=(*found.missing, *missing))


def answer_intent(query: Query, recaller: Recaller, model: Interpreter | None) -> Recall:
    """``Recall.asked`` says the class of the question; ``model`` is asked where the wording tells none.

    Raises what ``Recaller`` raises."""
    asked = query.asked or classify(query.text)
    missing: tuple[str, ...] = ()
    if model is not None and not (asked.why or query.asked or query.syntax or not query.text.strip()):
        read, missing = model.ask(lambda reader: reader.classify(query.text))
        asked = read or asked
    found = recaller(replace(query, asked=asked))
    return replace(found, asked=asked, missing=(*found.missing, *missing))


def _choose(text: str, model: Interpreter | None) -> tuple[QueryPlan, tuple[str, ...]]:
    """The plan, and why it goes without the model where it does."""
    ruled = plan(text)
    if model is None or ruled.kind != "single" or not text.strip():
        return ruled, ()
    outcome, missing = model.ask(lambda reader: reader.plan(text))
    return outcome or ruled, missing


def find_type(clause: str) -> ClauseType:
    """How a clause is looked up: a name, path or error by its exact words, what asks for causes or people along
    relations."""
    if route(clause).mode == "keyword":
        return "keyword"
    return "graph" if classify(clause).asked in ("why", "entity") else "hybrid"


def _ask_clause(query: Query, clause: str, found_by: ClauseType, recaller: Recaller) -> Recall:
    """With the cut of any search: what is weak beside the best of this clause is left out. What no word finds is
    looked for by meaning too."""
    if found_by == "keyword":
        found = recaller(replace(query, text=clause, recipe="keyword"))
        if found.hits:
            return found
    if found_by == "graph":
        return recaller(replace(query, text=clause, recipe=INTENT, asked=classify(clause)))
    return recaller(replace(query, text=clause, recipe="hybrid"))


def _ask_parts(query: Query, chosen: QueryPlan, recaller: Recaller) -> tuple[Recall, tuple[ClauseType, ...]]:
    """As sure as the least sure of the parts: the answer is no better than what it lacks. And how each was found."""
    clauses, recaller = chosen.clauses, recaller.for_parts(query.text)
    recalls = [_ask_clause(query, *part, recaller) for part in zip(clauses, chosen.types, strict=True)]
    hits = tuple(_fit(_take_turns([recall.hits for recall in recalls]), query))
    weakest = min(recalls, key=lambda recall: (recall.confident, recall.confidence))
    reasons = [f"{clause}: {recall.reason}" for clause, recall in zip(clauses, recalls, strict=True) if recall.reason]
    answer = Recall(
        query.text,
        PLAN,
        hits,
        took_ms=sum(recall.took_ms for recall in recalls),
        missing=tuple(dict.fromkeys(lane for recall in recalls for lane in recall.missing)),
        reason="; ".join(reasons) or None,
        confident=bool(hits) and weakest.confident,
        confidence=weakest.confidence if hits else 0.0,
        tokens=sum(estimate_tokens(hit.text) for hit in hits),
        trace={"parts": [dict(recall.trace) for recall in recalls]} if query.explain else {},
    )
    return answer, tuple(_FOUND_BY[recall.recipe] for recall in recalls)


def _take_turns(answers: Sequence[Sequence[Hit]]) -> Iterator[Hit]:
    """The best of each, then the second of each, every line once."""
    shown: dict[str, list[tuple[int, int]]] = {}
    for row in zip_longest(*answers):
        for hit in row:
            if hit is None:
                continue
            spans = shown.setdefault(hit.docid, [])
            if not any(first <= hit.start_line and hit.end_line <= last for first, last in spans):
                spans.append((hit.start_line, hit.end_line))
                yield hit


def _fit(hits: Iterator[Hit], query: Query) -> Iterator[Hit]:
    left = query.budget_tokens
    for number, hit in enumerate(hits):
        if number == query.limit:
            return
        if left is not None:
            cost = estimate_tokens(hit.text) + FRAGMENT_OVERHEAD
            if cost > left:
                continue
            left -= cost
        yield hit


RESULTS = "results"


@dataclass(frozen=True, slots=True)
class Step:
    """``place`` is the rank of the document's best fragment ``among`` the candidates left, from 1; ``None`` where none
    is left."""

    name: str
    place: int | None
    among: int
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Followed:
    """``lanes`` give the document's place in each lane's own list, ``steps`` its place after each step. ``lost`` names
    the step that dropped it; ``None`` if it is among the results."""

    lanes: tuple[Step, ...]
    steps: tuple[Step, ...]

    @property
    def lost(self) -> str | None:
        return next((step.name for step in self.steps if step.place is None), None)


def follow(recaller: Recaller, query: Query, docid: str) -> Followed:
    """Raises as ``Recaller`` does. There are no steps if the question has nothing to search for."""
    lanes: list[Step] = []
    steps: list[Step] = []

    def see(context: Context, name: str, candidates: Sequence[Candidate]) -> None:
        if not steps:
            lanes.extend(_ask_lanes(context, docid))
        own = [(place, one) for place, one in enumerate(candidates, 1) if one.document.document.docid == docid]
        place, best = own[0] if own else (None, None)
        steps.append(Step(name, place, len(candidates), None if best is None else best.score))

    answer = recaller.watch(query, see)
    if steps:
        places = [place for place, hit in enumerate(answer.hits, 1) if hit.docid == docid]
        hit = answer.hits[places[0] - 1] if places else None
        steps.append(Step(RESULTS, places[0] if places else None, len(answer.hits), None if hit is None else hit.score))
    return Followed(tuple(lanes), tuple(steps))


def _ask_lanes(context: Context, docid: str) -> list[Step]:
    stored = context.reader.document(docid)
    own = set() if stored is None else {fragment.id for fragment in context.reader.fragments_of(stored.id)}
    found = []
    for lane in find_recipe(context.query.recipe).lanes:
        ids = list(lane(context).find())
        if ids:
            place = next((place for place, fragment in enumerate(ids, 1) if fragment in own), None)
            found.append(Step(lane.name, place, len(ids)))
    return found
