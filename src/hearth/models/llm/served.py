"""What every provider fills, and language models behind an HTTP server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from hearth.core.lazy import dataclass
from hearth.models.http.client import ModelClient
from hearth.models.http.reply import RefusedInput
from hearth.models.http.retry import CallTimeout
from hearth.models.http.transport import HttpRequest, ModelAddress

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


Body = Callable[[CompletionRequest], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Dialect:
    """``bodies`` are ways to ask, the one that holds the model to its schema best first: a server that refuses one is
    asked in the next from then on."""

    name: str
    route: str
    base: str
    bodies: Sequence[Body]
    read: Callable[[Any], Completion]
    key_header: str = "authorization"
    headers: Mapping[str, str] = field(default_factory=dict)
    version: str = "v1"


class ServedProvider:
    """Opening does no network. Thread-safe."""

    def __init__(self, dialect: Dialect, model: str | None, place: ModelAddress, client: ModelClient) -> None:
        self.name = f"{dialect.name}:{model or place.shown}"
        self.client = client
        self._dialect = dialect
        self._model = {} if model is None else {"model": model}
        self._url = place.url
        self._way = 0

    def __repr__(self) -> str:
        return f"ServedProvider({self.name})"

    def ask(self, request: CompletionRequest) -> Completion:
        """Raises ``Unavailable`` or ``BadReply``, of which ``RefusedInput`` says that repeating is no use."""
        until = self.client.now() + request.seconds
        patience = CallTimeout("completion", connect=5.0, read=request.seconds, total=request.seconds, retries=2)
        ways = self._dialect.bodies
        for way in range(self._way, len(ways)):
            sent = HttpRequest.of(self._url, self._model | ways[way](request))
            try:
                done = self.client.ask(sent, self._dialect.read, patience, until=until)
            except RefusedInput as error:
                if error.kind != "input" or way == len(ways) - 1:
                    raise
            else:
                self._way = way
                return done
        raise AssertionError("the last way returns or raises")

    def close(self) -> None:
        self.client.close()
