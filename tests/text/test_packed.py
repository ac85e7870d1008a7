"""Packed terms come back as they went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import TermCounts
from hearth.text.terms import Packed, pack, prominent, sum_all_counts, sum_counts

COUNTS = st.builds(TermCounts, *[st.integers(0, 400)] * 3)
ROWS = st.dictionaries(st.integers(1, 2**32 - 1), COUNTS, max_size=50)


@given(ROWS)
def test_packing_keeps_ids_and_counts_up_to_a_byte(rows: dict[int, TermCounts]) -> None:
    packed = Packed(pack(rows.items()))
    assert len(packed) == len(rows)
    assert packed.ids() == sorted(rows)
    for term, counts in rows.items():
        clipped = tuple(min(255, value) for value in (counts.body, counts.heading, counts.meta))
        assert packed.counts(term) == clipped
    some = frozenset(list(rows)[:3])
    weighed = {term: body + 2 * heading + 3 * meta for term in some for body, heading, meta in [packed.counts(term)]}
    assert sum_counts(pack(rows.items()), some | {2**32}, 2, 3) == weighed
    assert set(packed.strong_ids()) == {term for term, counts in rows.items() if prominent(counts)}


@given(st.lists(ROWS, max_size=80), st.sets(st.integers(0, 2**32 - 1), max_size=5))
def test_many_are_counted_as_each_alone(all_rows: list[dict[int, TermCounts]], others: set[int]) -> None:
    packed = [pack(rows.items()) for rows in all_rows]
    wanted = frozenset(others.union(*(list(rows)[:3] for rows in all_rows)))
    assert sum_all_counts(packed, wanted, 1.5, 2.5) == [sum_counts(one, wanted, 1.5, 2.5) for one in packed]


@given(ROWS, st.integers(0, 2**32))
def test_a_term_that_was_not_packed_has_no_counts(rows: dict[int, TermCounts], term: int) -> None:
    if term not in rows:
        assert Packed(pack(rows.items())).counts(term) is None


def test_nothing_packs_to_nothing() -> None:
    assert pack([]) == b""
    assert Packed(b"").ids() == []
