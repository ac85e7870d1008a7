"""A BERT encoder as an ONNX graph: Devlin et al. 2019, in the fused operators of onnxruntime.

Fused (``com.microsoft``: Attention, SkipLayerNormalization, BiasGelu) because onnxruntime does not find the pattern of
a written-out attention by itself. The result, the last hidden state, is pooled by the program that runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hearth.lazy import dataclass
from hearth.models.onnx.convert import protobuf

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
        self.nodes.append(protobuf.node(kind, inputs, [output], domain, **attributes))
        return output

    def fused(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self.node(kind, inputs, output, protobuf.CONTRIB_DOMAIN, **attributes)

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
        inputs = [protobuf.value(name, "int64", ("batch", "sequence")) for name in _INPUTS]
        return protobuf.model(self.nodes, self.constants, inputs, [protobuf.value(output, "float32", shape)])


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
    graph.nodes.append(
        protobuf.node("DynamicQuantizeLinear", [state], [f"{name}.in", f"{name}.in.scale", f"{name}.in.zero"])
    )
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
