"""Folders that other programs made, without a manifest of Hearth."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from hearth.core.errors import Unavailable
from hearth.models.onnx import open_embedder, open_reranker


@pytest.fixture
def foreign(tiny: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(tiny / "embedder", tmp_path / "foreign"))
    (folder / "hearth.json").unlink()
    return folder


def test_a_folder_without_a_manifest_is_read_from_what_lies_beside_the_model(
    foreign: Path, tiny: Path, tmp_path: Path
) -> None:
    embedder = open_embedder(f"path:{foreign}", tmp_path / "models")
    assert (embedder.dimensions, embedder.max_tokens) == (32, 64)
    known = open_embedder(f"path:{tiny / 'embedder'}", tmp_path)
    assert np.allclose(embedder.embed(["the cat"], "query"), known.embed(["the cat"], "query"), atol=1e-6)


def test_pooling_window_and_prompts_are_those_of_sentence_transformers(foreign: Path, tmp_path: Path) -> None:
    plain = open_embedder(f"path:{foreign}", tmp_path)
    first, vector = plain.fingerprint, plain.embed(["the cat"], "query")
    (foreign / "1_Pooling").mkdir()
    (foreign / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}), "utf-8")
    (foreign / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24}), "utf-8")
    (foreign / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "ask: ", "passage": "told: "}}), "utf-8"
    )
    told = open_embedder(f"path:{foreign}", tmp_path)
    assert told.max_tokens == 24
    assert told.fingerprint != first
    assert not np.allclose(told.embed(["the cat"], "query"), vector, atol=1e-3)
    assert not np.allclose(told.embed(["the cat"], "query"), told.embed(["the cat"], "document"), atol=1e-3)


def test_renaming_the_folder_keeps_the_fingerprint(foreign: Path, tmp_path: Path) -> None:
    first = open_embedder(f"path:{foreign}", tmp_path).fingerprint
    foreign.rename(tmp_path / "renamed")
    assert open_embedder(f"path:{tmp_path / 'renamed'}", tmp_path).fingerprint == first


def test_the_model_may_lie_in_the_folder_onnx(foreign: Path, tmp_path: Path) -> None:
    (foreign / "onnx").mkdir()
    (foreign / "model.onnx").rename(foreign / "onnx" / "model.onnx")
    assert open_embedder(f"path:{foreign}", tmp_path).embed(["cat"], "query").any()


def test_checksums_are_remembered_until_a_file_changes(foreign: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    first = open_embedder(f"path:{foreign}", models).fingerprint
    before = (models / "local.json").stat()
    assert open_embedder(f"path:{foreign}", models).fingerprint == first
    assert (models / "local.json").stat().st_ino == before.st_ino
    data = (foreign / "model.onnx").read_bytes()
    (foreign / "model.onnx").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(foreign / "model.onnx", ns=(1, 1))
    assert open_embedder(f"path:{foreign}", models).fingerprint != first


def test_a_memory_that_can_not_be_used_costs_nothing_but_time(foreign: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.write_text("a file where the folder should be", "utf-8")
    assert open_embedder(f"path:{foreign}", models).dimensions == 32


def test_a_reranker_needs_no_manifest_either(tiny: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny / "reranker", tmp_path / "foreign"))
    (folder / "hearth.json").unlink()
    assert open_reranker(f"path:{folder}", tmp_path).score("why", ["cat"]).shape == (1,)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_what_the_folder_lacks_is_named(foreign: Path, tmp_path: Path, name: str) -> None:
    (foreign / name).unlink()
    with pytest.raises(Unavailable, match=name.replace(".", r"\.")):
        open_embedder(f"path:{foreign}", tmp_path)


@pytest.mark.parametrize("text", ["{", "[1]", "{}"])
def test_a_configuration_of_nonsense_is_unavailable(foreign: Path, tmp_path: Path, text: str) -> None:
    (foreign / "config.json").write_text(text, "utf-8")
    with pytest.raises(Unavailable, match="can't be read"):
        open_embedder(f"path:{foreign}", tmp_path)


def test_a_folder_that_is_not_there_is_unavailable(extra: None, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="has no ONNX model"):
        open_embedder(f"path:{tmp_path / 'nowhere'}", tmp_path)
