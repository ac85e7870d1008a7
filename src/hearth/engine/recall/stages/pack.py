"""The stage that makes the answer as long as was asked for: in passages, or in tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from hearth.engine.recall.context import Context
from hearth.engine.recall.hits import cite
from hearth.engine.recall.stage import Pool, Stage
from hearth.ports import StoredFragment
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
        return pool.hold(packed, f"no passage fits into {query.budget_tokens} tokens; allow more")


def show_once(context: Context, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Without windows that overlap an earlier one of their document and would be shown by the same lines."""
    earlier: dict[int, list[StoredFragment]] = {}
    for candidate in candidates:
        fragment, document = candidate.fragment, candidate.document
        others = earlier.setdefault(document.id, [])
        beside = [o for o in others if o.start_line <= fragment.end_line and fragment.start_line <= o.end_line]
        if beside:
            shown = cite(context, document, fragment)
            if any(shown.text == cite(context, document, other).text for other in beside):
                continue
        others.append(fragment)
        yield candidate


def judge_texts(context: Context, texts: Sequence[str]) -> list[float]:
    """What texts say of the question on their own: the share of its words, and nearness in meaning."""
    weights, mass = context.lexicon.idf_by_term, sum(word.idf for word in context.lexicon.words) or 1.0
    languages = context.statistics.languages
    language = languages[0] if len(languages) == 1 else "en"
    own = [min(1.0, sum(weights.get(term, 0.0) for term in set(terms(text, language))) / mass) for text in texts]
    near = context.nearness(texts)
    return own if near is None else [(word + cosine) / 2 for word, cosine in zip(own, near, strict=True)]
