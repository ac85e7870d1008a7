"""Models behind HTTP: what is sent in each dialect, and how the reply is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from hearth.lazy import dataclass
from hearth.models.http.client import ModelClient
from hearth.models.http.refusal import RefusedInput
from hearth.models.http.transport.address import ModelAddress
from hearth.models.http.transport.timeout import CallTimeout
from hearth.models.http.transport.transport import HttpRequest
from hearth.models.llm.provider import Completion, CompletionRequest

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
