"""Values from a language model: asked, checked, asked again with what was wrong, within a deadline and a budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from hearth.errors import BadReply, Unavailable
from hearth.models.http.refusal import RefusedInput
from hearth.models.llm import reply
from hearth.models.llm.provider import Completion, CompletionProvider, CompletionRequest
from hearth.models.llm.schema import strict_schema
from hearth.models.llm.usage import UsageLedger
from hearth.text.budget import estimate_tokens

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3
_NO_THINK = "/no_think"


class StructuredLlm:
    """Implements ``ports.Llm``. ``seconds`` is the deadline of a call with its repetitions; ``no_think`` asks models
    that think aloud not to. Thread-safe."""

    def __init__(
        self,
        provider: CompletionProvider,
        usage: UsageLedger,
        *,
        seconds: float,
        no_think: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.usage = usage
        self._provider = provider
        self._seconds = seconds
        self._no_think = no_think
        self._now = now

    @property
    def name(self) -> str:
        return self._provider.name

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The reply as a value of ``schema``. Raises ``Unavailable`` (not to be had now, the budget included) or
        ``BadReply`` (three answers, none of which fits)."""
        until = self._now() + self._seconds
        shape = strict_schema(schema)
        fault = ""
        tried = 0
        while tried < ATTEMPTS and (left := until - self._now()) > 0:
            tried += 1
            try:
                return reply.read(self._ask(CompletionRequest(self._word(prompt, fault), shape, left)), schema)
            except RefusedInput:
                raise
            except BadReply as error:
                fault = error.said
            except Unavailable:
                if not fault:
                    raise
                break
        late = "" if tried == ATTEMPTS else f" within {self._seconds:g} s"
        times = "1 reply" if tried == 1 else f"{tried} replies"
        raise BadReply(f"{self.name} gave no usable answer in {times}{late}; the last: {fault}")

    def close(self) -> None:
        self._provider.close()

    def _ask(self, request: CompletionRequest) -> str:
        self.usage.begin()
        spent = estimate_tokens(request.prompt)
        try:
            done = self._provider.ask(request)
            spent = _cost(done, spent)
        finally:
            self.usage.add(spent)
        return done.text

    def _word(self, prompt: str, fault: str) -> str:
        if fault:
            prompt += f"\n\nYour previous reply could not be used: {fault}. Reply again, with one JSON object alone."
        return f"{prompt}\n{_NO_THINK}" if self._no_think and _NO_THINK not in prompt[-200:] else prompt


def _cost(done: Completion, asked: int) -> int:
    """Tokens, as the provider counts them, else by their usual length."""
    read = asked if done.read is None else done.read
    written = estimate_tokens(done.text) if done.written is None else done.written
    return read + written
