"""OpenAI's shape: llama-server, Ollama, LM Studio, vLLM, OpenAI, OpenRouter, Mistral and many more."""

from __future__ import annotations

from typing import Any

from hearth.models.http.family import EmbeddingRequest, Embeddings, VectorRows
from hearth.models.http.reply import in_order, model_of, part


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"input": list(ask.texts), **ask.given(model=ask.model, dimensions=ask.dimensions)}


def read(reply: Any, count: int) -> VectorRows:
    items = part(reply, "data", list)
    return VectorRows(in_order(items, count, lambda item: part(item, "embedding", list)), model_of(reply))


EMBEDDINGS = Embeddings("openai", "embeddings", body, read, needs_model=False, templates=True)

HOSTED = "https://api.openai.com/v1"
HOSTED_MODEL = "text-embedding-3-small"
