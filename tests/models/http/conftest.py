from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.models.http.server import ModelServer

from hearth.config.tree import Embedding, RerankSettings
from hearth.models.http import HttpEmbedder, HttpReranker, open_embedder, open_reranker
from hearth.models.http.protocol import DOCUMENT, QUERY, RERANK, CallTimeout, Timing


class StillClock:
    """Seconds that pass only by waiting; ``waits`` are those that were waited."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        assert seconds > 0
        self.waits.append(seconds)
        self.seconds += seconds

    @property
    def timing(self) -> Timing:
        return Timing(lambda: self.seconds, self.wait, lambda: 1.0)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.stop()


@pytest.fixture
def opened(server: ModelServer, clock: StillClock) -> Iterator[Callable[..., HttpEmbedder]]:
    """An embedder of the server: settings by name, and ``key``, ``served``, ``timing``, ``patience``."""
    made: list[HttpEmbedder] = []

    def make(key: str | None = None, **given: Any) -> HttpEmbedder:
        options: dict[str, Any] = {"timing": clock.timing}
        options |= {name: given.pop(name) for name in ("served", "timing", "patience") if name in given}
        settings = {"provider": "http", "url": server.url, **given}
        made.append(open_embedder(Embedding(**settings), key, **options))
        return made[-1]

    yield make
    for embedder in made:
        embedder.close()


@pytest.fixture
def reranker(server: ModelServer, clock: StillClock) -> Iterator[Callable[..., HttpReranker]]:
    made: list[HttpReranker] = []

    def make(key: str | None = None, **given: Any) -> HttpReranker:
        settings = {"provider": "http", "url": server.url, **given}
        made.append(open_reranker(RerankSettings(**settings), key, timing=clock.timing))
        return made[-1]

    yield make
    for each in made:
        each.close()


def quick(patience: CallTimeout = DOCUMENT, **given: float) -> dict[str, CallTimeout]:
    """Both roles with short real times, for servers that stall."""
    from dataclasses import replace

    hasty = replace(patience, **{"connect": 0.5, "read": 0.1, "total": 0.3, "retries": 0, **given})  # type: ignore[arg-type]
    return {"query": hasty, "document": hasty}


__all__ = ["QUERY", "RERANK", "StillClock", "quick"]
