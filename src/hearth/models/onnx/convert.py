"""From published weights to an ONNX file, with numpy alone."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearth.core.errors import BadReply
from hearth.core.files import sync_folder
from hearth.core.lazy import dataclass

IR_VERSION = 9
OPSET = 20
CONTRIB_DOMAIN = "com.microsoft"
CONTRIB_OPSET = 1

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}


def node(kind: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any) -> bytes:
    """A NodeProto, named after its first output."""
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts += [_text(3, outputs[0]), _text(4, kind)]
    parts += [_message(5, _attribute(name, value)) for name, value in sorted(attributes.items())]
    parts.append(_text(7, domain))
    return b"".join(parts)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """A TensorProto with its data inside, little-endian."""
    little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _TYPES[values.dtype.name]) + _text(8, name) + _message(9, little.tobytes())


def value(name: str, kind: str, shape: Sequence[str | int]) -> bytes:
    """A ValueInfoProto; a word in ``shape`` is a dimension that varies."""
    dims = (_message(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    kept = _number(1, _TYPES[kind]) + _message(2, b"".join(dims))
    return _text(1, name) + _message(2, _message(1, kept))


def model(
    nodes: Sequence[bytes], tensors: Mapping[str, NDArray[Any]], inputs: Sequence[bytes], outputs: Sequence[bytes]
) -> list[bytes]:
    """A ModelProto in pieces that, written one after the other, are the file."""
    body = [_message(1, one) for one in nodes]
    body.append(_text(2, "hearth"))
    for name, values in tensors.items():
        one = tensor(name, values)
        body += [_key(5, _BYTES) + _varint(len(one)), one]
    body += [_message(11, one) for one in inputs]
    body += [_message(12, one) for one in outputs]
    head = _number(1, IR_VERSION) + _text(2, "hearth")
    head += _message(8, _text(1, "") + _number(2, OPSET))
    head += _message(8, _text(1, CONTRIB_DOMAIN) + _number(2, CONTRIB_OPSET))
    return [head, _key(7, _BYTES) + _varint(sum(map(len, body))), *body]


def _attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    kept = _text(1, name)
    if isinstance(value, float):
        return kept + _key(2, _FIXED32) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return kept + _number(3, value) + _number(20, 2)
    return kept + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _number(field: int, value: int) -> bytes:
    return _key(field, _VARINT) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode("utf-8"))


def _message(field: int, data: bytes) -> bytes:
    return _key(field, _BYTES) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


Weights = Mapping[str, NDArray[np.float32]]

LEVELS = 63
"""Of int8 weights. Seven bits, since processors without VNNI add pairs of products in 16 bits: 2 * 255 * 127 would
overflow there, 2 * 255 * 63 does not, so that every machine computes the same vectors."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, slots=True)
class Shape:
    """What ``config.json`` says of a BERT."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> Shape:
        """Raises ``KeyError`` for what is missing, ``ValueError`` for another kind of model."""
        if config["model_type"] != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise ValueError(f"only BERT with gelu can be converted, not {config['model_type']}")
        return cls(config["num_hidden_layers"], config["num_attention_heads"], float(config["layer_norm_eps"]))


def encoder(weights: Weights, shape: Shape, *, small: bool = False) -> list[bytes]:
    """The file of an encoder, in pieces; ``small``: int8 weights, activations quantised as they come.

    Output ``last_hidden_state`` is (batch, sequence, hidden). ``weights`` are named as in transformers.
    """
    graph = _Graph(_strip_prefix(weights), small)
    state = _embeddings(graph, shape)
    for layer in range(shape.layers):
        state = _layer(graph, state, f"encoder.layer.{layer}", shape)
    graph.node("Identity", [state], "last_hidden_state")
    hidden = int(graph.weights["embeddings.LayerNorm.weight"].shape[0])
    return graph.file("last_hidden_state", ("batch", "sequence", hidden))


def cross_encoder(weights: Weights, shape: Shape) -> list[bytes]:
    """The file of a cross-encoder: pooler and classifier on the first token; output ``logits`` is (batch, 1)."""
    graph = _Graph(_strip_prefix(weights), small=False)
    state = _embeddings(graph, shape)
    for layer in range(shape.layers):
        state = _layer(graph, state, f"encoder.layer.{layer}", shape)
    first = graph.node("Gather", [state, graph.constant("zero", np.array(0, np.int64))], "first", axis=1)
    pooled = graph.node("Tanh", [graph.dense(first, "pooler.dense", "pooled")], "tanh")
    graph.node("Identity", [graph.dense(pooled, "classifier", "classified")], "logits")
    return graph.file("logits", ("batch", 1))


@dataclass(slots=True)
class _Graph:
    """Nodes and constants as they are added."""

    weights: Weights
    small: bool
    nodes: list[bytes] = field(default_factory=list)
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(node(kind, inputs, [output], domain, **attributes))
        return output

    def fused(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self.node(kind, inputs, output, CONTRIB_DOMAIN, **attributes)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self.constants[name] = values
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def product(self, state: str, name: str, output: str) -> str:
        """State times a weight matrix, without its bias."""
        matrix = self.weights[f"{name}.weight"].T
        if not self.small:
            return self.node("MatMul", [state, self.constant(f"{name}.weight", matrix)], output)
        levels, scales = columns(matrix)
        kept = [self.constant(f"{name}.weight", levels), self.constant(f"{name}.scale", scales)]
        return self.fused("DynamicQuantizeMatMul", [state, *kept], output)

    def dense(self, state: str, name: str, output: str) -> str:
        return self.node("Add", [self.product(state, name, f"{output}.product"), self.weight(f"{name}.bias")], output)

    def file(self, output: str, shape: tuple[str | int, ...]) -> list[bytes]:
        inputs = [value(name, "int64", ("batch", "sequence")) for name in _INPUTS]
        return model(self.nodes, self.constants, inputs, [value(output, "float32", shape)])


def _embeddings(graph: _Graph, shape: Shape) -> str:
    words = _word_rows(graph)
    table = graph.weight("embeddings.position_embeddings.weight")
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    start = graph.constant("start", np.array([0], np.int64))
    places = graph.node("Slice", [table, start, length, start], "places")
    kinds = graph.node("Gather", [graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"], "kinds")
    total = graph.node("Add", [graph.node("Add", [words, kinds], "words+kinds"), places], "words+kinds+places")
    graph.node("Cast", ["attention_mask"], "mask", to=6)
    norm = [graph.weight("embeddings.LayerNorm.weight"), graph.weight("embeddings.LayerNorm.bias")]
    return graph.node("LayerNormalization", [total, *norm], "embedded", axis=-1, epsilon=shape.epsilon)


def _word_rows(graph: _Graph) -> str:
    name = "embeddings.word_embeddings"
    if not graph.small:
        return graph.node("Gather", [graph.weight(f"{name}.weight"), "input_ids"], "words")
    # Only looked up, never multiplied: all of int8, with one scale a row.
    levels, scales = columns(graph.weights[f"{name}.weight"].T, 127)
    rows = graph.constant(f"{name}.weight", np.ascontiguousarray(levels.T))
    sizes = graph.constant(f"{name}.scale", scales[:, None])
    picked = graph.node("Cast", [graph.node("Gather", [rows, "input_ids"], "rows")], "rows.float", to=1)
    return graph.node("Mul", [picked, graph.node("Gather", [sizes, "input_ids"], "sizes")], "words")


def _layer(graph: _Graph, state: str, name: str, shape: Shape) -> str:
    heads = _attention(graph, state, f"{name}.attention.self", shape.heads)
    mixed = graph.product(heads, f"{name}.attention.output.dense", f"{name}.mixed")
    middle = _norm(graph, mixed, state, f"{name}.attention.output", shape)
    wide = graph.product(middle, f"{name}.intermediate.dense", f"{name}.wide")
    bent = graph.fused("BiasGelu", [wide, graph.weight(f"{name}.intermediate.dense.bias")], f"{name}.gelu")
    narrow = graph.product(bent, f"{name}.output.dense", f"{name}.narrow")
    return _norm(graph, narrow, middle, f"{name}.output", shape)


def _attention(graph: _Graph, state: str, name: str, heads: int) -> str:
    parts = [graph.weights[f"{name}.{part}.weight"].T for part in ("query", "key", "value")]
    biases = [graph.weights[f"{name}.{part}.bias"] for part in ("query", "key", "value")]
    matrix, bias = np.concatenate(parts, axis=1), graph.constant(f"{name}.bias", np.concatenate(biases))
    if not graph.small:
        inputs = [state, graph.constant(f"{name}.weight", matrix), bias, "mask"]
        return graph.fused("Attention", inputs, f"{name}.heads", num_heads=heads)
    levels, scales = columns(matrix)
    graph.nodes.append(node("DynamicQuantizeLinear", [state], [f"{name}.in", f"{name}.in.scale", f"{name}.in.zero"]))
    inputs = [f"{name}.in", graph.constant(f"{name}.weight", levels), bias]
    inputs += [f"{name}.in.scale", graph.constant(f"{name}.scale", scales), "mask", f"{name}.in.zero"]
    zeros = graph.constant(f"{name}.zero", np.zeros(scales.shape, np.int8))
    return graph.fused("QAttention", [*inputs, zeros], f"{name}.heads", num_heads=heads)


def _norm(graph: _Graph, state: str, skipped: str, name: str, shape: Shape) -> str:
    norm = [graph.weight(f"{name}.LayerNorm.weight"), graph.weight(f"{name}.LayerNorm.bias")]
    inputs = [state, skipped, *norm, graph.weight(f"{name}.dense.bias")]
    return graph.fused("SkipLayerNormalization", inputs, f"{name}.normed", epsilon=shape.epsilon)


def columns(matrix: NDArray[np.float32], levels: int = LEVELS) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """int8 (n, m) and scales (m,): about ``matrix`` when multiplied, off by half a scale at most."""
    scales = np.abs(matrix).max(axis=0).astype(np.float32) / np.float32(levels)
    scales[scales == 0] = 1
    return np.rint(matrix / scales).astype(np.int8), scales


def _strip_prefix(weights: Weights) -> Weights:
    """Without the prefix that a model with a head puts before the names of its encoder."""
    return {name.removeprefix("bert."): values for name, values in weights.items()}


_SAFETENSORS_TYPES = {"F32": "<f4", "F16": "<f2"}
_MAX_HEADER = 100_000_000


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every float tensor by name, mapped, not read; half precision is widened.

    Raises ``ValueError`` for a file that is truncated or no safetensors, ``OSError`` for one that can't be read.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 2 <= size <= _MAX_HEADER:
            raise ValueError(f"{path.name} is not a safetensors file")
        header = json.loads(file.read(size))
    data = np.memmap(path, np.uint8, "r")[8 + size :]
    found: dict[str, NDArray[np.float32]] = {}
    for name, entry in header.items():
        kind = _SAFETENSORS_TYPES.get(entry.get("dtype", ""))
        if kind is None:
            continue
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= len(data):
            raise ValueError(f"{path.name} is truncated")
        found[name] = data[start:end].view(kind).reshape(entry["shape"]).astype(np.float32, copy=False)
    return found


MODEL_FILE = "model.onnx"
_TOKENIZER = ("special_tokens_map.json", "config.json")


def convert(source: Path, target: Path, *, small: bool, max_tokens: int, head: bool = False) -> tuple[str, ...]:
    """Writes ``model.onnx`` and what a tokenizer needs into ``target``, which exists; returns the names.

    ``small``: int8 weights. ``head``: a cross-encoder, with its classifier. Raises ``BadReply`` where ``source`` holds
    no BERT, ``OSError`` where a file can't be read or written.
    """
    try:
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        shape = Shape.read(config)
        weights = read(source / "model.safetensors")
        pieces = cross_encoder(weights, shape) if head else encoder(weights, shape, small=small)
    except (ValueError, KeyError, TypeError) as error:
        raise BadReply(f"{source} has no BERT model that can be converted: {error!r}") from error
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
