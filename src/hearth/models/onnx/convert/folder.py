"""From a folder of safetensors weights to a folder with an ONNX model that any program can run."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from hearth.errors import BadReply
from hearth.files import sync_folder
from hearth.models.onnx.convert import bert, safetensors

MODEL_FILE = "model.onnx"
_TOKENIZER = ("special_tokens_map.json", "config.json")


def convert(source: Path, target: Path, *, small: bool, max_tokens: int, head: bool = False) -> tuple[str, ...]:
    """Writes ``model.onnx`` and what a tokenizer needs into ``target``, which exists; returns the names.

    ``small``: int8 weights. ``head``: a cross-encoder, with its classifier. Raises ``BadReply`` where ``source`` holds
    no BERT, ``OSError`` where a file can't be read or written.
    """
    try:
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        shape = bert.Shape.read(config)
        weights = safetensors.read(source / "model.safetensors")
        pieces = bert.cross_encoder(weights, shape) if head else bert.encoder(weights, shape, small=small)
    except (ValueError, KeyError, TypeError) as error:
        raise BadReply(f"{source} holds no BERT model that can be converted: {error!r}") from error
    with (target / MODEL_FILE).open("wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    for name in _TOKENIZER:
        shutil.copyfile(source / name, target / name)
    _tokenizer(source, target, max_tokens)
    sync_folder(target)
    return (MODEL_FILE, "tokenizer.json", "tokenizer_config.json", *_TOKENIZER)


def _tokenizer(source: Path, target: Path, max_tokens: int) -> None:
    """Without the truncation and the padding to a fixed length that published tokenizers carry."""
    tokenizer = _json(source / "tokenizer.json")
    tokenizer["truncation"] = tokenizer["padding"] = None
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (target / "tokenizer.json").write_text(text, encoding="utf-8")
    settings = _json(source / "tokenizer_config.json") | {"model_max_length": max_tokens}
    (target / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _json(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return read
