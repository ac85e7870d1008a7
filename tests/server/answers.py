"""What tests expect of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp_types import CallToolResult

Ask = Callable[..., CallToolResult]


def data(result: CallToolResult) -> dict[str, Any]:
    """What a call that worked gave, its two texts being the same; beside brief rows stands the beginning alone."""
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    [block] = result.content
    assert block.type == "text"
    rows = result.structured_content.get("results") or ()
    if any("start_line" in row or "path" not in row or "startLine" in row for row in rows) or not rows:
        assert block.text == result.structured_content["text"]
    else:
        assert block.text.startswith(result.structured_content["text"])
        assert all(row["docid"] in block.text for row in rows)
    return result.structured_content


def refused(result: CallToolResult, code: str) -> str:
    """What a call that failed with ``code`` said."""
    assert result.is_error, result.structured_content
    assert result.structured_content is None
    [block] = result.content
    assert block.type == "text"
    assert block.text.startswith(f"{code}: "), block.text
    assert "\nHint: " in block.text
    error = (result.meta or {})["hearth/error"]
    assert error["code"] == code
    return block.text
