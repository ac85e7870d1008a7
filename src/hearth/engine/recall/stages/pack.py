"""The stage that makes the answer as long as was asked for: in passages, or in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.hits import cite
from hearth.engine.recall.stage import Pool, Stage
from hearth.engine.recall.stages.newest import find_order
from hearth.lazy import dataclass
from hearth.ports import StoredFragment
from hearth.ranking.newest import order_by_time
from hearth.ranking.packing.pack import pack
from hearth.ranking.stage import Candidate
from hearth.text.terms import terms


@dataclass(frozen=True)
class PackStage(Stage):
    name: ClassVar[str] = "pack"

    def __call__(self, context: Context, pool: Pool) -> Pool:
        query = context.query
        if query.budget_tokens is None:
            return replace(pool, candidates=list(islice(show_once(context, pool.candidates), query.limit)))
        # Turns of conversations, which only packing takes apart.
        from hearth.engine.recall.units import split_units

        parts = split_units(pool.candidates, lambda texts: judge_texts(context, texts))
        packed, _ = pack(parts, query.budget_tokens, query.limit)
        packed = order_by_time(packed, find_order(context, packed))
        return pool.hold(packed, f"no passage fits into {query.budget_tokens} tokens; allow more")


def show_once(context: Context, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Windows overlap: a later one of the same document by what it adds, or not at all where that is nothing or is
    shown by the same words."""
    earlier: dict[int, list[StoredFragment]] = {}
    for candidate in candidates:
        others = earlier.setdefault(candidate.document.id, [])
        rest: Candidate | None = candidate
        for other in others:
            rest = rest and _beside(context, rest, other)
        if rest is not None:
            others.append(candidate.fragment)
            yield rest


def _beside(context: Context, candidate: Candidate, shown: StoredFragment) -> Candidate | None:
    """What a passage holds above or below another; ``None`` for nothing."""
    own = candidate.fragment
    if shown.end_line < own.start_line or own.end_line < shown.start_line:
        return candidate
    lines = own.text.split("\n")
    above, below = shown.start_line - own.start_line, shown.end_line - own.start_line + 1
    kept, first = (lines[:above], own.start_line) if above > 0 else (lines[below:], own.start_line + below)
    while kept and not kept[0].strip():
        kept, first = kept[1:], first + 1
    if kept:
        part = replace(own, text="\n".join(kept), start_line=first, end_line=first + len(kept) - 1)
        return replace(candidate, fragment=part)
    same = cite(context, candidate.document, own).text == cite(context, candidate.document, shown).text
    return None if same else candidate


def judge_texts(context: Context, texts: Sequence[str]) -> list[float]:
    """What texts say of the question on their own: the share of its words, and nearness in meaning."""
    weights, mass = context.lexicon.idf_by_term, sum(word.idf for word in context.lexicon.words) or 1.0
    languages = context.statistics.languages
    language = languages[0] if len(languages) == 1 else "en"
    own = [min(1.0, sum(weights.get(term, 0.0) for term in set(terms(text, language))) / mass) for text in texts]
    near = context.nearness(texts)
    return own if near is None else [(word + cosine) / 2 for word, cosine in zip(own, near, strict=True)]
