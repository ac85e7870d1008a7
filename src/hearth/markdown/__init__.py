"""Markdown read as memory: frontmatter, description, fragments, links. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearth.core.lazy import modules

if TYPE_CHECKING:
    from hearth.markdown import kinds

__all__ = ["kinds"]

__getattr__ = modules(__name__, *__all__)

FRAGMENTS = 9
"""Part of the index fingerprint: change it with the rules of ``fragments`` and ``turns``."""
DESCRIPTION = 17
"""Part of the index fingerprint: change it with the rules of ``description``."""

DEFAULT_WORDS = 120
DEFAULT_OVERLAP = 50
