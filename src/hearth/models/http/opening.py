"""From settings to an embedder or reranker; no network yet."""

from __future__ import annotations

from hearth.config.tree import Embedding, RerankSettings
from hearth.core.errors import ConfigError
from hearth.models.http import families, transport
from hearth.models.http.client import ModelClient
from hearth.models.http.embedder import HttpEmbedder
from hearth.models.http.embedding_codec import EmbeddingCodec, ServedModel
from hearth.models.http.families import openai
from hearth.models.http.family import Embeddings, Role
from hearth.models.http.reranker import HttpReranker
from hearth.models.http.retry import DOCUMENT, QUERY, RERANK, CallTimeout, Pace, Timing
from hearth.models.http.transport import Headers, Key, RemoteServer


def open_embedder(
    config: Embedding,
    key: str | None,
    *,
    served: ServedModel | None = None,
    timing: Timing | None = None,
    patience: dict[Role, CallTimeout] | None = None,
) -> HttpEmbedder:
    """The embedder of the settings; ``key`` is what ``config.api_key_env`` holds.

    ``served`` is who answered in an earlier process (``HttpEmbedder.served``): another model under the same address is
    then found at the first reply. Raises ``ConfigError`` for settings that can't work; does no network.
    """
    family = families.embeddings(config.dialect, config.url)
    base = _base(config, family)
    model = config.model or family.model
    if model is not None and "{model}" in family.route:
        model = model.removeprefix("models/")
    if model is None and transport.host(base) == transport.host(openai.HOSTED):
        model = openai.HOSTED_MODEL
    if model is None and family.needs_model:
        raise ConfigError(f"embedding.model is not set, and {family.name} needs one")
    place = transport.resolve(base, family.version, family.route.format(model=model))
    timing = timing or Timing()
    server = RemoteServer(
        "embedding",
        place.shown,
        Key(key, config.api_key_env),
        Headers(config.headers, "embedding.headers"),
        family.key_header,
        place.loopback,
    )
    # One's own machine bills nobody: only a pace that was set on purpose slows it down.
    unpaced = place.loopback and config.tokens_per_minute == Embedding().tokens_per_minute
    pace = Pace(None if unpaced else config.tokens_per_minute, timing)
    speech = EmbeddingCodec(family, model, config.dimensions, served)
    return HttpEmbedder(
        speech, place, ModelClient(server, pace, timing), patience or {"query": QUERY, "document": DOCUMENT}
    )


def _base(config: Embedding, family: Embeddings) -> str:
    base = config.url or family.base or (openai.HOSTED if config.dialect == "openai" else None)
    if base is None:
        raise ConfigError("embedding.url is not set; give the address of the server, such as http://127.0.0.1:8080/v1")
    return base


def open_reranker(
    config: RerankSettings, key: str | None, *, timing: Timing | None = None, patience: CallTimeout = RERANK
) -> HttpReranker:
    """The reranker of the settings; ``key`` is what ``config.api_key_env`` holds.

    Raises ``ConfigError`` for settings that can't work; does no network."""
    family = families.scores(config.dialect, config.url)
    base = config.url or (family.base if config.dialect else None)
    if base is None:
        raise ConfigError("rerank.url is not set; give the address of the server, such as http://127.0.0.1:8080/v1")
    model = config.model or family.model
    place = transport.resolve(base, family.version, family.route)
    timing = timing or Timing()
    server = RemoteServer(
        "rerank",
        place.shown,
        Key(key, config.api_key_env),
        Headers(config.headers, "rerank.headers"),
        loopback=place.loopback,
    )
    return HttpReranker(family, model, place, ModelClient(server, Pace(None, timing), timing), patience)
