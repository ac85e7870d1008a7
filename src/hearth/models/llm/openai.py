"""Chat completions as OpenAI has them, and as llama-server, Ollama, LM Studio, vLLM and most others do."""

from __future__ import annotations

from typing import Any

from hearth.core.errors import BadReply
from hearth.models.http.reply import part
from hearth.models.llm.served import Completion, CompletionRequest, Dialect


def _messages(prompt: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": prompt}]}


def by_schema(request: CompletionRequest) -> dict[str, Any]:
    shape = {"name": "reply", "strict": True, "schema": request.schema}
    return {**_messages(request.prompt), "response_format": {"type": "json_schema", "json_schema": shape}}


def by_schema_steadily(request: CompletionRequest) -> dict[str, Any]:
    """Some hosted models refuse a temperature."""
    return {**by_schema(request), "temperature": 0}


def as_json(request: CompletionRequest) -> dict[str, Any]:
    return {**_messages(request.explained), "response_format": {"type": "json_object"}}


def plainly(request: CompletionRequest) -> dict[str, Any]:
    return _messages(request.explained)


def read(reply: Any) -> Completion:
    choices = part(reply, "choices", list)
    if not choices:
        raise BadReply("the reply holds no choice")
    message = part(choices[0], "message", dict)
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(
            block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)
        )
    usage = reply.get("usage")
    # One that refuses, or only thinks, says nothing: what is to be done then is told where the text is read.
    return Completion(
        content if isinstance(content, str) else "", count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    )


def count(usage: Any, *names: str) -> int | None:
    """The sum of the counts of those names; ``None`` where the first is not there."""
    found = [usage.get(name) for name in names] if isinstance(usage, dict) else [None]
    if type(found[0]) is not int:
        return None
    return sum(number for number in found if type(number) is int)


DIALECT = Dialect(
    "openai",
    "chat/completions",
    "https://api.openai.com/v1",
    (by_schema_steadily, by_schema, as_json, plainly),
    read,
)
