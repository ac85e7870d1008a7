"""What each dialect sends and how its replies are read; the server refuses any field that it does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.models.http.server import RERANKING, ModelServer, texts_of

from hearth.config.tree import Embedding, RerankSettings
from hearth.core.errors import ConfigError
from hearth.models.http import HttpEmbedder, HttpReranker, open_embedder, open_reranker

TEXTS = ["We chose PostgreSQL over MongoDB.", "The cat sleeps.", "Backups run at night."]
PASSAGES = ["The cat sleeps.", "The service listens on port 8080.", "", "Port 22 is for ssh."]
Opened = Callable[..., HttpEmbedder]


@pytest.mark.parametrize("dialect", ["openai", "jina", "voyage", "cohere", "gemini", "tei"])
@pytest.mark.parametrize("role", ["query", "document"])
def test_each_dialect_is_spoken(server: ModelServer, opened: Opened, dialect: str, role: Any) -> None:
    server.dialect = dialect
    server.key = "key-for-tests"
    embedder = opened(key="key-for-tests", dialect=dialect, model="some-model", dimensions=16, api_key_env="K")
    vectors = embedder.embed(TEXTS, role)
    expected = np.array([server.vector(text)[:16] for text in TEXTS])
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert texts_of(server.bodies()[0]) == TEXTS


@pytest.mark.parametrize(
    ("dialect", "role", "fields"),
    [
        ("openai", "query", {"model": "m", "dimensions": 16}),
        ("jina", "query", {"model": "m", "task": "retrieval.query", "dimensions": 16}),
        ("jina", "document", {"model": "m", "task": "retrieval.passage", "dimensions": 16}),
        ("voyage", "query", {"model": "m", "input_type": "query", "truncation": False, "output_dimension": 16}),
        ("voyage", "document", {"model": "m", "input_type": "document", "truncation": False, "output_dimension": 16}),
        (
            "cohere",
            "document",
            {
                "model": "m",
                "input_type": "search_document",
                "embedding_types": ["float"],
                "truncate": "NONE",
                "output_dimension": 16,
            },
        ),
        ("tei", "query", {"truncate": False, "dimensions": 16}),
    ],
)
def test_a_request_holds_exactly_what_the_dialect_wants(
    server: ModelServer, opened: Opened, dialect: str, role: Any, fields: dict[str, Any]
) -> None:
    server.dialect = dialect
    opened(dialect=dialect, model="m", dimensions=16).embed(["one text"], role)
    body = server.bodies()[0]
    text_field = {"tei": "inputs", "cohere": "texts"}.get(dialect, "input")
    assert body == {text_field: ["one text"], **fields}


def test_gemini_gets_one_object_a_text_and_its_key_in_a_header_of_its_own(server: ModelServer, opened: Opened) -> None:
    server.dialect = "gemini"
    opened(key="google", dialect="gemini", model="models/gemini-embedding-001").embed(["a", "b"], "query")
    sent = server.sent[0]
    assert sent.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert sent.headers["x-goog-api-key"] == "google"
    assert "authorization" not in sent.headers
    assert sent.body["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "b"}]},
        "taskType": "RETRIEVAL_QUERY",
    }


def test_a_local_server_without_model_and_key_is_asked_for_nothing_else(server: ModelServer, opened: Opened) -> None:
    opened().embed(["a"], "document")
    (sent,) = server.sent
    assert (sent.method, sent.path, sent.body) == ("POST", "/v1/embeddings", {"input": ["a"]})
    assert "authorization" not in sent.headers


def test_ollama_by_its_own_route_is_told_not_to_cut(server: ModelServer, opened: Opened) -> None:
    server.dialect = "ollama"
    opened(url=f"{server.url}/api/embed", model="all-minilm").embed(["a"], "document")
    assert server.bodies() == [{"input": ["a"], "model": "all-minilm", "truncate": False}]


def test_custom_headers_go_along_and_may_replace_the_key(server: ModelServer, opened: Opened) -> None:
    headers = {"X-Title": "notes", "Authorization": "Token abc"}
    opened(key="unused", headers=headers).embed(["a"], "query")
    assert server.sent[0].headers["x-title"] == "notes"
    assert server.sent[0].headers["authorization"] == "Token abc"


def test_the_prompts_of_a_model_are_put_around_texts(server: ModelServer, opened: Opened) -> None:
    embedder = opened(model="nomic-embed-text")
    embedder.embed(["a"], "query")
    embedder.embed(["a"], "document")
    assert server.texts() == [["search_query: a"], ["search_document: a"]]


def test_a_dialect_with_roles_of_its_own_gets_texts_as_they_are(server: ModelServer, opened: Opened) -> None:
    server.dialect = "jina"
    opened(dialect="jina", model="nomic-embed-text").embed(["a"], "query")
    assert server.texts() == [["a"]]


def test_a_provider_needs_no_address_and_names_its_default_model() -> None:
    assert open_embedder(Embedding(dialect="voyage"), "k").fingerprint.startswith(
        "http:api.voyageai.com/v1/embeddings:"
    )
    hosted = open_embedder(Embedding(dialect="openai"), "k")
    assert hosted.fingerprint.startswith("http:api.openai.com/v1/embeddings:text-embedding-3-small:auto:")


def test_settings_that_cannot_work_are_refused_when_opening() -> None:
    with pytest.raises(ConfigError, match=r"embedding\.url"):
        open_embedder(Embedding(), None)
    with pytest.raises(ConfigError, match=r"rerank\.url"):
        open_reranker(RerankSettings(), None)
    with pytest.raises(ConfigError, match=r"embedding\.model"):
        open_embedder(Embedding(url="http://127.0.0.1:11434"), None)
    for name in ("Content-Length", "bad name", "Accept-Encoding"):
        with pytest.raises(ConfigError, match=r"embedding\.headers"):
            open_embedder(Embedding(url="http://127.0.0.1:1", headers={name: "x"}), None)


def test_the_fingerprint_tells_place_model_width_prompts_and_dialect_apart_and_no_key(opened: Opened) -> None:
    variants: list[dict[str, Any]] = [
        {"model": "m"},
        {"model": "n"},
        {"model": "m", "dimensions": 16},
        {"model": "m", "dialect": "tei"},
        {"model": "m", "url": "http://127.0.0.1:2/other"},
    ]
    prints = [opened(**given).fingerprint for given in variants]
    assert len(set(prints)) == len(prints)
    with_key = opened(key="one", api_key_env="ONE", model="m", headers={"x-org": "1"})
    assert with_key.fingerprint == prints[0]


# -- reranking ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", RERANKING)
def test_each_way_to_rerank_puts_the_answer_first(
    server: ModelServer, reranker: Callable[..., HttpReranker], dialect: str
) -> None:
    server.dialect = dialect
    scores = reranker(dialect=dialect, model=None).score("Which port does the service listen on?", PASSAGES)
    assert scores.dtype == np.float32
    assert scores.shape == (4,)
    assert scores.argmax() == 1
    assert scores[2] == 0
    assert ((scores >= 0) & (scores <= 1)).all()


@pytest.mark.parametrize(
    ("dialect", "fields"),
    [
        ("llama", {}),
        ("jina", {"model": "m", "return_documents": False}),
        ("voyage", {"model": "m", "truncation": False}),
        ("cohere", {"model": "m"}),
        ("tei", {"raw_scores": False, "truncate": False}),
    ],
)
def test_a_rerank_request_holds_exactly_what_the_dialect_wants(
    server: ModelServer, reranker: Callable[..., HttpReranker], dialect: str, fields: dict[str, Any]
) -> None:
    server.dialect = dialect
    reranker(dialect=dialect, model=None if dialect in ("llama", "tei") else "m").score("q?", ["a", "b"])
    assert server.bodies() == [{"query": "q?", "texts" if dialect == "tei" else "documents": ["a", "b"], **fields}]


def test_a_completion_is_asked_for_one_token_with_its_alternatives(
    server: ModelServer, reranker: Callable[..., HttpReranker]
) -> None:
    server.dialect = "completions"
    reranker(url=f"{server.url}/v1/completions").score("Which port?", ["Port 22.", "A cat."])
    first, second = server.bodies()
    assert first | {"prompt": ""} == {"prompt": "", "max_tokens": 1, "temperature": 0, "logprobs": 5}
    assert "Passage: Port 22." in first["prompt"]
    assert "Passage: A cat." in second["prompt"]


@pytest.mark.parametrize(
    ("logprobs", "score"),
    [
        ({"top_logprobs": [{" yes": -0.5, " no": -0.5}]}, 0.5),
        ({"top_logprobs": [{" Yes": -20.0, "yes": -20.0, "No": -0.01}]}, 0.0),
        ({"top_logprobs": [{"yes": -0.01, "maybe": -7.0}]}, 1.0),
        ({"content": [{"token": "no", "top_logprobs": [{"token": "no", "logprob": 0.0}]}]}, 0.5),
        ({"content": [{"top_logprobs": [{"token": "▁yes", "logprob": -0.1}, {"token": "no", "logprob": -9}]}]}, 1.0),
    ],
)
def test_both_shapes_of_logprobs_are_read(
    server: ModelServer, reranker: Callable[..., HttpReranker], logprobs: Any, score: float
) -> None:
    server.dialect = "completions"
    server.always = lambda reply: {"choices": [{"index": 0, "text": "", "logprobs": logprobs}]}
    assert reranker(dialect="completions").score("q", ["t"])[0] == pytest.approx(score, abs=0.01)
