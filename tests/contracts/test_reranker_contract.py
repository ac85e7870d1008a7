"""What every reranker must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.models.http.stand_in import http_rerankers

from hearth.ports import Reranker
from hearth.testing import ConstantReranker, WordReranker

RERANKERS: dict[str, Callable[[], Reranker]] = {"words": WordReranker, "constant": ConstantReranker}
QUESTION = "Which database did we choose?"
TEXTS = ["We chose PostgreSQL.", "", "the database", "重跑 数据库", "x" * 20_000, "a\nb\tc\x00", "🙂 é \u202e"]


@pytest.fixture(scope="module", params=[*RERANKERS, "http"])
def build(request: pytest.FixtureRequest) -> Iterator[Callable[[], Reranker]]:
    if request.param == "http":
        with http_rerankers() as made:
            yield made
    else:
        yield RERANKERS[request.param]


@pytest.fixture(scope="module")
def reranker(build: Callable[[], Reranker]) -> Reranker:
    return build()


def test_every_text_gets_a_number_from_0_to_1_in_order(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, TEXTS)
    assert scores.shape == (len(TEXTS),)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.allclose(reranker.score(QUESTION, TEXTS[::-1]), scores[::-1], atol=1e-3)


def test_a_text_scores_the_same_alone_and_among_others(reranker: Reranker) -> None:
    scores = reranker.score(QUESTION, TEXTS)
    for text, score in zip(TEXTS, scores, strict=True):
        assert reranker.score(QUESTION, [text])[0] == pytest.approx(float(score), abs=1e-3), text[:20]


def test_no_texts_give_no_scores(reranker: Reranker) -> None:
    assert reranker.score(QUESTION, []).shape == (0,)


def test_a_long_or_empty_question_is_answered(reranker: Reranker) -> None:
    for question in ("", "word " * 5_000, "🙂\x00"):
        assert reranker.score(question, TEXTS).shape == (len(TEXTS),)


def test_another_instance_has_the_same_name_and_gives_the_same_scores(
    build: Callable[[], Reranker], reranker: Reranker
) -> None:
    other = build()
    assert other.fingerprint == reranker.fingerprint != ""
    assert np.allclose(other.score(QUESTION, TEXTS), reranker.score(QUESTION, TEXTS), atol=1e-3)
