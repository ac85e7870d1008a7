"""Gemini: one request object a text, the model in the path, the key in a header of its own."""

from __future__ import annotations

from typing import Any

from hearth.models.http.family import EmbeddingRequest, Embeddings, VectorRows
from hearth.models.http.reply import in_order, part

_TASKS = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    shared = {
        "model": f"models/{ask.model}",
        "taskType": _TASKS[ask.role],
        **ask.given(outputDimensionality=ask.dimensions),
    }
    return {"requests": [{"content": {"parts": [{"text": text}]}, **shared} for text in ask.texts]}


def read(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(part(reply, "embeddings", list), count, lambda item: part(item, "values", list)))


def longest(model: str) -> int:
    """Tokens that a model reads; more is cut without a word."""
    return 2048 if model.endswith("-001") else 8192


EMBEDDINGS = Embeddings(
    "gemini",
    "models/{model}:batchEmbedContents",
    body,
    read,
    version="v1beta",
    base="https://generativelanguage.googleapis.com/v1beta",
    model="gemini-embedding-001",
    key_header="x-goog-api-key",
    longest=longest,
)
