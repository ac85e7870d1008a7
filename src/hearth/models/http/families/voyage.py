"""Voyage: ``input_type`` tells a question from a document, and ``truncation`` has to be switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hearth.models.http.families import openai
from hearth.models.http.families.jina import scored
from hearth.models.http.family import EmbeddingRequest, Embeddings, Scores
from hearth.models.http.reply import part

_BASE = "https://api.voyageai.com/v1"


def body(ask: EmbeddingRequest) -> dict[str, Any]:
    named = ask.given(model=ask.model, output_dimension=ask.dimensions)
    return {"input": list(ask.texts), "input_type": ask.role, "truncation": False, **named}


def score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts), "truncation": False}


def read_scores(reply: Any, count: int) -> list[float]:
    return scored(part(reply, "data", list), count, "relevance_score")


EMBEDDINGS = Embeddings("voyage", "embeddings", body, openai.read, base=_BASE, model="voyage-4")
SCORES = Scores("voyage", "rerank", score_body, read_scores, base=_BASE, model="rerank-2.5-lite")
