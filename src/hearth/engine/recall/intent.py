"""The intent: what somebody wants with a question. It finds nothing, it says where to look inside what was found."""

from __future__ import annotations

from dataclasses import replace

from hearth.engine.recall.lexicon import Lexicon, look_up
from hearth.engine.recall.question import Language, ask
from hearth.lazy import regex
from hearth.model.query import Query
from hearth.ports import Reader, Statistics
from hearth.ranking.weights import RERANK

# Without colons no word of it is an operator.
_WORD = regex(r"[^\s:]+")


def weigh_terms(
    query: Query, lexicon: Lexicon, language: Language, reader: Reader, statistics: Statistics
) -> dict[str, float]:
    """Index term -> worth when choosing a part of a text: words of the question count whole, of the intent in part."""
    if not query.intent:
        return lexicon.idf_by_term
    intent = replace(query, text=" ".join(_WORD.findall(query.intent)))
    hinted = look_up(ask(intent, language), reader, statistics).idf_by_term
    return {term: RERANK.hint * worth for term, worth in hinted.items()} | lexicon.idf_by_term
