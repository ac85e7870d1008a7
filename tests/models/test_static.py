from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hearth.models.static
from hearth.core.document import Curve
from hearth.core.errors import Unavailable
from hearth.models.static import DATA_FILES, StaticEmbedder, revision
from hearth.recall.ranking.weights import probability

FOLDER = Path(hearth.models.static.__file__).with_name("static_table")

PAIRS = [
    ("How do I reset my password?", "Steps to recover a forgotten login credential", "The cake needs two eggs"),
    ("The database migration failed", "Schema upgrade of the SQL tables broke", "She went hiking in the mountains"),
    ("My dog is ill", "The puppy needs a veterinarian", "Interest rates rose last quarter"),
    ("What should we cook tonight?", "Ideas for an easy dinner recipe", "The compiler reports a type error"),
    ("The flight was delayed", "Our plane left the airport late", "He painted the kitchen wall blue"),
    ("We deploy with Docker", "Containers are shipped to production", "My sister plays the violin"),
    ("The unit tests are slow", "Running the test suite takes too long", "Tulips bloom in spring"),
    ("I bought a new car", "She purchased a vehicle", "The lecture on medieval history was long"),
    ("The physician prescribed pills", "The doctor gave me medicine", "Our server ran out of memory"),
    ("The kids love school", "Children enjoy their classes", "Gold prices fell on the market"),
    ("He quit his job", "She resigned from her position", "The river flooded the village"),
    ("The picture shows a beach at sunset", "A photo of the ocean in the evening", "The contract has a penalty clause"),
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_vectors_have_unit_length_and_the_stated_width(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(["one note", "another, longer note about databases"], "document")
    assert vectors.shape == (2, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(embedder: StaticEmbedder) -> None:
    assert embedder.embed([], "query").shape == (0, embedder.dimensions)


def test_order_is_kept_and_a_batch_equals_single_calls(embedder: StaticEmbedder) -> None:
    texts = [f"note {n} about {topic}" for n in range(200) for topic in ("bread", "rivers", "types")]
    texts[7] = "word " * 5000
    together = embedder.embed(texts, "document")
    alone = np.vstack([embedder.embed([text], "document") for text in texts])
    assert np.allclose(together, alone, atol=1e-6)


def test_the_same_text_gives_the_same_bytes_in_another_embedder(embedder: StaticEmbedder) -> None:
    text = ["Postgres over MongoDB, decided on Tuesday"]
    assert embedder.embed(text, "query").tobytes() == StaticEmbedder().embed(text, "document").tobytes()


@pytest.mark.parametrize("text", ["", "   \n\t", "\x00\x01", "\u200b"])
def test_a_text_without_known_tokens_gives_a_zero_row(embedder: StaticEmbedder, text: str) -> None:
    vectors = embedder.embed(["before", text, "after"], "document")
    assert not vectors[1].any()
    assert np.allclose(np.linalg.norm(vectors[[0, 2]], axis=1), 1, atol=1e-5)


def test_emoji_do_not_hide_the_word_they_touch(embedder: StaticEmbedder) -> None:
    plain, decorated = embedder.embed(["deploy done", "deploy🚀 done✅"], "document")
    assert plain @ decorated > 0.99


def test_a_text_of_a_megabyte_is_embedded_whole(embedder: StaticEmbedder) -> None:
    filler = "the river runs to the sea " * 40_000
    head, tail = embedder.embed([filler, filler + "database " * 40_000], "document")
    assert head @ tail < 0.95


def test_coverage_is_high_for_english_and_low_where_only_letters_are_known(embedder: StaticEmbedder) -> None:
    assert embedder.coverage("The committee approved the new budget after a long discussion") > 0.8
    assert embedder.coverage("Комитет утвердил новый бюджет после долгого обсуждения") < 0.1
    assert embedder.coverage("委员会经过长时间讨论后批准了新预算") < 0.1
    assert embedder.coverage("123 !?") == 0.0


@pytest.mark.parametrize(("text", "paraphrase", "unrelated"), PAIRS)
def test_a_paraphrase_is_closer_than_an_unrelated_sentence(
    embedder: StaticEmbedder, text: str, paraphrase: str, unrelated: str
) -> None:
    a, b, c = embedder.embed([text, paraphrase, unrelated], "query")
    assert a @ b > a @ c


def test_calibration_rises_from_near_zero_to_near_one(embedder: StaticEmbedder) -> None:
    scores = probability(embedder.curve or Curve(0, 0), np.linspace(-1, 1, 201, dtype=np.float32))
    assert scores.dtype == np.float32
    assert (np.diff(scores) >= 0).all()
    assert 0 <= scores[0] < 0.01
    assert 0.9 < scores[-1] <= 1


def test_the_card_states_the_checksum_of_the_shipped_data(embedder: StaticEmbedder) -> None:
    card = json.loads((FOLDER / "model.json").read_text("utf-8"))
    assert card["revision"] == revision(FOLDER)
    assert card["licence"] == "Apache-2.0"
    assert embedder.fingerprint == f"{card['name']}:{card['dimensions']}:{card['revision']}"


def test_the_shipped_data_stays_under_ten_megabytes() -> None:
    assert sum((FOLDER / name).stat().st_size for name in (*DATA_FILES, "model.json")) <= 10_000_000


def test_a_missing_table_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=str(tmp_path)):
        StaticEmbedder(tmp_path)


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    for name in (*DATA_FILES, "model.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    (tmp_path / "vocabulary.txt").write_text("only\nthree\npieces", "utf-8")
    with pytest.raises(Unavailable, match="do not match each other"):
        StaticEmbedder(tmp_path).embed(["text"], "query")


def test_embedders_of_one_process_read_a_table_once_and_another_revision_anew(tmp_path: Path) -> None:
    for name in (*DATA_FILES, "model.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    first = StaticEmbedder(tmp_path).embed(["text"], "query")
    for name in DATA_FILES:
        (tmp_path / name).unlink()
    assert StaticEmbedder(tmp_path).embed(["text"], "query").tobytes() == first.tobytes()
    card = json.loads((tmp_path / "model.json").read_text("utf-8"))
    (tmp_path / "model.json").write_text(json.dumps(card | {"revision": "another"}), "utf-8")
    with pytest.raises(Unavailable, match="vocabulary"):
        StaticEmbedder(tmp_path).embed(["text"], "query")


def test_threads_share_one_embedder() -> None:
    embedder = StaticEmbedder()
    texts = [f"thread note {n} on gardens, servers and music" for n in range(300)]
    results: list[np.ndarray] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        results.append(embedder.embed(texts, "document"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(result.tobytes() == results[0].tobytes() for result in results)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_any_text_gives_a_unit_or_zero_row_and_a_share(text: str) -> None:
    norm = float(np.linalg.norm(SHARED.embed([text], "document")))
    assert norm == 0 or abs(norm - 1) < 1e-4
    assert 0 <= SHARED.coverage(text) <= 1


SHARED = StaticEmbedder()
