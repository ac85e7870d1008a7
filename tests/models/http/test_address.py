from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.errors import ConfigError
from hearth.models.http.families import embeddings, scores
from hearth.models.http.transport import resolve


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/embeddings"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/embeddings"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/embeddings"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/embeddings"),
        ("http://127.0.0.1:8080/v1/embeddings", "http://127.0.0.1:8080/v1/embeddings"),
        ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/embeddings"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/embeddings"),
        ("https://api.deepinfra.com/v1/openai", "https://api.deepinfra.com/v1/openai/embeddings"),
        ("https://open.bigmodel.cn/api/paas/v4", "https://open.bigmodel.cn/api/paas/v4/embeddings"),
        ("https://x.test/v1beta/openai/", "https://x.test/v1beta/openai/embeddings"),
        ("https://x.test/models/v1x", "https://x.test/models/v1x/v1/embeddings"),
        (
            "https://x.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21",
            "https://x.openai.azure.com/openai/deployments/small/embeddings?api-version=2024-10-21",
        ),
        ("http://[::1]:9/v1", "http://[::1]:9/v1/embeddings"),
    ],
)
def test_a_base_is_completed_and_no_version_doubled(base: str, url: str) -> None:
    assert resolve(base, "v1", "embeddings").url == url


@pytest.mark.parametrize("base", ["http://h:3000", "http://h:3000/v1", "http://h:3000/embed", "http://h:3000/v1/"])
def test_a_route_beside_the_versions_gets_none(base: str) -> None:
    assert resolve(base, "", "embed").url == "http://h:3000/embed"


@pytest.mark.parametrize("base", ["http://h:11434", "http://h:11434/api", "http://h:11434/api/embed"])
def test_the_native_route_of_ollama_is_found_from_any_beginning(base: str) -> None:
    family = embeddings(None, base)
    assert resolve(base, family.version, family.route).url == "http://h:11434/api/embed"


@given(
    st.sampled_from(["", "/api", "/v1", "/v2", "/a/v1/b", "/v1beta"]),
    st.sampled_from([("v1", "embeddings"), ("v2", "embed"), ("", "rerank"), ("api", "embed")]),
)
def test_completing_twice_changes_nothing(path: str, target: tuple[str, str]) -> None:
    once = resolve(f"http://h:1{path}", *target)
    assert resolve(once.url, *target) == once


def test_equal_places_are_shown_equal_whatever_was_written() -> None:
    written = ["https://API.Example.com", "https://api.example.com:443/v1", "https://api.example.com/v1/embeddings?a=b"]
    assert {resolve(base, "v1", "embeddings").shown for base in written} == {"api.example.com/v1/embeddings"}


def test_a_query_goes_with_neighbours_and_is_never_shown() -> None:
    place = resolve("https://h.test/v1?sig=abc", "v1", "embeddings")
    assert place.beside("files") == "https://h.test/v1/files?sig=abc"
    assert "abc" not in place.shown


@pytest.mark.parametrize("base", ["ftp://h", "http://", "http://user:secret@h/v1", "http://h:99999", "h:8080"])
def test_what_is_no_address_is_refused_without_showing_it(base: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(base, "v1", "embeddings")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1:8080/v1", "openai"),
        ("http://127.0.0.1:11434/v1", "openai"),
        ("http://127.0.0.1:11434", "ollama"),
        ("http://127.0.0.1:3000/embed", "tei"),
        ("https://api.openai.com/v1", "openai"),
        ("https://api.jina.ai", "jina"),
        ("https://api.voyageai.com/v1", "voyage"),
        ("https://ai.mongodb.com/v1", "voyage"),
        ("https://api.cohere.com/v2/embed", "cohere"),
        ("https://generativelanguage.googleapis.com", "gemini"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "openai"),
        ("https://api.jina.ai.example.com/v1", "openai"),
    ],
)
def test_the_host_tells_the_dialect(url: str, name: str) -> None:
    assert embeddings(None, url).name == name


def test_the_dialect_that_is_named_wins_over_the_host() -> None:
    assert embeddings("tei", "https://api.jina.ai/v1").name == "tei"
    assert scores("completions", "https://api.jina.ai/v1").name == "completions"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1:8080", "llama"),
        ("https://api.jina.ai/v1", "jina"),
        ("https://api.cohere.com", "cohere"),
        ("https://api.voyageai.com", "voyage"),
        ("http://127.0.0.1:8080/v1/completions", "completions"),
        ("https://generativelanguage.googleapis.com", "llama"),
    ],
)
def test_the_host_tells_how_to_rerank(url: str, name: str) -> None:
    assert scores(None, url).name == name
