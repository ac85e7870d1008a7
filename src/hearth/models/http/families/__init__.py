"""The families of servers, and which one a host belongs to."""

from __future__ import annotations

from hearth.models.http import transport
from hearth.models.http.families import cohere, completions, gemini, jina, llama, ollama, openai, tei, voyage
from hearth.models.http.family import Embeddings, Scores

EMBEDDINGS = {
    family.name: family
    for family in (openai.EMBEDDINGS, jina.EMBEDDINGS, voyage.EMBEDDINGS, cohere.EMBEDDINGS, gemini.EMBEDDINGS)
} | {family.name: family for family in (tei.EMBEDDINGS, ollama.EMBEDDINGS)}

SCORES = {
    family.name: family
    for family in (llama.SCORES, jina.SCORES, cohere.SCORES, voyage.SCORES, tei.SCORES, completions.SCORES)
}

_HOSTS = {
    "api.jina.ai": "jina",
    "api.voyageai.com": "voyage",
    "ai.mongodb.com": "voyage",
    "api.cohere.com": "cohere",
    "api.cohere.ai": "cohere",
    "generativelanguage.googleapis.com": "gemini",
}

_OLLAMA = ((ollama.PORT, ""), (ollama.PORT, "/api"))


def embeddings(dialect: str | None, url: str | None) -> Embeddings:
    """The family that ``dialect`` names, else that of the address, else OpenAI's."""
    if dialect is not None or url is None:
        return EMBEDDINGS[dialect or "openai"]
    path = transport.path(url)
    name = _HOSTS.get(transport.host(url), "openai")
    if name == "gemini" and "/openai" in path:
        name = "openai"
    elif name == "openai" and (path.endswith("/api/embed") or (transport.port(url), path) in _OLLAMA):
        name = "ollama"
    elif name == "openai" and path.endswith("/embed"):
        name = "tei"
    return EMBEDDINGS[name]


def scores(dialect: str | None, url: str | None) -> Scores:
    """The family that ``dialect`` names, else that of the address, else llama-server's."""
    if dialect is not None or url is None:
        return SCORES[dialect or "llama"]
    name = "completions" if transport.path(url).endswith("/completions") else _HOSTS.get(transport.host(url), "llama")
    return SCORES.get(name, SCORES["llama"])
