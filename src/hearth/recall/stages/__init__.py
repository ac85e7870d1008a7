"""Stages: each reorders, thins out or packs what the lanes found, in the order that a recipe gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.recall.stages import walk

__all__ = ["walk"]

__getattr__ = modules(__name__, *__all__)
