"""Makes model folders for `hearth models use path:FOLDER`, without torch and without the package `onnx`.

    python tools/export_onnx.py convert SOURCE TARGET [--int8] [--reranker] [--max-tokens N]
    python tools/export_onnx.py tiny TARGET [--reranker] [--dimensions N] [--seed N]

`convert` turns a folder with `model.safetensors`, `config.json` and the files of a tokenizer, as BERT models are
published, into an ONNX folder; `hearth models pull minilm` does the same. `tiny` makes a model with random weights for
tests: equal options give equal files.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearth.models.onnx import catalogue
from hearth.models.onnx.catalogue import ExportRecipe, Manifest
from hearth.models.onnx.convert import convert

Weights = dict[str, NDArray[np.float32]]

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MARKS = ".,;:!?()[]{}'\"-_/#*+=&%$@<>|~`^\\"
WORDS = (
    "the a of and to in is was for on with as by at we you it from or an be this that not are but have had which one "
    "all were when there can more if no out so said what up its about into than them only other new some could time "
    "database backup server river cat sleeps roof warm money refund refunds paid weeks request coffee release index "
    "memory postgres mongodb choose chose over why how do get my back two within"
)
LAYERS, HEADS = 2, 2
PLACES = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("convert")
    one.add_argument("source", type=Path)
    one.add_argument("target", type=Path)
    one.add_argument("--int8", action="store_true")
    one.add_argument("--reranker", action="store_true")
    one.add_argument("--max-tokens", type=int, default=256)
    other = commands.add_parser("tiny")
    other.add_argument("target", type=Path)
    other.add_argument("--reranker", action="store_true")
    other.add_argument("--dimensions", type=int, default=32)
    other.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.command == "convert":
        made = export(given.source, given.target, int8=given.int8, reranker=given.reranker, max_tokens=given.max_tokens)
    else:
        made = tiny(given.target, reranker=given.reranker, dimensions=given.dimensions, seed=given.seed)
    print(f"{given.target}: {made.fingerprint}, {made.bytes:,} bytes")


def export(source: Path, target: Path, *, int8: bool, reranker: bool, max_tokens: int) -> Manifest:
    """Converts, and writes a manifest beside the model."""
    target.mkdir(parents=True, exist_ok=True)
    names = convert(source, target, small=int8, max_tokens=max_tokens, head=reranker)
    config = json.loads((source / "config.json").read_text("utf-8"))
    recipe = ExportRecipe(
        name=target.name,
        kind="reranker" if reranker else "embedder",
        model_file="model.onnx",
        max_tokens=max_tokens,
        dimensions=0 if reranker else config["hidden_size"],
        pooling="none" if reranker else "mean",
    )
    made = Manifest(recipe, f"converted from {source.name}", catalogue.describe_files(target, names))
    catalogue.write_manifest(target, made)
    return made


def tiny(target: Path, *, reranker: bool = False, dimensions: int = 32, seed: int = 0, int8: bool = False) -> Manifest:
    """A model with random weights that knows a few words and every letter, over windows of ``PLACES`` tokens."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "tiny")
        source.mkdir()
        write_source(source, random_weights(dimensions, seed, reranker=reranker))
        return export(source, target, int8=int8, reranker=reranker, max_tokens=PLACES)


def vocabulary() -> list[str]:
    rest = [f"##{letter}" for letter in LETTERS]
    return list(dict.fromkeys([*SPECIAL, *LETTERS, *rest, *MARKS, *WORDS.split()]))


def random_weights(dimensions: int, seed: int, *, reranker: bool = False) -> Weights:
    """Named as in transformers; the words weigh most, so that unlike texts get unlike vectors."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 0.1) -> NDArray[np.float32]:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    wide = 2 * dimensions
    found: Weights = {
        "embeddings.word_embeddings.weight": normal(len(vocabulary()), dimensions, scale=1.0),
        "embeddings.position_embeddings.weight": normal(PLACES, dimensions),
        "embeddings.token_type_embeddings.weight": normal(2, dimensions),
        **_norm("embeddings.LayerNorm", dimensions),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        shapes = {f"attention.self.{part}": (dimensions, dimensions) for part in ("query", "key", "value")}
        shapes |= {"attention.output.dense": (dimensions, dimensions)}
        shapes |= {"intermediate.dense": (wide, dimensions), "output.dense": (dimensions, wide)}
        for part, shape in shapes.items():
            found[f"{name}.{part}.weight"] = normal(*shape)
            found[f"{name}.{part}.bias"] = normal(shape[0])
        found |= _norm(f"{name}.attention.output.LayerNorm", dimensions) | _norm(f"{name}.output.LayerNorm", dimensions)
    if reranker:
        found = {f"bert.{key}": value for key, value in found.items()}
        found |= {
            "bert.pooler.dense.weight": normal(dimensions, dimensions),
            "bert.pooler.dense.bias": normal(dimensions),
        }
        found |= {"classifier.weight": normal(1, dimensions, scale=1.0), "classifier.bias": normal(1)}
    return found


def write_source(folder: Path, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """The files as a model is published: safetensors, configuration, tokenizer with a fixed padding baked in."""
    dimensions = next(values.shape[1] for name, values in weights.items() if name.endswith("word_embeddings.weight"))
    config: dict[str, Any] = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": dimensions,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": PLACES,
        "pad_token_id": 0,
    }
    tokens = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True))
    _write(folder / "config.json", config)
    _write(folder / "tokenizer.json", _tokenizer())
    _write(folder / "tokenizer_config.json", {**tokens, "model_max_length": PLACES})
    _write(folder / "special_tokens_map.json", tokens)
    (folder / "model.safetensors").write_bytes(safetensors(weights))


def safetensors(weights: Mapping[str, NDArray[np.float32]]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, values in weights.items():
        raw = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def _norm(name: str, dimensions: int) -> Weights:
    return {f"{name}.weight": np.ones(dimensions, np.float32), f"{name}.bias": np.zeros(dimensions, np.float32)}


def _tokenizer() -> dict[str, Any]:
    rows = {token: row for row, token in enumerate(vocabulary())}
    start, end = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("[CLS]", "[SEP]"))
    first, second = ({"Sequence": {"id": name, "type_id": kind}} for name, kind in (("A", 0), ("B", 1)))
    return {
        "version": "1.0",
        "truncation": {"max_length": 16, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 16},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": [
            {"id": rows[token], "content": token, "special": True}
            | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
            for token in SPECIAL
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, first, end],
            "pair": [start, first, end, second, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {
                name: {"id": name, "ids": [rows[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": rows,
        },
    }


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


if __name__ == "__main__":
    main()
