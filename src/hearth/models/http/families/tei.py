"""Hugging Face's text-embeddings-inference: bare lists, at most 32 texts a request unless started otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.models.http.families.jina import scored
from hearth.models.http.family import EmbeddingRequest, Embeddings, Scores, VectorRows
from hearth.models.http.reply import in_order, listed

_BATCH = 32


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"inputs": list(ask.texts), "truncate": False, **ask.given(dimensions=ask.dimensions)}


def read(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(listed(reply), count, lambda row: row))


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    del model
    return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": False}


def read_scores(reply: Any, count: int) -> list[float]:
    return scored(listed(reply), count, "score")


EMBEDDINGS = Embeddings("tei", "embed", body, read, version="", needs_model=False, batch=_BATCH, templates=True)
SCORES = Scores("tei", "rerank", score_body, read_scores, version="", needs_model=False, batch=_BATCH)
