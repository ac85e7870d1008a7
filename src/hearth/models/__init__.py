"""Adapters of embedders, rerankers and language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.models import http, onnx

__all__ = ["http", "onnx"]

__getattr__ = modules(__name__, *__all__)
