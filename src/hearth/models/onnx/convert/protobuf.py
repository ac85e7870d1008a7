"""The few protobuf messages of an ONNX file, written by hand: the package ``onnx`` would be 31 MB for one job.

Field numbers are those of onnx.proto3 (https://github.com/onnx/onnx), which are frozen.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
