"""The built-in embedder: a small table of token vectors, no model run time, no download."""

from __future__ import annotations

from hearth.models.static.embedder import StaticEmbedder

__all__ = ["StaticEmbedder"]
