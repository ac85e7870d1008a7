"""Long texts in what a host says, cut so that it fits into a request. Standard library only."""

from __future__ import annotations

import json
from typing import Any

# Prompts and tools' inputs are cut to this; what names something (an id, a path) is never as long.
LONGEST = 32_768
_DEEPEST = 32


def shortened(raw: str) -> str:
    """The same JSON with its texts cut; as it was where it is no JSON."""
    try:
        return json.dumps(_cut(json.loads(raw), _DEEPEST), ensure_ascii=False)
    except (ValueError, RecursionError):
        return raw


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, dict):
        return {key: _cut(item, depth - 1) for key, item in value.items()} if depth else {}
    if isinstance(value, list):
        return [_cut(item, depth - 1) for item in value] if depth else []
    return value
