from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tests.models.http.server import WIDTH, Answer, ModelServer, packed

from hearth.core.errors import BadReply, Unavailable
from hearth.models.http import HttpEmbedder
from hearth.models.http.embedding_codec import ServedModel
from hearth.models.http.models import BATCH_TOKENS
from hearth.text.lines import estimate_tokens

Opened = Callable[..., HttpEmbedder]
TEXTS = ["We chose PostgreSQL over MongoDB.", "The cat sleeps.", "Backups run at night."]


def numbered(count: int) -> list[str]:
    return [f"note number {at} tells of word{at}" for at in range(count)]


def bend(change: Callable[[list[Any]], None]) -> Callable[[Any], Any]:
    """Changes the list of results of a right reply."""

    def bent(reply: Any) -> Any:
        change(reply["data"])
        return reply

    return bent


# -- vectors ------------------------------------------------------------------------------------------------------


def test_opening_and_the_fingerprint_ask_nothing(server: ModelServer, opened: Opened) -> None:
    embedder = opened(model="m")
    assert embedder.fingerprint
    assert embedder.curve is None
    assert embedder.contextual
    assert embedder.coverage("naïve") == 1
    assert embedder.coverage("12 !") == 0
    assert opened(dimensions=256).dimensions == 256
    assert server.sent == []


def test_the_width_is_learnt_by_asking_once(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    assert embedder.served is None
    assert embedder.dimensions == WIDTH
    assert embedder.dimensions == WIDTH
    assert embedder.served == ServedModel("stand-in", WIDTH)
    assert len(server.sent) == 1


def test_fifty_texts_go_in_a_request_and_order_is_kept(server: ModelServer, opened: Opened) -> None:
    texts = numbered(120)
    vectors = opened().embed(texts, "document")
    assert [len(sent) for sent in server.texts()] == [50, 50, 20]
    for text, row in zip(texts, vectors, strict=True):
        assert row @ np.array(server.vector(text), np.float32) == pytest.approx(
            np.linalg.norm(server.vector(text)), abs=1e-5
        )


def test_long_texts_share_a_request_only_up_to_its_tokens(server: ModelServer, opened: Opened) -> None:
    texts = [f"{at} " + "word " * 15_000 for at in range(7)]
    opened().embed(texts, "document")
    sizes = [sum(map(estimate_tokens, sent)) for sent in server.texts()]
    assert len(sizes) == 4
    assert max(sizes) <= BATCH_TOKENS


def test_a_text_is_sent_once_however_often_it_is_given(server: ModelServer, opened: Opened) -> None:
    vectors = opened().embed(["a cat", "a dog", "a cat"], "document")
    assert server.texts() == [["a cat", "a dog"]]
    assert (vectors[0] == vectors[2]).all()


def test_blank_texts_are_not_sent(server: ModelServer, opened: Opened) -> None:
    vectors = opened(dimensions=WIDTH).embed(["", "a cat", " \n"], "document")
    assert server.texts() == [["a cat"]]
    assert not vectors[[0, 2]].any()


def test_a_text_with_half_a_surrogate_is_sent_as_something_valid(server: ModelServer, opened: Opened) -> None:
    assert opened().embed(["broken \ud800 pair"], "document").shape == (1, WIDTH)
    json.loads(server.sent[0].raw.decode("utf-8"))


def test_rows_are_placed_by_their_index(server: ModelServer, opened: Opened) -> None:
    right = opened().embed(TEXTS, "document")
    server.scripts.append(bend(lambda data: data.reverse()))
    assert (opened().embed(TEXTS, "document") == right).all()


def test_a_packed_reply_is_read(server: ModelServer, opened: Opened) -> None:
    right = opened().embed(TEXTS, "document")
    server.scripts.append(packed)
    assert (opened().embed(TEXTS, "document") == right).all()


def test_vectors_of_any_length_come_out_as_unit_vectors(server: ModelServer, opened: Opened) -> None:
    right = opened().embed(TEXTS, "document")
    for factor in (1e-20, 1e30, 1e300):

        def scale(reply: Any, factor: float = factor) -> Any:
            for row in reply["data"]:
                row["embedding"] = [value * factor for value in row["embedding"]]
            return reply

        server.scripts.append(scale)
        assert np.allclose(opened().embed(TEXTS, "document"), right, atol=1e-6)


def test_several_threads_share_an_embedder(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text], "document")[0], numbered(40)))
    assert np.allclose(rows, opened().embed(numbered(40), "document"), atol=1e-6)


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: ModelServer, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert opened().embed(["a"], "query").shape == (1, WIDTH)


