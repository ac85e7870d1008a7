"""Cohere: ``input_type``, vectors by type, and ``truncate: NONE`` to be told of a text too long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.models.http.families.jina import read_scores
from hearth.models.http.family import EmbeddingRequest, Embeddings, Scores, VectorRows
from hearth.models.http.reply import in_order, part

_BASE = "https://api.cohere.com/v2"
# Reranking cuts a document there (``max_tokens_per_doc``) and can't be told not to.
_LONGEST_DOCUMENT = 4096


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {
        "texts": list(ask.texts),
        "input_type": f"search_{ask.role}",
        "embedding_types": ["float"],
        "truncate": "NONE",
        **ask.given(model=ask.model, output_dimension=ask.dimensions),
    }


def read(reply: Any, count: int) -> VectorRows:
    rows = part(part(reply, "embeddings", dict), "float", list)
    return VectorRows(in_order(rows, count, lambda row: row))


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts)}


EMBEDDINGS = Embeddings("cohere", "embed", body, read, version="v2", base=_BASE, model="embed-v4.0")
SCORES = Scores(
    "cohere",
    "rerank",
    score_body,
    read_scores,
    version="v2",
    base=_BASE,
    model="rerank-v4.0-fast",
    longest=_LONGEST_DOCUMENT,
)
