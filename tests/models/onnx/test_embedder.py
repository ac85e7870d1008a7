from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hearth.core.errors import BadReply, NotFound, Unavailable
from hearth.models.onnx import catalogue, open_embedder
from hearth.models.onnx.models import OnnxEmbedder

TEXTS = ["the cat sleeps on the roof", "refunds are paid within two weeks", "a", "we choose postgres over mongodb"]


@pytest.fixture(params=["embedder", "small"])
def embedder(request: pytest.FixtureRequest, tiny: Path, tmp_path: Path) -> OnnxEmbedder:
    return open_embedder(f"path:{tiny / request.param}", tmp_path)


def copy(tiny: Path, tmp_path: Path, name: str = "embedder") -> Path:
    return Path(shutil.copytree(tiny / name, tmp_path / "copy"))


def test_vectors_are_unit_rows_in_order_whatever_stands_beside_them(embedder: OnnxEmbedder) -> None:
    texts = [f"{text} {'river ' * count}" for count in range(5) for text in TEXTS]
    together = embedder.embed(texts, "document")
    assert together.shape == (len(texts), embedder.dimensions)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.vstack([embedder.embed([text], "document") for text in texts])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(embedder.embed(texts[::-1], "document")[::-1], together, atol=1e-5)


def test_unlike_texts_have_unlike_vectors(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(TEXTS, "document")
    assert (vectors @ vectors.T)[np.triu_indices(len(TEXTS), 1)].max() < 0.9


def test_word_order_counts(embedder: OnnxEmbedder) -> None:
    assert embedder.contextual
    first, second = embedder.embed(["postgres over mongodb", "mongodb over postgres"], "document")
    assert first @ second < 0.99999


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([], "query").shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b", "🚀🚀", "重跑"])
def test_a_text_without_a_known_token_gives_a_zero_row(embedder: OnnxEmbedder, text: str) -> None:
    vectors = embedder.embed(["before", text, "after"], "document")
    assert vectors.any(axis=1).tolist() == [True, False, True]


@pytest.mark.parametrize("text", ["cat \ud800 river", "cat \x00\x1b river", "\udcffcat"])
def test_text_that_is_no_valid_unicode_is_embedded(embedder: OnnxEmbedder, text: str) -> None:
    assert embedder.embed([text], "document").any()


def test_the_end_of_a_long_text_counts(embedder: OnnxEmbedder) -> None:
    head = "the river and the cat " * 100
    plain, ended = embedder.embed([head, head + "money refund " * 100], "document")
    assert plain @ ended < 0.99
    assert np.isclose(np.linalg.norm(ended), 1, atol=1e-5)


def test_a_long_text_is_the_mean_of_its_windows_weighted_by_tokens(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(f"path:{tiny / 'embedder'}", tmp_path)
    long, single = embedder.embed(["river " * 620, "river " * 62], "document")
    assert long @ single > 0.999


def test_a_megabyte_is_embedded_whole(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(f"path:{tiny / 'embedder'}", tmp_path)
    text = "lorem ipsum " * 2_000 + "b" * 900_000 + " end" * 1_000
    assert len(text) > 925_000
    assert np.isclose(np.linalg.norm(embedder.embed([text], "document")), 1, atol=1e-5)


def test_a_thousand_texts_keep_their_order(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(f"path:{tiny / 'embedder'}", tmp_path)
    texts = [f"n{number} {'cat ' * (number % 7)}" for number in range(1_000)]
    vectors = embedder.embed(texts, "document")
    for row in (0, 17, 500, 999):
        assert np.allclose(vectors[row], embedder.embed([texts[row]], "document")[0], atol=1e-5)


def test_questions_and_documents_get_their_templates(tiny: Path, tmp_path: Path) -> None:
    folder = copy(tiny, tmp_path)
    given = catalogue.read_manifest(folder)
    assert given is not None
    (folder / "hearth.json").write_text(
        (folder / "hearth.json").read_text("utf-8").replace('"query": "{text}"', '"query": "question: {text}"'), "utf-8"
    )
    plain, dressed = (open_embedder(f"path:{place}", tmp_path) for place in (tiny / "embedder", folder))
    assert plain.fingerprint != dressed.fingerprint
    assert np.allclose(dressed.embed(["cat"], "query"), plain.embed(["question: cat"], "query"), atol=1e-6)
    assert np.allclose(dressed.embed(["cat"], "document"), plain.embed(["cat"], "document"), atol=1e-6)
    assert not dressed.embed([""], "query").any()
    assert np.isfinite(dressed.embed(["river " * 500], "query")).all()


def test_the_fingerprint_is_that_of_the_weights_and_not_of_the_place(
    tiny: Path, tmp_path: Path, export: ModuleType
) -> None:
    here = open_embedder(f"path:{tiny / 'embedder'}", tmp_path).fingerprint
    assert open_embedder(f"path:{copy(tiny, tmp_path)}", tmp_path).fingerprint == here
    export.tiny(tmp_path / "other" / "embedder", seed=1)
    assert open_embedder(f"path:{tmp_path / 'other' / 'embedder'}", tmp_path).fingerprint != here


def test_coverage_is_high_for_known_words_and_low_for_spelling(embedder: OnnxEmbedder) -> None:
    assert embedder.coverage("the database backup server") > 0.8
    assert embedder.coverage("xqz vwk zzt") < 0.1
    assert embedder.coverage("12 !?") == 0


def test_threads_share_one_embedder(tiny: Path, tmp_path: Path) -> None:
    embedder = open_embedder(f"path:{tiny / 'embedder'}", tmp_path)
    start = threading.Barrier(6)
    results: list[np.ndarray] = []

    def work() -> None:
        start.wait()
        results.append(embedder.embed(TEXTS * 10, "document"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert all(np.allclose(result, results[0], atol=1e-6) for result in results)


# -- what is missing or broken -------------------------------------------------------------------------------------


def test_a_model_that_was_not_pulled_names_both_ways_out(extra: None, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"hearth models pull minilm .*hearth models use static"):
        open_embedder(None, tmp_path)


def test_without_the_extra_the_error_names_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(Unavailable, match=r"pip install 'hearth-memory\[onnx\]', then hearth models pull minilm"):
        open_embedder("minilm", tmp_path)


def test_an_unknown_name_lists_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"minilm, .*path:"):
        open_embedder("minilmm", tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_missing_or_truncated_file_is_named_on_opening(tiny: Path, tmp_path: Path, name: str) -> None:
    folder = copy(tiny, tmp_path)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(Unavailable, match=f"incomplete .{name}"):
        open_embedder(f"path:{folder}", tmp_path)
    (folder / name).unlink()
    with pytest.raises(Unavailable, match=f"incomplete .{name}"):
        open_embedder(f"path:{folder}", tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_file_of_nonsense_is_unavailable_and_not_a_crash(tiny: Path, tmp_path: Path, name: str) -> None:
    folder = copy(tiny, tmp_path)
    (folder / name).write_bytes(b"\xff" * (folder / name).stat().st_size)
    embedder = open_embedder(f"path:{folder}", tmp_path)
    with pytest.raises(Unavailable, match="can't be loaded"):
        embedder.embed(["cat"], "query")


def test_a_manifest_of_nonsense_is_unavailable(tiny: Path, tmp_path: Path) -> None:
    folder = copy(tiny, tmp_path)
    for text in ("{", "[]", '{"format": 9}', '{"format": 1, "files": {}}'):
        (folder / "hearth.json").write_text(text, "utf-8")
        with pytest.raises(Unavailable, match=r"hearth\.json can't be read"):
            open_embedder(f"path:{folder}", tmp_path)


def test_nan_from_the_model_is_a_bad_reply(export: ModuleType, extra: None, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    weights = export.random_weights(32, 0)
    weights["encoder.layer.1.output.LayerNorm.bias"][:] = np.nan
    export.write_source(tmp_path / "source", weights)
    export.export(tmp_path / "source", tmp_path / "nan", int8=False, reranker=False, max_tokens=64)
    with pytest.raises(BadReply, match="NaN"):
        open_embedder(f"path:{tmp_path / 'nan'}", tmp_path).embed(["cat"], "document")


def test_vectors_of_another_width_are_a_bad_reply(tiny: Path, tmp_path: Path) -> None:
    folder = copy(tiny, tmp_path)
    row = (folder / "hearth.json").read_text("utf-8")
    (folder / "hearth.json").write_text(row.replace('"dimensions": 32', '"dimensions": 48'), "utf-8")
    with pytest.raises(BadReply, match="not 48 numbers"):
        open_embedder(f"path:{folder}", tmp_path).embed(["cat"], "document")


def test_a_reranker_is_no_embedder(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="kind reranker, not embedder"):
        open_embedder(f"path:{tiny / 'reranker'}", tmp_path)


def test_a_curve_that_was_measured_later_reaches_a_model_pulled_before(
    extra: None, export: ModuleType, tmp_path: Path
) -> None:
    made = export.tiny(tmp_path / "minilm")
    assert made.recipe.curve is None
    embedder = open_embedder(None, tmp_path)
    assert embedder.curve is not None and embedder.curve.slope > 0
    assert embedder.fingerprint == made.fingerprint
