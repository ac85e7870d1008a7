"""A vault in use: its folders indexed, its journal folded, its documents read, its vector spaces kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.vault import documents, linking

__all__ = ["documents", "linking"]

__getattr__ = modules(__name__, *__all__)
