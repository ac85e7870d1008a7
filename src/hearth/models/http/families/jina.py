"""Jina: ``task`` tells a question from a passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.models.http.families import openai
from hearth.models.http.family import EmbeddingRequest, Embeddings, Scores
from hearth.models.http.reply import in_order, number, part

_BASE = "https://api.jina.ai/v1"
_TASKS = {"query": "retrieval.query", "document": "retrieval.passage"}
# Models from before version 3 know no tasks.
_WITHOUT_TASK = ("jina-embeddings-v2", "jina-clip-v1")


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    task = None if (ask.model or "").startswith(_WITHOUT_TASK) else _TASKS[ask.role]
    return {"input": list(ask.texts), **ask.given(model=ask.model, task=task, dimensions=ask.dimensions)}


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts), "return_documents": False}


def read_scores(reply: Any, count: int) -> list[float]:
    return scored(part(reply, "results", list), count, "relevance_score")


def scored(items: list[Any], count: int, name: str) -> list[float]:
    """The number ``name`` of each result by its ``index``, which ranked results can't do without."""
    for item in items:
        part(item, "index", int)
    return in_order(items, count, lambda item: number(item.get(name), name))


EMBEDDINGS = Embeddings("jina", "embeddings", body, openai.read, base=_BASE, model="jina-embeddings-v3")
SCORES = Scores("jina", "rerank", score_body, read_scores, base=_BASE, model="jina-reranker-v2-base-multilingual")
