from __future__ import annotations

import shutil
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hearth.core.errors import BadReply, Unavailable
from hearth.models.onnx import open_reranker
from hearth.models.onnx.models import OnnxReranker

TEXTS = ["postgres over mongodb", "the cat sleeps on the warm roof", "a backup of the database server"]


@pytest.fixture
def reranker(tiny: Path, tmp_path: Path) -> OnnxReranker:
    return open_reranker(f"path:{tiny / 'reranker'}", tmp_path)


def test_scores_lie_within_zero_and_one_in_order(reranker: OnnxReranker) -> None:
    texts = [f"{text} {'river ' * count}" for count in range(6) for text in TEXTS]
    scores = reranker.score("why postgres", texts)
    assert scores.shape == (len(texts),)
    assert scores.dtype == np.float32
    assert ((scores > 0) & (scores < 1)).all()
    assert len(set(scores.tolist())) > len(texts) // 2
    alone = [float(reranker.score("why postgres", [text])[0]) for text in texts]
    assert np.allclose(scores, alone, atol=1e-5)


def test_the_question_counts(reranker: OnnxReranker) -> None:
    assert not np.allclose(reranker.score("why postgres", TEXTS), reranker.score("cat", TEXTS), atol=1e-4)


def test_no_texts_give_no_scores(reranker: OnnxReranker) -> None:
    assert reranker.score("why", []).shape == (0,)


@pytest.mark.parametrize(("query", "text"), [("", "cat"), ("why", ""), ("重跑", "cat"), ("why", "🚀")])
def test_what_the_model_can_not_read_scores_zero(reranker: OnnxReranker, query: str, text: str) -> None:
    assert reranker.score(query, [text]).tolist() == [0]


def test_a_long_text_scores_what_its_best_window_scores(reranker: OnnxReranker) -> None:
    short, long = reranker.score("why", [TEXTS[0], "cat " * 200 + TEXTS[0]])
    worst = reranker.score("why", ["cat " * 200])[0]
    assert long >= worst
    assert 0 < short < 1
    fitting = "cat " * 50
    assert np.isclose(*reranker.score("why", [fitting, fitting + fitting]), atol=0.05)


def test_a_long_question_is_read_to_its_end(reranker: OnnxReranker) -> None:
    first = reranker.score("cat " * 300, TEXTS)
    second = reranker.score("cat " * 300 + "money refund " * 300, TEXTS)
    assert np.isfinite(first).all()
    assert not np.allclose(first, second, atol=1e-4)


def test_threads_share_one_reranker(reranker: OnnxReranker) -> None:
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(reranker.score("why", TEXTS))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 5
    assert all(np.allclose(result, results[0], atol=1e-6) for result in results)


def test_nan_is_a_bad_reply(export: ModuleType, extra: None, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    weights = export.random_weights(32, 0, reranker=True)
    weights["classifier.bias"][:] = np.inf
    export.write_source(tmp_path / "source", weights)
    export.export(tmp_path / "source", tmp_path / "bad", int8=False, reranker=True, max_tokens=64)
    with pytest.raises(BadReply, match="NaN or infinity"):
        open_reranker(f"path:{tmp_path / 'bad'}", tmp_path).score("why", TEXTS)


def test_a_broken_model_is_unavailable(tiny: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny / "reranker", tmp_path / "copy"))
    (folder / "model.onnx").write_bytes(b"\xff" * (folder / "model.onnx").stat().st_size)
    with pytest.raises(Unavailable, match="can't be loaded"):
        open_reranker(f"path:{folder}", tmp_path).score("why", TEXTS)


def test_an_embedder_is_no_reranker(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="kind embedder, not reranker"):
        open_reranker(f"path:{tiny / 'embedder'}", tmp_path)


def test_a_missing_reranker_names_both_ways_out(extra: None, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"hearth models pull ms-marco-minilm .*hearth models use none"):
        open_reranker(None, tmp_path)
