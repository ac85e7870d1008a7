"""Several queries asked as one: their answers merged, within one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil

from hearth.engine.compat.merge import MergedHit, merged
from hearth.engine.compat.queries import Derived
from hearth.model.query import Hit, Query, Recall
from hearth.ports import DocumentReader, Reader, Store, StoredFragment
from hearth.ranking.packing.pack import pack
from hearth.ranking.stage import Candidate


def gathered(
    queries: Sequence[Derived],
    base: Query,
    recall: Callable[[Query], Recall],
    store: Store,
    admits: Callable[[Hit, Reader], bool] = lambda hit, reader: True,
    limit: int | None = None,
) -> list[MergedHit]:
    """The passages of all answers, best first and at most ``limit`` (without one ``base.limit``), lines that touch as
    one, within ``base.budget_tokens``. All but the text of ``base`` is asked of each; its deadline is shared out."""
    answers = list(_ask_each(queries, base, recall))
    most = base.limit if limit is None else limit
    with store.read() as reader:
        found = [one for one in merged(answers) if admits(one.hit, reader)]
        return found[:most] if base.budget_tokens is None else _join(found, base.budget_tokens, most, reader)


def _ask_each(
    queries: Sequence[Derived], base: Query, recall: Callable[[Query], Recall]
) -> Iterator[tuple[Derived, Sequence[Hit]]]:
    """Each gets an equal share of what the ones before it left of the deadline."""
    left = base.deadline_ms
    for number, query in enumerate(queries):
        share = None if left is None else left // (len(queries) - number)
        answer = recall(replace(base, text=query.text, deadline_ms=share))
        left = None if left is None else max(0, left - ceil(answer.took_ms))
        yield query, answer.hits


def _join(found: Sequence[MergedHit], budget: int, limit: int, reader: DocumentReader) -> list[MergedHit]:
    candidates: list[Candidate] = []
    origin: dict[int, MergedHit] = {}
    for number, one in enumerate(found):
        hit, stored = one.hit, reader.document(one.hit.docid)
        if stored is not None:
            lines = (hit.start_line, hit.end_line)
            part = StoredFragment(number, stored.id, 0, hit.fragment, *lines, 0, 0, hit.headings, "", hit.text)
            candidates.append(Candidate(part, stored, one.value))
            origin[number] = one
    packed: list[MergedHit] = []
    for candidate in pack(candidates, budget, limit)[0]:
        part, one = candidate.fragment, origin[candidate.fragment.id]
        hit = replace(one.hit, start_line=part.start_line, end_line=part.end_line, text=part.text)
        packed.append(replace(one, hit=hit))
    return packed
