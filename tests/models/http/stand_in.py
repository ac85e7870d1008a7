"""Embedders and rerankers that talk to a ``ModelServer`` of their own, for the contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from tests.models.http.server import ModelServer

from hearth.config.tree import Embedding, RerankSettings
from hearth.models.http import HttpEmbedder, HttpReranker, open_embedder, open_reranker


@contextmanager
def http_embedders() -> Iterator[Callable[[], HttpEmbedder]]:
    """Makes embedders of one server; all end with it."""
    with ExitStack() as stack:
        server = ModelServer()
        stack.callback(server.stop)
        yield lambda: stack.enter_context(closing(open_embedder(Embedding(url=server.url), None)))


@contextmanager
def http_rerankers() -> Iterator[Callable[[], HttpReranker]]:
    """Makes rerankers of one server; all end with it."""
    with ExitStack() as stack:
        server = ModelServer("llama")
        stack.callback(server.stop)
        yield lambda: stack.enter_context(closing(open_reranker(RerankSettings(url=server.url), None)))
