"""The models that the settings choose, opened when first used; their packages are imported only then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hearth import models
from hearth.config.tree import Config, Embedding
from hearth.core.errors import ConfigError, Unavailable
from hearth.core.lazy import dataclass
from hearth.ports import Embedder, Reranker

if TYPE_CHECKING:
    from hearth.models.http import HttpEmbedder
    from hearth.models.http.batch import BatchJob


@dataclass(frozen=True, slots=True)
class KnownModel:
    """What is known of a model from before: the name by which its server answered, and the width of its vectors."""

    served: str | None
    dimensions: int


class ChosenModels:
    """``key`` reads the variable that a setting names, ``remembered`` looks a model up by its fingerprint; ``cache`` is
    the cache folder of all vaults. Thread-safe."""

    def __init__(
        self,
        config: Config,
        key: Callable[[str | None], str | None],
        remembered: Callable[[str], KnownModel | None],
        cache: Path,
    ) -> None:
        self._config = config
        self._key = key
        self._remembered = remembered
        self._cache = cache
        self._embedder: Embedder | None = None
        self._opening = threading.Lock()

    def embedder(self) -> Embedder:
        """Raises ``Unavailable`` that says what is missing, ``NotFound`` or ``ConfigError``."""
        with self._opening:
            if self._embedder is None:
                self._embedder = self._open(self._remembered)
            return self._embedder

    def embedder_anew(self) -> Embedder:
        """Opened again and without what is remembered, in case another model answers in its place."""
        with self._opening:
            self.close()
            self._embedder = self._open(lambda fingerprint: None)
            return self._embedder

    def _open(self, remembered: Callable[[str], KnownModel | None]) -> Embedder:
        given = self._config.embedding
        if given.provider == "onnx":
            return models.onnx.open_embedder(given.model, models.onnx.models_folder(self._cache))
        return _http_embedder(given, self._needed_key(given.api_key_env, given.url), remembered)

    def reranker(self) -> Reranker:
        """Raises as ``embedder`` does."""
        given = self._config.rerank
        if given.provider == "onnx":
            return models.onnx.open_reranker(given.model, models.onnx.models_folder(self._cache))
        key = self._needed_key(given.api_key_env, given.url)
        return models.http.open_reranker(given, key)

    def backfill(self, embedder: Embedder, folder: Path) -> BatchJob | None:
        """The provider's batch service with its state in ``folder``, where the settings ask for it. Raises
        ``ConfigError`` where there is none."""
        if not self._config.embedding.batch_api:
            return None
        from hearth.models.http.batch import BatchJob

        if not isinstance(embedder, models.http.HttpEmbedder):
            raise ConfigError("embedding.batch_api needs embedding.provider http; set it to false")
        return BatchJob(embedder, folder)

    def close(self) -> None:
        """A model on a server holds connections; one on this machine has nothing to close."""
        close = getattr(self._embedder, "close", None)
        if close is not None:
            close()

    def _needed_key(self, variable: str | None, url: str | None) -> str | None:
        key = self._key(variable)
        if variable and key is None:
            raise Unavailable(f"the variable {variable} is not set; set it to the key of {url or 'the provider'}")
        return key


def _http_embedder(given: Embedding, key: str | None, remembered: Callable[[str], KnownModel | None]) -> HttpEmbedder:
    from hearth.models.http.embedding_codec import ServedModel

    embedder = models.http.open_embedder(given, key)
    known = remembered(embedder.fingerprint)
    if known is None:
        return embedder
    return models.http.open_embedder(given, key, served=ServedModel(known.served, known.dimensions))
