"""memory_context: what the notes say to a whole message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from hearth.engine.hooks.gate import judge
from hearth.engine.hooks.trust import is_withheld, suspected
from hearth.engine.pair.citations import citation, name
from hearth.engine.pair.digest import digest
from hearth.engine.pair.gather import gathered
from hearth.engine.pair.merge import Found
from hearth.engine.pair.queries import MAX_MESSAGE_CHARS, bounded, derive
from hearth.engine.pair.report import MemoryContext, Result
from hearth.engine.recall import Recaller
from hearth.errors import UsageError
from hearth.guard.fence import TRUSTED
from hearth.model.query import MAX_RESULTS, Conversation, Hit, Query
from hearth.ports import Reader, Store
from hearth.ranking.welcome import is_welcome

DEFAULT_BUDGET = 800
MIN_BUDGET = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """A message and how to answer it. ``base`` has the moment, the zone and the vault; its text is not read.
    ``project`` leaves out memories of other projects; ``max_results`` bounds the passages."""

    message: str
    base: Query
    budget_tokens: int = DEFAULT_BUDGET
    max_results: int = MAX_RESULTS
    min_score: float | None = None
    project: str | None = None
    cites: bool = True


def context(wish: Wish, recaller: Recaller, store: Store) -> MemoryContext:
    """A message that is one question is answered as a query is; what a longer one asks and says is asked piece by
    piece, and held to what is shown unasked. Raises ``UsageError`` for numbers out of range, never for the message."""
    if wish.budget_tokens < MIN_BUDGET:
        raise UsageError(f"a budget of {wish.budget_tokens} tokens holds no passage; give {MIN_BUDGET} or more")
    if not 1 <= wish.max_results <= MAX_RESULTS:
        raise UsageError(f"max_results {wish.max_results} is out of range; choose 1 to {MAX_RESULTS}")
    cut = len(wish.message) > MAX_MESSAGE_CHARS
    verdict = judge(bounded(wish.message))
    if verdict.skip is not None:
        return MemoryContext("", skipped=verdict.skip, cut=cut)
    queries = derive(verdict.text)
    if not queries:
        return MemoryContext("", skipped="nothing to search for", cut=cut)
    asked = tuple(query.text for query in queries)
    alone = [query.kind for query in queries] == ["message"]
    admits = partial(_admits, wish)
    found = gathered(queries, _base(wish, alone=alone), recaller, store, admits)[: wish.max_results]
    shown = digest([(one.hit, _heading(one.hit, wish)) for one in found], wish.budget_tokens)
    if not shown.kept:
        return MemoryContext("", queries=asked, reason="nothing in the notes is relevant enough", cut=cut)
    entries = tuple(_entry(found[position], wish) for position in shown.kept)
    return MemoryContext(shown.text, entries, asked, shown.tokens, cut=cut)


def _base(wish: Wish, *, alone: bool) -> Query:
    return replace(
        wish.base,
        limit=MAX_RESULTS,
        budget_tokens=wish.budget_tokens,
        min_score=wish.min_score,
        recipe="hybrid" if alone else "surface",
        conversation=_conversation(wish),
    )


def _conversation(wish: Wish) -> Conversation:
    return Conversation(project=wish.project, other_projects=wish.project is None)


def _admits(wish: Wish, hit: Hit, reader: Reader) -> bool:
    stored = reader.document(hit.docid)
    if stored is None or not is_welcome(stored, wish.base.at, _conversation(wish)):
        return False
    return not is_withheld(hit, suspected(hit))


def _cited(hit: Hit) -> str:
    return citation(name(hit.collection, hit.path), hit.start_line, hit.end_line)


def _heading(hit: Hit, wish: Wish) -> str:
    """With who wrote it, unless a person did, and what it looks like where that is an attack."""
    marks = [] if hit.trust == TRUSTED else [f"by {hit.trust}"]
    if labels := suspected(hit).labels:
        marks.append("suspicious: " + ", ".join(labels))
    return ", ".join((_cited(hit) if wish.cites else hit.title, *marks))


def _entry(one: Found, wish: Wish) -> Result:
    hit = one.hit
    place = name(hit.collection, hit.path)
    cited = _cited(hit) if wish.cites else None
    return Result(hit.docid, place, hit.start_line, hit.end_line, one.value, hit.text, cited, one.queries)
