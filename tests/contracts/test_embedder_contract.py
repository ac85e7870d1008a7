"""What every embedder must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.models.http.stand_in import http_embedders

from hearth.models.static import StaticEmbedder
from hearth.ports import Embedder
from hearth.testing import HashEmbedder, TableModel

TEXTS = ["We chose PostgreSQL over MongoDB.", "The cat sleeps.", "重跑", "x" * 10_000, "a\nb\tc"]


@pytest.fixture(scope="module", params=[StaticEmbedder, HashEmbedder, TableModel, http_embedders])
def build(request: pytest.FixtureRequest) -> Iterator[Callable[[], Embedder]]:
    if request.param is http_embedders:
        with http_embedders() as made:
            yield made
    else:
        yield request.param


@pytest.fixture(scope="module")
def embedder(build: Callable[[], Embedder]) -> Embedder:
    return build()


def test_vectors_are_unit_rows_in_order(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS, "document")
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert all(np.isclose(length, 1, atol=1e-4) or length == 0 for length in lengths)
    for text, row in zip(TEXTS, vectors, strict=True):
        assert np.allclose(embedder.embed([text], "document")[0], row, atol=1e-6)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([], "query").shape == (0, embedder.dimensions)


def test_a_text_without_words_gives_a_zero_row(embedder: Embedder) -> None:
    assert not embedder.embed(["", "   "], "query").any()


def test_the_same_text_gives_the_same_vector_in_another_instance(
    build: Callable[[], Embedder], embedder: Embedder
) -> None:
    other = build()
    assert other.fingerprint == embedder.fingerprint
    assert (other.embed(TEXTS, "document") == embedder.embed(TEXTS, "document")).all()


def test_a_text_is_nearer_to_itself_than_to_another(embedder: Embedder) -> None:
    first, other = embedder.embed(TEXTS[:2], "document")
    query = embedder.embed([TEXTS[0]], "query")[0]
    assert query @ first > query @ other


def test_a_measured_curve_rises(embedder: Embedder) -> None:
    assert embedder.curve is None or embedder.curve.slope > 0


def test_coverage_lies_within_zero_and_one(embedder: Embedder) -> None:
    assert all(0 <= embedder.coverage(text) <= 1 for text in [*TEXTS, ""])
    assert embedder.coverage("we chose a database for the project") > 0.3
