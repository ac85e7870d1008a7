"""Embeddings and reranking by any HTTP server: llama-server, Ollama, vLLM, TEI and the hosted services."""

from __future__ import annotations

from hearth.models.http.embedder import HttpEmbedder
from hearth.models.http.opening import open_embedder, open_reranker
from hearth.models.http.reranker import HttpReranker

__all__ = ["HttpEmbedder", "HttpReranker", "open_embedder", "open_reranker"]
