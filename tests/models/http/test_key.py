"""The key is sent to its server and shown nowhere."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.models.http.conftest import quick
from tests.models.http.server import Answer, ModelServer

from hearth.core.errors import BadReply, HearthError, Unavailable
from hearth.models.http import HttpEmbedder, HttpReranker

Opened = Callable[..., HttpEmbedder]
KEY = "sk-test-0123456789abcdef"
HEADER = "header-secret-42"


def told(error: BaseException | None) -> Iterator[str]:
    """Everything that an error and those before it can show, attributes of httpx's requests included."""
    while error is not None:
        yield from (str(error), repr(error), repr(error.args), repr(vars(error)))
        request: Any = getattr(error, "_request", None)
        if request is not None:
            yield repr(list(request.headers.raw))
        error = error.__cause__ or error.__context__


def refusals() -> dict[str, Any]:
    echo = {"error": {"message": f"Incorrect API key provided: {KEY} ({HEADER})"}}
    return {
        "401": Answer.of(echo, 401),
        "403": Answer.of(echo, 403),
        "400": Answer.of(echo, 400),
        "404": Answer.of(echo, 404),
        "500": Answer.of(echo, 500),
        "redirect": Answer(307, b"", {"location": "http://elsewhere.test/x"}),
        "reset": "reset",
        "stall": "stall",
        "text": Answer(418, f"teapot {KEY} {HEADER}".encode()),
        "NaN": lambda reply: {"data": [{"index": 0, "embedding": [None]}], "model": KEY},
        "model": lambda reply: reply | {"model": KEY},
        "html": Answer(200, KEY.encode()),
    }


@pytest.mark.parametrize("name", refusals())
def test_no_error_log_or_repr_shows_the_key(
    server: ModelServer, opened: Opened, caplog: pytest.LogCaptureFixture, capfd: Any, name: str
) -> None:
    caplog.set_level(logging.DEBUG)
    headers = {"X-Token": HEADER}
    read = 0.1 if name == "stall" else 10
    embedder = opened(key=KEY, api_key_env="TEST_KEY", headers=headers, patience=quick(read=read, total=60, retries=1))
    if name != "stall":
        embedder.embed(["first"], "document")
    server.scripts.extend([refusals()[name]] * 3)
    with pytest.raises(HearthError) as caught:
        embedder.embed(["a"], "document")
    assert server.sent[-1].headers["authorization"] == f"Bearer {KEY}"
    shown = [*told(caught.value), "".join(traceback.format_exception(caught.value)), caplog.text, *capfd.readouterr()]
    shown += [repr(embedder), repr(embedder.client), repr(embedder.client.server), repr(embedder.speech)]
    for text in shown:
        assert KEY not in text
        assert HEADER not in text


def test_a_refused_key_is_named_by_its_variable(server: ModelServer, opened: Opened) -> None:
    server.key = "another"
    with pytest.raises(Unavailable, match=r"HTTP 401.*put a valid key into TEST_KEY") as caught:
        opened(key=KEY, api_key_env="TEST_KEY").embed(["a"], "document")
    assert KEY not in str(caught.value)
    assert len(server.sent) == 1


def test_a_server_that_wants_a_key_says_which_setting_names_it(server: ModelServer, opened: Opened) -> None:
    server.key = "another"
    with pytest.raises(Unavailable, match=r"embedding\.api_key_env"):
        opened().embed(["a"], "document")


@pytest.mark.parametrize("key", [None, "", "  \n"])
def test_a_variable_that_is_not_set_is_named_before_anything_is_sent(
    server: ModelServer, opened: Opened, key: str | None
) -> None:
    with pytest.raises(Unavailable, match=r"TEST_KEY is not set"):
        opened(key=key, api_key_env="TEST_KEY").embed(["a"], "document")
    assert server.sent == []


def test_a_key_with_a_line_end_is_trimmed_and_one_that_cannot_be_sent_is_not_shown(
    server: ModelServer, opened: Opened
) -> None:
    opened(key=f"{KEY}\n", api_key_env="TEST_KEY").embed(["a"], "document")
    assert server.sent[0].headers["authorization"] == f"Bearer {KEY}"
    for key in (f"{KEY}\nX: y", f"{KEY} two", f"{KEY}é"):
        with pytest.raises(Unavailable, match=r"TEST_KEY contains characters that no key has") as caught:
            opened(key=key, api_key_env="TEST_KEY").embed(["a"], "document")
        assert all(KEY not in text for text in told(caught.value))


def test_a_key_is_neither_copied_nor_written(opened: Opened) -> None:
    key = opened(key=KEY).client.server.key
    for spread in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            spread(key)


def test_the_address_of_a_question_mark_is_sent_and_not_shown(server: ModelServer, opened: Opened) -> None:
    embedder = opened(url=f"{server.url}/v1?sig=hidden-part")
    embedder.embed(["a"], "document")
    assert server.sent[0].path == "/v1/embeddings?sig=hidden-part"
    server.scripts.append(Answer.of({"error": "no"}, 404))
    with pytest.raises(Unavailable) as caught:
        embedder.embed(["a"], "document")
    assert "hidden-part" not in str(caught.value) + embedder.fingerprint + repr(embedder)


def test_a_reranker_hides_its_key_too(server: ModelServer, reranker: Callable[..., HttpReranker]) -> None:
    server.dialect = "llama"
    server.key = "another"
    made = reranker(key=KEY, api_key_env="TEST_KEY")
    with pytest.raises(Unavailable, match=r"rerank server.*TEST_KEY") as caught:
        made.score("q", ["a"])
    assert all(KEY not in text for text in [*told(caught.value), repr(made)])
    server.scripts.append(Answer(200, b"{"))
    with pytest.raises(BadReply):
        made.score("q", ["a"])
