"""The families of servers: how each asks for embeddings and scores, and which one a host belongs to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hearth.core.errors import BadReply
from hearth.models.http import transport
from hearth.models.http.embedding_codec import judgement
from hearth.models.http.protocol import (
    EmbeddingRequest,
    Embeddings,
    Scores,
    VectorRows,
    in_order,
    listed,
    model_of,
    number,
    part,
)


def _write_openai_body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"input": list(ask.texts), **ask.drop_empty(model=ask.model, dimensions=ask.dimensions)}


def _read_openai_vectors(reply: Any, count: int) -> VectorRows:
    items = part(reply, "data", list)
    return VectorRows(in_order(items, count, lambda item: part(item, "embedding", list)), model_of(reply))


OPENAI_EMBEDDINGS = Embeddings(
    "openai", "embeddings", _write_openai_body, _read_openai_vectors, needs_model=False, templates=True
)

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "text-embedding-3-small"


_JINA_BASE = "https://api.jina.ai/v1"
_JINA_TASKS = {"query": "retrieval.query", "document": "retrieval.passage"}
# Models from before version 3 know no tasks.
_WITHOUT_TASK = ("jina-embeddings-v2", "jina-clip-v1")


def _write_jina_body(ask: EmbeddingRequest) -> dict[str, Any]:
    task = None if (ask.model or "").startswith(_WITHOUT_TASK) else _JINA_TASKS[ask.role]
    return {"input": list(ask.texts), **ask.drop_empty(model=ask.model, task=task, dimensions=ask.dimensions)}


def _write_jina_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts), "return_documents": False}


def _read_jina_scores(reply: Any, count: int) -> list[float]:
    return scored(part(reply, "results", list), count, "relevance_score")


def scored(items: list[Any], count: int, name: str) -> list[float]:
    """The number ``name`` of each result by its ``index``, which ranked results can't do without."""
    for item in items:
        part(item, "index", int)
    return in_order(items, count, lambda item: number(item.get(name), name))


JINA_EMBEDDINGS = Embeddings(
    "jina", "embeddings", _write_jina_body, _read_openai_vectors, base=_JINA_BASE, model="jina-embeddings-v3"
)
JINA_SCORES = Scores(
    "jina",
    "rerank",
    _write_jina_score_body,
    _read_jina_scores,
    base=_JINA_BASE,
    model="jina-reranker-v2-base-multilingual",
)


_VOYAGE_BASE = "https://api.voyageai.com/v1"


def _write_voyage_body(ask: EmbeddingRequest) -> dict[str, Any]:
    named = ask.drop_empty(model=ask.model, output_dimension=ask.dimensions)
    return {"input": list(ask.texts), "input_type": ask.role, "truncation": False, **named}


def _write_voyage_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts), "truncation": False}


def _read_voyage_scores(reply: Any, count: int) -> list[float]:
    return scored(part(reply, "data", list), count, "relevance_score")


VOYAGE_EMBEDDINGS = Embeddings(
    "voyage", "embeddings", _write_voyage_body, _read_openai_vectors, base=_VOYAGE_BASE, model="voyage-4"
)
VOYAGE_SCORES = Scores(
    "voyage", "rerank", _write_voyage_score_body, _read_voyage_scores, base=_VOYAGE_BASE, model="rerank-2.5-lite"
)


_COHERE_BASE = "https://api.cohere.com/v2"
# Reranking cuts a document there (``max_tokens_per_doc``) and can't be told not to.
_LONGEST_DOCUMENT = 4096


def _write_cohere_body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {
        "texts": list(ask.texts),
        "input_type": f"search_{ask.role}",
        "embedding_types": ["float"],
        "truncate": "NONE",
        **ask.drop_empty(model=ask.model, output_dimension=ask.dimensions),
    }


def _read_cohere_vectors(reply: Any, count: int) -> VectorRows:
    rows = part(part(reply, "embeddings", dict), "float", list)
    return VectorRows(in_order(rows, count, lambda row: row))


def _write_cohere_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    return {"model": model, "query": query, "documents": list(texts)}


COHERE_EMBEDDINGS = Embeddings(
    "cohere", "embed", _write_cohere_body, _read_cohere_vectors, version="v2", base=_COHERE_BASE, model="embed-v4.0"
)
COHERE_SCORES = Scores(
    "cohere",
    "rerank",
    _write_cohere_score_body,
    _read_jina_scores,
    version="v2",
    base=_COHERE_BASE,
    model="rerank-v4.0-fast",
    longest=_LONGEST_DOCUMENT,
)


_GEMINI_TASKS = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


def _write_gemini_body(ask: EmbeddingRequest) -> dict[str, Any]:
    shared = {
        "model": f"models/{ask.model}",
        "taskType": _GEMINI_TASKS[ask.role],
        **ask.drop_empty(outputDimensionality=ask.dimensions),
    }
    return {"requests": [{"content": {"parts": [{"text": text}]}, **shared} for text in ask.texts]}


def _read_gemini_vectors(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(part(reply, "embeddings", list), count, lambda item: part(item, "values", list)))


def longest(model: str) -> int:
    """Tokens that a model reads; more is cut without a word."""
    return 2048 if model.endswith("-001") else 8192


GEMINI_EMBEDDINGS = Embeddings(
    "gemini",
    "models/{model}:batchEmbedContents",
    _write_gemini_body,
    _read_gemini_vectors,
    version="v1beta",
    base="https://generativelanguage.googleapis.com/v1beta",
    model="gemini-embedding-001",
    key_header="x-goog-api-key",
    longest=longest,
)


_BATCH = 32


