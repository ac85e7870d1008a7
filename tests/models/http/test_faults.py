"""Servers that stall, break, redirect or ask to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.models.http.conftest import StillClock, quick
from tests.models.http.server import WIDTH, Answer, ModelServer

from hearth.core.errors import BadReply, Unavailable
from hearth.models.http import HttpEmbedder, HttpReranker
from hearth.models.http.protocol import DOCUMENT, FIRST_PAUSE, LIMIT, QUERY, Timing
from hearth.models.http.transport import MAX_REPLY

Opened = Callable[..., HttpEmbedder]
BUSY = Answer.of({"error": {"message": "busy"}}, 503)


# -- repeating ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_sent_again(server: ModelServer, opened: Opened, status: int) -> None:
    server.scripts.extend([Answer.of({"error": "not now"}, status)] * 2)
    assert opened().embed(["a"], "document").shape == (1, WIDTH)
    assert len(server.sent) == 3


def test_a_connection_that_breaks_is_made_again(server: ModelServer, opened: Opened) -> None:
    server.scripts.extend(["reset", Answer(200, b'{"data": []}' * 9, cut=True)])
    assert opened().embed(["a"], "document").shape == (1, WIDTH)
    assert len(server.sent) == 3


def test_waits_double_and_end_after_four(server: ModelServer, opened: Opened, clock: StillClock) -> None:
    server.scripts.extend([BUSY] * 99)
    with pytest.raises(Unavailable, match=r"HTTP 503, busy"):
        opened().embed(["a"], "document")
    assert clock.waits == [0.5, 1, 2, 4]
    assert len(server.sent) == DOCUMENT.retries + 1


def test_the_wait_that_a_reply_asks_for_is_kept(server: ModelServer, opened: Opened, clock: StillClock) -> None:
    server.scripts.append(Answer.of({"error": "slow down"}, 429, Retry_After="7"))
    opened().embed(["a"], "document")
    assert 7 <= sum(clock.waits) < 8


def test_a_long_wait_is_not_waited_but_the_server_left_alone(
    server: ModelServer, opened: Opened, clock: StillClock
) -> None:
    embedder = opened()
    server.scripts.append(Answer.of({"error": "slow down"}, 429, Retry_After="900"))
    with pytest.raises(Unavailable, match=r"a pause of 900 s"):
        embedder.embed(["a"], "document")
    clock.seconds += 800
    with pytest.raises(Unavailable, match=r"another 100 s"):
        embedder.embed(["a"], "document")
    assert clock.waits == []
    assert len(server.sent) == 1
    clock.seconds += 101
    assert embedder.embed(["a"], "document").shape == (1, WIDTH)


def test_a_question_waits_less_than_a_document(server: ModelServer, opened: Opened, clock: StillClock) -> None:
    assert QUERY.connect < DOCUMENT.connect
    assert QUERY.read < DOCUMENT.read
    server.scripts.extend([BUSY] * 99)
    with pytest.raises(Unavailable):
        opened().embed(["a"], "query")
    assert sum(clock.waits) < QUERY.total
    assert len(server.sent) == QUERY.retries + 1


def test_many_questions_wait_for_a_server_that_loads_its_model_first(
    server: ModelServer, opened: Opened, clock: StillClock
) -> None:
    server.scripts.extend([BUSY] * DOCUMENT.retries)
    assert opened().embed(["a", "b"], "query").shape == (2, WIDTH)
    assert sum(clock.waits) > QUERY.total


def test_a_wait_that_would_outlast_the_call_is_not_begun(
    server: ModelServer, opened: Opened, clock: StillClock
) -> None:
    server.scripts.append(Answer.of({"error": "slow down"}, 429, Retry_After="5"))
    with pytest.raises(Unavailable, match=r"slow down"):
        opened().embed(["a"], "query")
    assert clock.waits == []


def test_a_spent_account_is_not_asked_again(server: ModelServer, opened: Opened) -> None:
    reply = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.scripts.append(Answer.of(reply, 429))
    with pytest.raises(Unavailable, match=r"no credit left"):
        opened().embed(["a"], "document")
    assert len(server.sent) == 1


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_wrong_place_is_not_asked_again_and_the_settings_are_named(
    server: ModelServer, opened: Opened, status: int
) -> None:
    server.scripts.append(Answer.of({"error": {"message": "model 'x' not found"}}, status))
    with pytest.raises(Unavailable, match=r"model 'x' not found; check embedding\.url, .*embedding\.model"):
        opened().embed(["a"], "document")
    assert len(server.sent) == 1


# -- time and size ------------------------------------------------------------------------------------------------


def test_a_server_that_stalls_is_given_up(server: ModelServer, opened: Opened) -> None:
    server.scripts.append("stall")
    with pytest.raises(Unavailable, match=r"no answer within 0\.1 s"):
        opened(timing=Timing(), patience=quick()).embed(["a"], "document")


def test_a_body_that_drips_is_given_up_when_the_time_of_the_call_is_over(server: ModelServer, opened: Opened) -> None:
    server.scripts.append(Answer(200, b" " * 10_000, drip=True))
    with pytest.raises(Unavailable, match=r"did not end in time"):
        opened(timing=Timing(), patience=quick(read=5, total=1)).embed(["a"], "document")


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "gzip"}])
def test_a_huge_body_is_not_read(server: ModelServer, opened: Opened, headers: dict[str, str]) -> None:
    import gzip

    raw = b" " * (MAX_REPLY + 1)
    server.scripts.append(Answer(200, gzip.compress(raw, 1) if headers else raw, headers))
    with pytest.raises(BadReply, match=r"larger than 32 MiB"):
        opened().embed(["a"], "document")


def test_a_long_complaint_is_cut(server: ModelServer, opened: Opened) -> None:
    server.scripts.append(Answer(404, b"x" * 1_000_000))
    with pytest.raises(Unavailable) as caught:
        opened().embed(["a"], "document")
    assert len(str(caught.value)) < 500


def test_a_server_that_is_not_there_is_named_at_once(opened: Opened, clock: StillClock, server: ModelServer) -> None:
    server.stop()
    place = server.url.removeprefix("http://")
    with pytest.raises(Unavailable, match=rf"{place}.*can't be reached.*is it running"):
        opened().embed(["a"], "document")
    assert clock.waits == []
    server.start()


# -- redirects ----------------------------------------------------------------------------------------------------


def redirect(status: int, target: str) -> Answer:
    return Answer(status, b"", {"location": target})


def test_a_redirect_to_another_host_is_named_and_not_followed(opened: Opened, server: ModelServer) -> None:
    other = ModelServer()
    try:
        for target in (f"{other.url}/v1/embeddings", f"//127.0.0.1:{other.url.rpartition(':')[2]}/x?key=abc"):
            server.scripts.append(redirect(307, target))
            with pytest.raises(Unavailable, match=r"redirects to http://127.*set embedding\.url") as caught:
                opened(key="secret-key").embed(["a"], "document")
            assert "abc" not in str(caught.value)
        assert other.sent == []
    finally:
        other.stop()


def test_a_redirect_on_the_same_host_is_followed_with_the_body(server: ModelServer, opened: Opened) -> None:
    server.scripts.append(redirect(307, "/v1/embeddings?moved"))
    assert opened(key="secret-key").embed(["a"], "document").shape == (1, WIDTH)
    assert [sent.path for sent in server.sent] == ["/v1/embeddings", "/v1/embeddings?moved"]
    assert server.sent[1].body == {"input": ["a"]}
    assert server.sent[1].headers["authorization"] == "Bearer secret-key"


def test_a_redirect_that_loses_the_body_or_goes_in_circles_is_not_followed(server: ModelServer, opened: Opened) -> None:
    server.scripts.append(redirect(302, "/v1/login"))
    with pytest.raises(Unavailable, match=r"redirects to .*/v1/login"):
        opened().embed(["a"], "document")
    server.scripts.append(redirect(307, "http://[bad/"))
    with pytest.raises(Unavailable, match=r"not valid"):
        opened().embed(["a"], "document")
    server.scripts.extend(redirect(308, f"/{at}") for at in range(50))
    with pytest.raises(Unavailable, match=r"circles"):
        opened().embed(["a"], "document")
    assert len(server.sent) < 9


# -- the breaker --------------------------------------------------------------------------------------------------


def test_a_server_that_keeps_failing_is_left_alone_and_tried_again(
    server: ModelServer, opened: Opened, clock: StillClock
) -> None:
    embedder = opened()
    server.always = lambda reply: Answer.of({"error": "out of memory"}, 500)
    for _ in range(LIMIT):
        with pytest.raises(Unavailable, match=r"out of memory"):
            embedder.embed(["a"], "document")
    asked = len(server.sent)
    with pytest.raises(Unavailable, match=rf"paused for another {FIRST_PAUSE:.0f} s.*out of memory"):
        embedder.embed(["a"], "document")
    assert len(server.sent) == asked
    server.always = None
    clock.seconds += FIRST_PAUSE + 1
    assert embedder.embed(["a"], "document").shape == (1, WIDTH)
    assert embedder.embed(["b"], "document").shape == (1, WIDTH)


def test_nonsense_without_end_stops_too(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    server.always = lambda reply: Answer(200, b"<html>")
    for _ in range(LIMIT):
        with pytest.raises(BadReply):
            embedder.embed(["a"], "document")
    with pytest.raises(Unavailable, match=r"not JSON"):
        embedder.embed(["a"], "document")


def test_refused_texts_do_not_count_against_the_server(server: ModelServer, opened: Opened) -> None:
    server.longest = 15
    embedder = opened()
    for at in range(3 * LIMIT):
        with pytest.raises(BadReply, match=r"too large"):
            embedder.embed([f"{at} is too long for it"], "document")
    assert embedder.embed(["short"], "document").shape == (1, WIDTH)


def test_a_server_too_slow_for_questions_still_embeds_documents(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    server.always = lambda reply: BUSY
    for _ in range(LIMIT):
        with pytest.raises(Unavailable):
            embedder.embed(["a"], "query")
    server.always = None
    with pytest.raises(Unavailable, match=r"is paused"):
        embedder.embed(["a"], "query")
    assert embedder.embed(["a"], "document").shape == (1, WIDTH)


# -- pace ---------------------------------------------------------------------------------------------------------


def test_a_pace_set_on_purpose_is_kept(server: ModelServer, opened: Opened, clock: StillClock) -> None:
    texts = [f"{at} " + "word " * 100 for at in range(10)]
    embedder = opened(tokens_per_minute=300)
    embedder.embed(texts, "document")
    assert [len(sent) for sent in server.texts()] == [2] * 5
    assert sum(clock.waits) == pytest.approx(4 * 60)
    embedder.embed(texts[:1], "query")
    assert sum(clock.waits) == pytest.approx(4 * 60)


def test_a_server_on_this_machine_is_not_slowed_down_by_default(
    server: ModelServer, opened: Opened, clock: StillClock
) -> None:
    opened().embed([f"{at} " + "word " * 10_000 for at in range(20)], "document")
    assert clock.waits == []


# -- what was paid for --------------------------------------------------------------------------------------------


def test_batches_that_succeeded_before_a_failure_are_not_sent_again(server: ModelServer, opened: Opened) -> None:
    embedder = opened()
    texts = [f"note {at} of many" for at in range(150)]
    dead = Answer.of({"error": "gone"}, 404)
    server.scripts.extend([lambda reply: reply, lambda reply: reply, dead])
    with pytest.raises(Unavailable):
        embedder.embed(texts, "document")
    assert embedder.embed(texts, "document").shape == (150, WIDTH)
    assert [sent[0] for sent in server.texts()] == ["note 0 of many", "note 50 of many"] + ["note 100 of many"] * 2


# -- reranking ----------------------------------------------------------------------------------------------------


def results(change: Callable[[list[Any]], None]) -> Callable[[Any], Any]:
    def bent(reply: Any) -> Any:
        change(reply["results"])
        return reply

    return bent


BAD_SCORES: dict[str, Any] = {
    "too few": results(lambda rows: rows.pop()),
    "an index twice": results(lambda rows: rows[0].update(index=rows[1]["index"])),
    "no index": results(lambda rows: [row.pop("index") for row in rows] and None),
    "NaN": results(lambda rows: rows[0].update(relevance_score=float("nan"))),
    "null": results(lambda rows: rows[0].update(relevance_score=None)),
    "no results": lambda reply: {"error": "loading"},
    "HTML": Answer(200, b"<html>"),
}


@pytest.mark.parametrize("name", BAD_SCORES)
def test_scores_of_another_shape_are_refused(
    server: ModelServer, reranker: Callable[..., HttpReranker], name: str
) -> None:
    server.dialect = "llama"
    server.scripts.append(BAD_SCORES[name])
    with pytest.raises(BadReply, match=r"rerank server"):
        reranker().score("a question", ["one", "two"])


def test_raw_scores_under_a_dialect_of_probabilities_are_refused(
    server: ModelServer, reranker: Callable[..., HttpReranker]
) -> None:
    server.dialect = "jina"
    server.scripts.append(results(lambda rows: rows[0].update(relevance_score=3.2)))
    with pytest.raises(BadReply, match=r"rerank\.dialect: llama"):
        reranker(dialect="jina").score("a question", ["one", "two"])


def test_another_reranker_behind_the_address_is_refused(
    server: ModelServer, reranker: Callable[..., HttpReranker]
) -> None:
    server.dialect = "llama"
    made = reranker()
    made.score("q", ["a"])
    server.model = "impostor"
    with pytest.raises(BadReply, match=r"'impostor'.*'stand-in'"):
        made.score("q", ["a"])


def test_all_requests_of_a_reranking_share_one_deadline(
    server: ModelServer, reranker: Callable[..., HttpReranker], clock: StillClock
) -> None:
    server.dialect = "completions"

    def slow(reply: Any) -> Any:
        clock.seconds += 3
        return reply

    server.always = slow
    with pytest.raises(Unavailable, match=r"no time left|in time"):
        reranker(dialect="completions").score("q", [f"text {at}" for at in range(10)])
    assert len(server.sent) <= 4


def test_a_blank_question_asks_nothing(server: ModelServer, reranker: Callable[..., HttpReranker]) -> None:
    assert not reranker().score("  ", ["a", "b"]).any()
    assert server.sent == []
