"""What a family of servers has in common: addresses, limits, and the shapes of requests and replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from hearth.core.lazy import dataclass

Role = Literal["document", "query"]


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """What a request for vectors is made from; ``texts`` are as the model reads them."""

    texts: Sequence[str]
    role: Role
    model: str | None
    dimensions: int | None

    def given(self, **named: Any) -> dict[str, Any]:
        """The fields that have a value."""
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class VectorRows:
    """``vectors`` are as the server wrote them, in the order of the texts; ``model`` is who says it made them."""

    vectors: list[Any]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """``route`` may hold ``{model}``. ``templates``: the model sees what it is sent, so prompts go in front.
    ``longest`` gives the tokens that a model reads where the server would cut silently."""

    name: str
    route: str
    body: Callable[[EmbeddingRequest], dict[str, Any]]
    read: Callable[[Any, int], VectorRows]
    version: str = "v1"
    base: str | None = None
    model: str | None = None
    needs_model: bool = True
    batch: int = 50
    templates: bool = False
    key_header: str = "authorization"
    longest: Callable[[str], int] | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """``body`` takes question, texts and model. ``logits``: scores are raw and become probabilities by the logistic
    function. ``read`` gives one number a text, in the order of the texts."""

    name: str
    route: str
    body: Callable[[str, Sequence[str], str | None], dict[str, Any]]
    read: Callable[[Any, int], list[float]]
    version: str = "v1"
    base: str | None = None
    model: str | None = None
    needs_model: bool = True
    batch: int = 50
    logits: bool = False
    longest: int | None = None
