"""Where a secret stands, and by which rule it was found."""

from __future__ import annotations

Span = tuple[int, int, str]
"""Half-open range of the text, and the name of the rule."""
