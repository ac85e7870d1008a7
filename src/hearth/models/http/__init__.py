"""Embeddings and reranking by any HTTP server: llama-server, Ollama, vLLM, TEI and the hosted services."""

from __future__ import annotations

from hearth.models.http.models import HttpEmbedder, HttpReranker, open_embedder, open_reranker

__all__ = ["HttpEmbedder", "HttpReranker", "open_embedder", "open_reranker"]
