"""memory_search: a question in the words of other memory systems."""

from __future__ import annotations

from hearth.engine.compat.citations import Mode, citation, cites, name
from hearth.engine.compat.report import CompatResult, MemorySearch
from hearth.engine.recall import Recaller
from hearth.errors import UsageError
from hearth.model.query import Hit, Query, Recall
from hearth.ranking.weights import CUT

DEFAULT_RESULTS = 6
MIN_SCORE = 0.35
"""What clients expect of a result where they name no least score: on their scale what ``CUT.least`` is on ours."""
MAX_SNIPPET_CHARS = 700


def search(query: Query, recaller: Recaller, mode: Mode, *, direct: bool) -> tuple[MemorySearch, Recall]:
    """The answer in its known shape, and as it is. Raises ``UsageError`` for an empty question or a wrong limit."""
    if not query.text.strip():
        raise UsageError("query is required; say what to search for")
    recall = recaller(query)
    shown = cites(mode, direct=direct)
    found = MemorySearch(
        query=query.text,
        results=tuple(_result(hit, shown) for hit in recall.hits),
        citations=mode,
        model=_model(recaller),
        fallback="; ".join(recall.missing) or None,
        reason=recall.reason,
        confident=recall.confident,
        confidence=recall.confidence,
    )
    return found, recall


def to_our_scale(score: float) -> float:
    """A score of ``memory_search`` as a calibrated one."""
    return CUT.least * score / MIN_SCORE if score < MIN_SCORE else 1 - (1 - score) * (1 - CUT.least) / (1 - MIN_SCORE)


def _to_their_scale(score: float) -> float:
    return MIN_SCORE * score / CUT.least if score < CUT.least else 1 - (1 - score) * (1 - MIN_SCORE) / (1 - CUT.least)


def _result(hit: Hit, shown: bool) -> CompatResult:
    place = name(hit.collection, hit.path)
    whole = len(hit.text) <= MAX_SNIPPET_CHARS
    first, last = hit.cited(full=whole)
    cited = citation(place, first, last)
    text = hit.text if whole else hit.snippet[:MAX_SNIPPET_CHARS]
    if hit.hidden:
        text = f"({hit.validity.label()}) {text}"
    if hit.validity.later:
        text = "\n".join((text.rstrip(), *(one.words for one in hit.validity.later)))
    if shown:
        text = f"{text.rstrip()}\n\nSource: {cited}"
    return CompatResult(hit.docid, place, first, last, _to_their_scale(hit.score), text, cited if shown else None)


def _model(recaller: Recaller) -> str | None:
    if recaller.spaces is None:
        return None
    model = recaller.spaces.model
    return "static" if model is None else model.label