def _write_tei_body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"inputs": list(ask.texts), "truncate": False, **ask.drop_empty(dimensions=ask.dimensions)}


def _read_tei_vectors(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(listed(reply), count, lambda row: row))


def _write_tei_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    del model
    return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": False}


def _read_tei_scores(reply: Any, count: int) -> list[float]:
    return scored(listed(reply), count, "score")


TEI_EMBEDDINGS = Embeddings(
    "tei", "embed", _write_tei_body, _read_tei_vectors, version="", needs_model=False, batch=_BATCH, templates=True
)
TEI_SCORES = Scores(
    "tei", "rerank", _write_tei_score_body, _read_tei_scores, version="", needs_model=False, batch=_BATCH
)


def _write_ollama_body(ask: EmbeddingRequest) -> dict[str, Any]:
    return {"input": list(ask.texts), "truncate": False, **ask.drop_empty(model=ask.model, dimensions=ask.dimensions)}


def _read_ollama_vectors(reply: Any, count: int) -> VectorRows:
    return VectorRows(in_order(part(reply, "embeddings", list), count, lambda row: row), model_of(reply))


OLLAMA_EMBEDDINGS = Embeddings(
    "ollama", "embed", _write_ollama_body, _read_ollama_vectors, version="api", templates=True
)
PORT = 11434


def _write_llama_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    named = {} if model is None else {"model": model}
    return {"query": query, "documents": list(texts), **named}


LLAMA_SCORES = Scores("llama", "rerank", _write_llama_score_body, _read_jina_scores, needs_model=False, logits=True)


# The most that OpenAI's own route gives.
_ALTERNATIVES = 5


def _write_completions_score_body(query: str, texts: Sequence[str], model: str | None) -> dict[str, Any]:
    (text,) = texts
    named = {} if model is None else {"model": model}
    return {
        "prompt": judgement(model, query, text),
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": _ALTERNATIVES,
        **named,
    }


def _read_completions_scores(reply: Any, count: int) -> list[float]:
    choices = part(reply, "choices", list)
    if len(choices) != count:
        raise BadReply(f"the reply holds {len(choices)} choices for {count} prompts")
    return [_yes(_alternatives(part(choice, "logprobs", dict))) for choice in choices]


def _alternatives(logprobs: dict[str, Any]) -> dict[str, float]:
    """Token -> log probability of the first place; OpenAI's and vLLM's table, or llama-server's list of objects."""
    first = (part(logprobs, "content" if "content" in logprobs else "top_logprobs", list) or [{}])[0]
    if isinstance(first, dict) and "top_logprobs" in first:
        items = [(part(item, "token", str), item.get("logprob")) for item in part(first, "top_logprobs", list)]
    elif isinstance(first, dict):
        items = list(first.items())
    else:
        raise BadReply("the reply's logprobs are not a table of tokens")
    return {token: number(value, "logprob") for token, value in items}


def _yes(alternatives: dict[str, float]) -> float:
    """P(yes) / (P(yes) + P(no)); one that is not listed counts as much as the least that is."""
    sums = {"yes": 0.0, "no": 0.0}
    for token, logprob in alternatives.items():
        word = token.strip(" \t\r\n▁Ġ\"'.").casefold()
        if word in sums:
            sums[word] += math.exp(min(0.0, logprob))
    if not any(sums.values()):
        raise BadReply("the model answered neither yes nor no; it can't rerank by /v1/completions")
    least = math.exp(min(0.0, min(alternatives.values())))
    yes, no = (value or least for value in sums.values())
    return yes / (yes + no)


COMPLETIONS_SCORES = Scores(
    "completions", "completions", _write_completions_score_body, _read_completions_scores, needs_model=False, batch=1
)


EMBEDDINGS = {
    family.name: family
    for family in (
        OPENAI_EMBEDDINGS,
        JINA_EMBEDDINGS,
        VOYAGE_EMBEDDINGS,
        COHERE_EMBEDDINGS,
        GEMINI_EMBEDDINGS,
        TEI_EMBEDDINGS,
        OLLAMA_EMBEDDINGS,
    )
}

SCORES = {
    family.name: family
    for family in (LLAMA_SCORES, JINA_SCORES, COHERE_SCORES, VOYAGE_SCORES, TEI_SCORES, COMPLETIONS_SCORES)
}

_HOSTS = {
    "api.jina.ai": "jina",
    "api.voyageai.com": "voyage",
    "ai.mongodb.com": "voyage",
    "api.cohere.com": "cohere",
    "api.cohere.ai": "cohere",
    "generativelanguage.googleapis.com": "gemini",
}

_OLLAMA = ((PORT, ""), (PORT, "/api"))


def embeddings(dialect: str | None, url: str | None) -> Embeddings:
    """The family that ``dialect`` names, else that of the address, else OpenAI's."""
    if dialect is not None or url is None:
        return EMBEDDINGS[dialect or "openai"]
    path = transport.path(url)
    name = _HOSTS.get(transport.host(url), "openai")
    if name == "gemini" and "/openai" in path:
        name = "openai"
    elif name == "openai" and (path.endswith("/api/embed") or (transport.port(url), path) in _OLLAMA):
        name = "ollama"
    elif name == "openai" and path.endswith("/embed"):
        name = "tei"
    return EMBEDDINGS[name]


def scores(dialect: str | None, url: str | None) -> Scores:
    """The family that ``dialect`` names, else that of the address, else llama-server's."""
    if dialect is not None or url is None:
        return SCORES[dialect or "llama"]
    name = "completions" if transport.path(url).endswith("/completions") else _HOSTS.get(transport.host(url), "llama")
    return SCORES.get(name, SCORES["llama"])
