"""Documents alike by their vectors: the same whatever order they came in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hearth.graph import similar_documents
from hearth.graph.similar_documents import FragmentRows


def make(seed: int, count: int, width: int = 16) -> tuple[similar_documents._ByteArray, similar_documents._VectorArray]:
    rng = np.random.default_rng(seed)
    levels = rng.integers(-127, 128, (count, width)).astype(np.int8)
    return levels, rng.uniform(0.001, 0.01, count).astype(np.float32)


def fragments(seed: int, count: int = 3) -> FragmentRows:
    levels, scales = make(seed, count)
    mean, scale = similar_documents.find_mean(levels, scales)
    return FragmentRows(np.vstack((levels, mean)), np.append(scales, np.float32(scale)))


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_the_nearest_do_not_depend_on_the_order_of_rows(seed: int, count: int) -> None:
    levels, scales = make(seed, count, width=2)
    levels //= 60  # so that many are equally near
    scales[:] = 0.5
    docids = [f"d{row:02}" for row in range(count)]
    order = np.random.default_rng(seed + 1).permutation(count)
    [(near, reach)] = similar_documents.find_nearest(levels[:1], [0], levels, scales, docids)
    own = int(np.flatnonzero(order == 0)[0])
    [(other, again)] = similar_documents.find_nearest(
        levels[:1], [own], levels[order], scales[order], [docids[row] for row in order]
    )
    assert [docids[row] for row in near] == [docids[order[row]] for row in other]
    assert reach == again
    assert len(near) == min(similar_documents.NEAREST, count - 1)
    assert 0 not in near


def test_what_is_near_is_found_beyond_the_first_block() -> None:
    levels, scales = make(7, 20_000, width=4)
    scales[:] = 0.01
    [(near, reach)] = similar_documents.find_nearest(
        levels[:1], [0], levels, scales, [str(row) for row in range(20_000)]
    )
    values = similar_documents.multiply(levels[:1], levels)[0] * scales
    values[0] = -np.inf
    expected = np.sort(values)[-similar_documents.NEAREST :]
    assert sorted(values[near].tolist()) == expected.tolist()
    assert reach == expected[0]


def test_many_at_once_are_compared_as_each_alone() -> None:
    levels, scales = make(8, 9_000, width=4)
    levels //= 20
    docids = [f"{row:05}" for row in range(9_000)]
    own = list(range(0, 9_000, 70))
    found = similar_documents.find_nearest(levels[own], own, levels, scales, docids)
    assert found == [similar_documents.find_nearest(levels[[at]], [at], levels, scales, docids)[0] for at in own]


@given(st.integers(0, 2**32))
def test_similarity_is_the_same_from_both_sides(seed: int) -> None:
    one, other = fragments(seed), fragments(seed + 1, 5)
    assert np.isclose(
        similar_documents.find_similarity(one, [other])[0], similar_documents.find_similarity(other, [one])[0]
    )
    assert similar_documents.find_similarity(one, [other, one, other])[::2] == similar_documents.find_similarity(
        one, [other, other]
    )


def test_products_are_exact_at_the_widest() -> None:
    wide = np.full((1, 1_024), 127, dtype=np.int8)
    assert similar_documents.multiply(wide, wide)[0, 0] == 127 * 127 * 1_024


def test_the_sample_changes_by_one_document_at_most() -> None:
    docids = [f"d{row}" for row in range(1_000)]
    chosen = similar_documents.choose_sample(docids)
    assert len(chosen) == similar_documents.SAMPLE == len(set(chosen))
    assert len(set(chosen) - set(similar_documents.choose_sample(docids[1:]))) <= 1
    assert similar_documents.choose_sample(docids[::-1]) == chosen
    assert similar_documents.find_median([]) == 0.0