def test_a_setting_of_the_environment_that_cannot_be_used_is_an_error_of_ours(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://user:secret@h")
    with pytest.raises(Unavailable, match=r"proxy") as caught:
        opened(url="https://model.test/v1").embed(["a"], "query")
    assert "secret" not in str(caught.value)


def test_httpx_is_loaded_only_when_something_is_sent() -> None:
    code = (
        "import sys, hearth.models.http as m; from hearth.config.tree import Embedding; "
        "m.open_embedder(Embedding(url='http://127.0.0.1:1'), None).fingerprint; "
        "sys.exit('httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=100, check=False).returncode == 0


# -- replies that can't be believed -------------------------------------------------------------------------------

BAD_SHAPES: dict[str, Any] = {
    "too few": bend(lambda data: data.pop()),
    "too many": bend(lambda data: data.append(dict(data[0], index=3))),
    "an index twice": bend(lambda data: data[0].update(index=1)),
    "an index beyond": bend(lambda data: data[0].update(index=7)),
    "an index that is no number": bend(lambda data: data[0].update(index="0")),
    "an index missing": bend(lambda data: data[0].pop("index")),
    "a row that is no object": bend(lambda data: data.__setitem__(0, [1.0])),
    "no embedding": bend(lambda data: data[0].pop("embedding")),
    "no data": lambda reply: {"object": "list"},
    "a bare string": lambda reply: "ok",
    "null": lambda reply: None,
    "one vector for all": bend(lambda data: [row.update(embedding=data[0]["embedding"]) for row in data] and None),
    "HTML": Answer(200, b"<html>Please log in</html>"),
    "nothing": Answer(200, b""),
    "half of it": Answer(200, b'{"data": [{"index": 0, "embedd'),
    "deep nesting": Answer(200, b"[" * 200_000),
    "other bytes": Answer(200, b"\xff\xfe\xff"),
    "a broken packing": Answer(200, b"not gzip at all", {"content-encoding": "gzip"}),
}


@pytest.mark.parametrize("name", BAD_SHAPES)
def test_a_reply_of_another_shape_is_refused_and_names_the_server(
    server: ModelServer, opened: Opened, name: str
) -> None:
    server.scripts.append(BAD_SHAPES[name])
    with pytest.raises(BadReply, match=server.url.removeprefix("http://")):
        opened().embed(TEXTS, "document")
    assert len(server.sent) == 1


@pytest.mark.parametrize("dialect", ["tei", "cohere", "gemini", "ollama"])
@pytest.mark.parametrize("count", [2, 4])
def test_rows_without_an_index_must_be_as_many_as_the_texts(
    server: ModelServer, opened: Opened, dialect: str, count: int
) -> None:
    def bent(reply: Any) -> Any:
        rows = reply if dialect == "tei" else reply["embeddings"]
        rows = rows["float"] if dialect == "cohere" else rows
        rows[:] = [*rows, rows[0]][:count]
        return reply

    server.dialect = dialect
    server.scripts.append(bent)
    given = {"url": f"{server.url}/api/embed"} if dialect == "ollama" else {"dialect": dialect}
    with pytest.raises(BadReply, match=rf"{count} results for 3 texts"):
        opened(model="m", **given).embed(TEXTS, "document")


BAD_ROWS: dict[str, Any] = {
    "NaN": float("nan"),
    "infinite": float("inf"),
    "null": None,
    "a word": "0.5",
    "true": True,
    "too large": 10**400,
    "nested": [0.5],
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_poisoned_vector_is_refused_and_the_others_are_not_paid_for_again(
    server: ModelServer, opened: Opened, name: str
) -> None:
    embedder = opened()
    server.scripts.append(bend(lambda data: data[1]["embedding"].__setitem__(0, BAD_ROWS[name])))
    with pytest.raises(BadReply, match=r"The cat sleeps"):
        embedder.embed(TEXTS, "document")
    assert embedder.embed([TEXTS[0]], "document").shape == (1, WIDTH)
    assert embedder.embed([TEXTS[2]], "document").shape == (1, WIDTH)
    assert server.texts() == [TEXTS, ["memory"]]
    assert embedder.embed([TEXTS[1]], "document").shape == (1, WIDTH)


def test_the_server_is_put_to_the_proof_once_a_call(server: ModelServer, opened: Opened) -> None:
    def poison(reply: Any) -> Any:
        for row in reply["data"][:2]:
            row["embedding"][0] = None
        return reply

    server.scripts.append(poison)
    with pytest.raises(BadReply):
        opened().embed(TEXTS, "document")
    assert server.texts() == [TEXTS, ["memory"]]


def test_a_vector_of_zeros_or_of_nothing_is_refused(server: ModelServer, opened: Opened) -> None:
    for row in ([0.0] * WIDTH, []):
        server.scripts.append(bend(lambda data, row=row: data[1].update(embedding=row)))
        with pytest.raises(BadReply, match=r"The cat sleeps"):
            opened().embed(TEXTS, "document")


def test_a_server_whose_every_vector_is_poisoned_is_unavailable(server: ModelServer, opened: Opened) -> None:
    def poison(reply: Any) -> Any:
        for row in reply["data"]:
            row["embedding"][0] = None
        return reply

    server.always = poison
    with pytest.raises(Unavailable, match=r"a single word"):
        opened().embed(TEXTS, "document")
    assert len(server.sent) == 2


def test_texts_that_say_the_same_may_have_the_same_vector(server: ModelServer, opened: Opened) -> None:
    assert opened().embed(["A cat", "a cat", "a cat!", "A CAT"], "document").shape == (4, WIDTH)


# -- another model ------------------------------------------------------------------------------------------------


def test_another_width_after_a_restart_is_refused_until_the_first_is_back(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    embedder.embed(TEXTS, "document")
    server.stop()
    server.width = 48
    server.start()
    with pytest.raises(BadReply, match=rf"48 numbers a text, but gave {WIDTH} before"):
        embedder.embed(TEXTS, "document")
    assert embedder.dimensions == WIDTH
    server.width = WIDTH
    assert embedder.embed(TEXTS, "document").shape == (3, WIDTH)


def test_another_model_of_the_same_width_is_refused_and_both_are_named(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    embedder.embed(TEXTS, "document")
    server.stop()
    server.model = "impostor"
    server.start()
    with pytest.raises(BadReply, match=r"'impostor'.*'stand-in'"):
        embedder.embed(TEXTS, "query")


def test_another_model_is_found_out_in_the_next_process_too(server: ModelServer, opened: Opened) -> None:
    first = opened()
    first.embed(TEXTS, "document")
    server.model = "impostor"
    with pytest.raises(BadReply, match=r"impostor"):
        opened(served=first.served).embed(TEXTS, "query")
    server.model, server.width = "stand-in", 48
    with pytest.raises(BadReply, match=r"48 numbers"):
        opened(served=first.served).embed(TEXTS, "query")


def test_a_server_that_ignores_the_width_asked_for_is_refused(server: ModelServer, opened: Opened) -> None:
    server.always = bend(lambda data: [row["embedding"].extend([0.5] * 16) for row in data] and None)
    with pytest.raises(BadReply, match=r"32 numbers a text where embedding\.dimensions asks for 16"):
        opened(dimensions=16).embed(TEXTS, "document")


def test_the_width_of_stored_vectors_can_be_told(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    embedder.dimensions = 768
    with pytest.raises(BadReply, match=r"gave 768 before"):
        embedder.embed(TEXTS, "document")


# -- texts that the server refuses --------------------------------------------------------------------------------


def test_one_text_too_long_fails_alone_and_the_others_are_paid_for_once(server: ModelServer, opened: Opened) -> None:
    server.longest = 200
    embedder = opened()
    texts = numbered(60)
    texts[17] = "long " * 100
    with pytest.raises(BadReply, match=r"too large to process.*text of 500 characters that begins 'long long"):
        embedder.embed(texts, "document")
    before = len(server.sent)
    got = [embedder.embed([text], "document") for at, text in enumerate(texts) if at != 17]
    assert len(got) == 59
    assert len(server.sent) == before
    with pytest.raises(BadReply, match=r"text of 500 characters"):
        embedder.embed([texts[17]], "document")


def test_a_server_that_takes_fewer_texts_gets_fewer_from_then_on(server: ModelServer, opened: Opened) -> None:
    server.most = 16
    embedder = opened()
    assert embedder.embed(numbered(100), "document").shape == (100, WIDTH)
    server.sent.clear()
    embedder.embed([f"again {text}" for text in numbered(100)], "document")
    assert max(len(sent) for sent in server.texts()) <= 16
    assert len(server.sent) <= 9


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens, you requested 9000"}}),
        (400, {"error": "the input length exceeds the context length"}),
        (413, {"error": "`inputs` must have less than 512 tokens. Given: 1024", "error_type": "Validation"}),
        (500, {"error": {"code": 500, "message": "input (992 tokens) is too large to process. increase the batch"}}),
        (400, {"detail": "The example at index 0 in your batch has too many tokens for the context window"}),
        (422, {"detail": [{"loc": ["body"], "msg": "text is not allowed", "type": "value_error"}]}),
    ],
)
def test_a_refusal_that_concerns_a_text_is_not_repeated_and_says_why(
    server: ModelServer, opened: Opened, status: int, reply: Any
) -> None:
    server.scripts.append(Answer.of(reply, status))
    with pytest.raises(BadReply, match=rf"HTTP {status}, .*begins 'one text'"):
        opened().embed(["one text"], "document")
    assert server.texts() == [["one text"], ["memory"]]


def test_a_refusal_of_everything_is_the_servers_fault(server: ModelServer, opened: Opened) -> None:
    refusal = Answer.of({"error": {"message": "dimensions is not supported by this model"}}, 400)
    server.always = lambda reply: refusal
    with pytest.raises(Unavailable, match=r"a single word.*dimensions is not supported"):
        opened(dimensions=16).embed(numbered(50), "document")
    assert len(server.sent) == 2


def test_gemini_would_cut_silently_so_a_long_text_is_not_sent(server: ModelServer, opened: Opened) -> None:
    server.dialect = "gemini"
    embedder = opened(dialect="gemini")
    with pytest.raises(BadReply, match=r"2048"):
        embedder.embed(["short", "word " * 3_000], "document")
    assert all("word" not in text for sent in server.texts() for text in sent)
