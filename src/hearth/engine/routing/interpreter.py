"""What a language model says of a question whose wording the rules can't tell: asked by whoever waits for a plan or for
what hangs together, never by a hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from hearth.engine.timeout import Timeout
from hearth.errors import HearthError, Unavailable
from hearth.ports import Clock

if TYPE_CHECKING:
    from hearth.extract.model.questions import QuestionReader

T = TypeVar("T")

PATIENCE_S = 8.0
"""How long a question waits for the model."""
REST_MS = 60_000
"""How long a model that could not be had is left alone."""


class Interpreter:
    """``load`` opens the model by the settings, when first used. Thread-safe."""

    def __init__(self, load: Callable[[], QuestionReader], clock: Clock, patience_s: float = PATIENCE_S) -> None:
        self._load, self._clock = load, clock
        self._patience_s = patience_s
        self._timeout = Timeout()
        self._rest_until = 0

    def ask(self, work: Callable[[QuestionReader], T | None]) -> tuple[T | None, tuple[str, ...]]:
        """What the model says, or nothing and why the answer goes without it. Never raises for the model's sake."""
        if self._clock() < self._rest_until:
            return None, ("the language model (it could not be had a moment ago)",)
        try:
            return self._timeout.call(lambda: work(self._load()), self._patience_s), ()
        except HearthError as error:
            if isinstance(error, Unavailable):
                self._rest_until = self._clock() + REST_MS
            return None, (f"the language model ({error.said})",)
