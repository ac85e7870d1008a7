from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hearth.models.static import dequantize, quantize

MATRICES = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.floats(-1e6, 1e6, width=32),
)


@settings(max_examples=80, deadline=None)
@given(MATRICES)
def test_a_component_is_off_by_at_most_half_a_level(vectors: np.ndarray) -> None:
    levels, scales = quantize(vectors)
    assert levels.dtype == np.int8
    assert scales.dtype == np.float32
    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    assert (np.abs(dequantize(levels, scales) - vectors) <= peaks / 254 * 1.001 + 1e-35).all()


@settings(max_examples=80, deadline=None)
@given(MATRICES)
def test_a_mirrored_vector_has_mirrored_levels(vectors: np.ndarray) -> None:
    assert np.array_equal(quantize(-vectors)[0], -quantize(vectors)[0])


def test_zero_rows_stay_zero_and_no_rows_stay_none() -> None:
    levels, scales = quantize(np.zeros((2, 4), np.float32))
    assert not dequantize(levels, scales).any()
    assert quantize(np.zeros((0, 4), np.float32))[0].shape == (0, 4)


def test_cosines_of_unit_vectors_survive() -> None:
    vectors = np.random.default_rng(3).standard_normal((200, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    back = dequantize(*quantize(vectors))
    assert np.abs(back @ back.T - vectors @ vectors.T).max() < 0.01
