"""The gate's weights say what they must, whatever they were fitted on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.recall.ranking.gate import FALLING, RISING, Features, estimate, read_weights

SHARES = st.floats(0, 1)
ANY = st.builds(Features, *[SHARES] * len(Features._fields))


@pytest.mark.parametrize("lane", ["meaning", "words"])
def test_no_weight_has_the_wrong_sign(lane: str) -> None:
    weights = read_weights(lane)
    assert weights.keys() <= {"intercept", *Features._fields}
    assert {name for name in RISING if weights.get(name, 0.0) < 0} == set()
    assert {name for name in FALLING if weights.get(name, 0.0) > 0} == set()
    assert set(RISING) | set(FALLING) == set(Features._fields)


@pytest.mark.parametrize("by_meaning", [True, False])
@given(features=ANY, more=SHARES)
def test_more_words_held_a_closer_meaning_or_a_question_never_lower_it(
    by_meaning: bool, features: Features, more: float
) -> None:
    before = estimate(features, by_meaning=by_meaning)
    for name in RISING:
        raised = features._replace(**{name: max(more, getattr(features, name))})
        assert estimate(raised, by_meaning=by_meaning) >= before


@pytest.mark.parametrize("by_meaning", [True, False])
@pytest.mark.parametrize("alone", ["question", "near", "ahead", "reverse"])
def test_one_sign_alone_is_never_enough(by_meaning: bool, alone: str) -> None:
    nothing = Features(*[0.0] * len(Features._fields))
    assert estimate(nothing._replace(**{alone: 1.0}), by_meaning=by_meaning) < 0.5
