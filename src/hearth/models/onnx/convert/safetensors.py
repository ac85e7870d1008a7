"""Weights in the safetensors format: eight bytes of length, a header of JSON, raw little-endian numbers.

The format: https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_TYPES = {"F32": "<f4", "F16": "<f2"}
_MAX_HEADER = 100_000_000


def read(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every float tensor by name, mapped, not read; half precision is widened.

    Raises ``ValueError`` for a file that is cut off or no safetensors, ``OSError`` for one that can't be read.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 2 <= size <= _MAX_HEADER:
            raise ValueError(f"{path.name} is no safetensors file")
        header = json.loads(file.read(size))
    data = np.memmap(path, np.uint8, "r")[8 + size :]
    found: dict[str, NDArray[np.float32]] = {}
    for name, entry in header.items():
        kind = _TYPES.get(entry.get("dtype", ""))
        if kind is None:
            continue
        start, end = entry["data_offsets"]
        if not 0 <= start <= end <= len(data):
            raise ValueError(f"{path.name} is cut off")
        found[name] = data[start:end].view(kind).reshape(entry["shape"]).astype(np.float32, copy=False)
    return found
