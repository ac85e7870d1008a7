"""What a provider of language models is asked, and what it gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from hearth.lazy import dataclass

MAX_REPLY_CHARS = 256 * 1024
"""What a model has to say about a piece takes a few thousand; whoever says more is not answering."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """``schema`` is the JSON Schema of the reply, ``seconds`` how long it may take. The prompt may hold what somebody
    said, so it is not shown."""

    prompt: str = field(repr=False)
    schema: Mapping[str, Any]
    seconds: float

    @property
    def explained(self) -> str:
        """The prompt with the schema in words, for models that can't be held to one."""
        shape = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return f"{self.prompt}\n\nReply with one JSON object that fits this JSON Schema, and nothing else:\n{shape}"


@dataclass(frozen=True, slots=True)
class Completion:
    """``read`` and ``written`` are tokens, ``None`` where the provider does not say."""

    text: str = field(repr=False)
    read: int | None = None
    written: int | None = None


class CompletionProvider(Protocol):
    """Thread-safe; opening one does nothing that takes time."""

    name: str

    def ask(self, request: CompletionRequest) -> Completion:
        """Raises ``Unavailable`` (nothing to be had now) or ``BadReply`` (an answer that can't be read)."""

    def close(self) -> None: ...
