"""Messages as Anthropic has them: the reply is what the model hands to a tool that takes the schema."""

from __future__ import annotations

import json
from typing import Any

from hearth.models.http.reply import part
from hearth.models.llm.openai import count
from hearth.models.llm.served import Completion, CompletionRequest, Dialect

_MOST_TOKENS = 8_192
_TOOL = "reply"


def by_tool(request: CompletionRequest) -> dict[str, Any]:
    tool = {"name": _TOOL, "description": "Takes the reply.", "input_schema": request.schema}
    return {**_phrase(request.prompt), "tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}


def plainly(request: CompletionRequest) -> dict[str, Any]:
    return _phrase(request.explained)


def read(reply: Any) -> Completion:
    blocks = [block for block in part(reply, "content", list) if isinstance(block, dict)]
    given = next((block.get("input") for block in blocks if block.get("type") == "tool_use"), None)
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else "".join(texts)
    usage = reply.get("usage")
    asked = count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Completion(text, asked, count(usage, "output_tokens"))


def _phrase(prompt: str) -> dict[str, Any]:
    return {"max_tokens": _MOST_TOKENS, "messages": [{"role": "user", "content": prompt}]}


DIALECT = Dialect(
    "anthropic",
    "messages",
    "https://api.anthropic.com/v1",
    (by_tool, plainly),
    read,
    key_header="x-api-key",
    headers={"anthropic-version": "2023-06-01"},
)
