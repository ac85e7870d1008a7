"""Ollama's own route, which can refuse a text too long; its OpenAI shape cuts it silently."""

from __future__ import annotations

from typing import Any

from hearth.models.http.family import EmbeddingRequest, Embeddings, VectorRows
from hearth.models.http.reply import in_order, model_of, part


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"input": list(ask.texts), "truncate": False, **ask.given(model=ask.model, dimensions=ask.dimensions)}


def read(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(part(reply, "embeddings", list), count, lambda row: row), model_of(reply))


EMBEDDINGS = Embeddings("ollama", "embed", body, read, version="api", templates=True)
PORT = 11434
