"""int8 rows with one scale each: a quarter of float32 at an error that retrieval does not notice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVELS = 127
"""Symmetric, so that -128 never occurs and a vector and its negative stay mirror images."""


def quantize(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """float32 (n, d) -> int8 (n, d) and scales (n,); a row is about ``int8 row * scale``.

    A component is off by at most scale / 2 = max|row| / 254, a row of Euclidean length 1 therefore by at most
    sqrt(d) * max|row| / 254: about 0.01 for d = 256 and the usual largest component of 0.2. Rows of zeros stay zero.
    Values must be finite.
    """
    peaks = np.abs(vectors).max(axis=1, initial=0)
    scales = np.asarray(peaks / LEVELS, dtype=np.float32)
    # A subnormal peak can make its scale too coarse for the row to fit; such a row is nothing but zero.
    scales[scales < np.finfo(np.float32).tiny] = 0
    divisors = np.where(scales > 0, scales, np.float32(np.inf))
    levels = np.clip(np.rint(vectors / divisors[:, None]), -LEVELS, LEVELS)
    return levels.astype(np.int8), scales


def dequantize(levels: NDArray[np.int8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """int8 (n, d) and scales (n,) -> float32 (n, d)."""
    return np.asarray(levels * scales[:, None], dtype=np.float32)
