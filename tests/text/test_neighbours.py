from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.text.language import stem
from hearth.text.related_words import neighbours_of


def test_near_words_come_nearest_first() -> None:
    near = neighbours_of(stem("doctor", "en"))
    assert "physician" in [term for term, _ in near]
    assert [cosine for _, cosine in near] == sorted((cosine for _, cosine in near), reverse=True)
    assert len(near) <= 32
    assert all(0.29 < cosine <= 1 for _, cosine in near)


def test_the_first_and_the_last_stem_of_the_table_are_found_and_none_is_its_own_neighbour() -> None:
    from hearth.text.related_words import _table

    stems = _table().stems
    assert stems == sorted(set(stems))
    for term in (stems[0], stems[-1], *stems[::500]):
        assert term not in [other for other, _ in neighbours_of(term)]
    assert neighbours_of(stems[-1])


@given(st.text(max_size=30))
def test_any_text_has_neighbours_or_none(text: str) -> None:
    assert len(neighbours_of(text)) <= 32
