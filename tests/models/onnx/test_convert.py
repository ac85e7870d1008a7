"""The converted model computes what BERT computes, by a second implementation that is as plain as can be."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.errors import BadReply
from hearth.models.onnx import catalogue
from hearth.models.onnx import convert as onnx
from hearth.models.onnx.convert import _varint, convert

Array = np.ndarray[Any, Any]


def normed(x: Array, w: dict[str, Array], name: str) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled: Array = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def dense(x: Array, w: dict[str, Array], name: str) -> Array:
    result: Array = x @ w[f"{name}.weight"].T.astype(np.float64) + w[f"{name}.bias"]
    return result


def bert_states(w: dict[str, Array], ids: list[int], kinds: list[int], layers: int, heads: int) -> Array:
    """Last hidden state (tokens, hidden) of one text, after Devlin et al. 2019."""
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = normed(x.astype(np.float64) + w["embeddings.token_type_embeddings.weight"][kinds], w, "embeddings.LayerNorm")
    gelu = np.vectorize(lambda value: value * 0.5 * (1 + math.erf(value / math.sqrt(2))))
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        q, k, v = (dense(x, w, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        size = x.shape[1] // heads
        mixed = np.empty_like(x)
        for head in range(heads):
            at = slice(head * size, (head + 1) * size)
            scores = np.exp(q[:, at] @ k[:, at].T / math.sqrt(size))
            mixed[:, at] = (scores / scores.sum(1, keepdims=True)) @ v[:, at]
        x = normed(x + dense(mixed, w, f"{name}.attention.output.dense"), w, f"{name}.attention.output.LayerNorm")
        inner = dense(gelu(dense(x, w, f"{name}.intermediate.dense")), w, f"{name}.output.dense")
        x = normed(x + inner, w, f"{name}.output.LayerNorm")
    return x


def session(path: Path) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def run(path: Path, rows: list[list[int]], kinds: int = 0) -> Array:
    """Rows padded to the longest."""
    width = max(map(len, rows))
    ids = np.array([row + [0] * (width - len(row)) for row in rows], np.int64)
    mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in rows], np.int64)
    result: Array = session(path).run(
        None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.full_like(ids, kinds)}
    )[0]
    return result


@pytest.fixture
def source(export: ModuleType, tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    export.write_source(folder, export.random_weights(32, 3))
    return folder


def test_an_encoder_computes_what_bert_computes_padded_or_not(extra: None, export: ModuleType, tmp_path: Path) -> None:
    weights = export.random_weights(32, 7)
    shape = onnx.Shape(export.LAYERS, export.HEADS, 1e-12)
    (tmp_path / "m.onnx").write_bytes(b"".join(onnx.encoder(weights, shape)))
    rows = [[2, 9, 30, 31, 3], [2, 40, 3]]
    for kinds in (0, 1):
        states = run(tmp_path / "m.onnx", rows, kinds)
        for row, got in zip(rows, states, strict=True):
            expected = bert_states(weights, row, [kinds] * len(row), shape.layers, shape.heads)
            assert np.allclose(got[: len(row)], expected, atol=2e-5)


def test_a_cross_encoder_computes_pooler_and_classifier(extra: None, export: ModuleType, tmp_path: Path) -> None:
    weights = export.random_weights(32, 7, reranker=True)
    shape = onnx.Shape(export.LAYERS, export.HEADS, 1e-12)
    (tmp_path / "m.onnx").write_bytes(b"".join(onnx.cross_encoder(weights, shape)))
    plain = {name.removeprefix("bert."): values for name, values in weights.items()}
    row = [2, 9, 30, 31, 3]
    first = bert_states(plain, row, [0] * len(row), shape.layers, shape.heads)[:1]
    expected = dense(np.tanh(dense(first, plain, "pooler.dense")), plain, "classifier")
    got = run(tmp_path / "m.onnx", [row])
    assert got.shape == (1, 1)
    assert np.allclose(got, expected, atol=1e-5)


def test_int8_weights_are_a_quarter_of_the_size_and_near_the_original(
    extra: None, export: ModuleType, tmp_path: Path
) -> None:
    weights = export.random_weights(128, 7)
    shape = onnx.Shape(export.LAYERS, export.HEADS, 1e-12)
    (tmp_path / "full.onnx").write_bytes(b"".join(onnx.encoder(weights, shape)))
    (tmp_path / "small.onnx").write_bytes(b"".join(onnx.encoder(weights, shape, small=True)))
    assert (tmp_path / "small.onnx").stat().st_size < 0.4 * (tmp_path / "full.onnx").stat().st_size
    row = [[2, 9, 30, 31, 50, 60, 70, 3]]
    full, small = (run(tmp_path / name, row)[0].mean(0) for name in ("full.onnx", "small.onnx"))
    assert full @ small / np.linalg.norm(full) / np.linalg.norm(small) > 0.99


@given(st.integers(0, 2**64 - 1))
def test_a_varint_reads_back(number: int) -> None:
    data = _varint(number)
    assert sum((byte & 0x7F) << 7 * at for at, byte in enumerate(data)) == number
    assert all(byte & 0x80 for byte in data[:-1]) and not data[-1] & 0x80


def test_columns_are_off_by_half_a_scale_at_most() -> None:
    matrix = np.random.default_rng(1).standard_normal((40, 12)).astype(np.float32)
    matrix[:, 3] = 0
    levels, scales = onnx.columns(matrix)
    assert np.abs(levels).max() == onnx.LEVELS
    assert (np.abs(levels * scales - matrix) <= scales / 2 + 1e-6).all()


def test_converting_twice_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    sums = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        names = convert(source, tmp_path / name, small=True, max_tokens=32)
        sums.append(catalogue.describe_files(tmp_path / name, names))
    assert sums[0] == sums[1]


def test_the_baked_in_padding_of_a_published_tokenizer_is_taken_out(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    convert(source, tmp_path / "out", small=False, max_tokens=32)
    tokenizer = json.loads((tmp_path / "out" / "tokenizer.json").read_text("utf-8"))
    assert tokenizer["padding"] is None and tokenizer["truncation"] is None
    assert json.loads((tmp_path / "out" / "tokenizer_config.json").read_text("utf-8"))["model_max_length"] == 32


def test_half_precision_is_widened(tmp_path: Path) -> None:
    values = np.array([[1.5, -2.25]], np.float16)
    header = (
        b'{"x":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"n":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}}'
    )
    (tmp_path / "w.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + values.tobytes())
    found = onnx.read(tmp_path / "w.safetensors")
    assert set(found) == {"x"}
    assert found["x"].dtype == np.float32
    assert found["x"].tolist() == [[1.5, -2.25]]


@pytest.mark.parametrize("cut", [0, 4, 100, -10])
def test_weights_that_are_cut_off_are_a_bad_reply(source: Path, tmp_path: Path, cut: int) -> None:
    whole = (source / "model.safetensors").read_bytes()
    (source / "model.safetensors").write_bytes(whole[:cut])
    (tmp_path / "out").mkdir()
    with pytest.raises(BadReply, match="no BERT model"):
        convert(source, tmp_path / "out", small=False, max_tokens=32)


def test_another_kind_of_model_is_refused(source: Path, tmp_path: Path) -> None:
    config = json.loads((source / "config.json").read_text("utf-8"))
    (source / "config.json").write_text(json.dumps(config | {"model_type": "gpt2"}), "utf-8")
    (tmp_path / "out").mkdir()
    with pytest.raises(BadReply, match="only BERT"):
        convert(source, tmp_path / "out", small=False, max_tokens=32)


def test_weights_of_fewer_layers_than_stated_are_refused(source: Path, tmp_path: Path) -> None:
    config = json.loads((source / "config.json").read_text("utf-8"))
    (source / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 5}), "utf-8")
    (tmp_path / "out").mkdir()
    with pytest.raises(BadReply, match=r"encoder\.layer\.2"):
        convert(source, tmp_path / "out", small=False, max_tokens=32)


def test_the_tool_makes_the_same_model_from_its_command_line(
    extra: None, export: ModuleType, tiny: Path, tmp_path: Path
) -> None:
    import subprocess
    import sys

    command = [sys.executable, export.__file__ or "", "tiny", str(tmp_path / "embedder")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    made, known = catalogue.read_manifest(tmp_path / "embedder"), catalogue.read_manifest(tiny / "embedder")
    assert made is not None and known is not None
    assert made.files == known.files
    assert made.fingerprint in done.stdout
    shutil.rmtree(tmp_path / "embedder")
