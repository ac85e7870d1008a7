from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.model.curve import Curve
from hearth.ranking.calibration import temper
from hearth.ranking.confidence import estimate_confidence, weigh_evidence
from hearth.ranking.weights import CONFIDENCE, CUT

SHARE = st.floats(0, 1)


@given(SHARE, st.none() | SHARE, SHARE, SHARE)
def test_more_of_the_question_covered_is_never_less_confidence(
    coverage: float, nearness: float | None, trust: float, more: float
) -> None:
    low = estimate_confidence(weigh_evidence(coverage, nearness, trust))
    high = estimate_confidence(weigh_evidence(min(1.0, coverage + more), nearness, trust))
    assert 0 <= low <= high <= 1


@given(SHARE, SHARE, SHARE)
def test_what_the_vectors_do_not_know_is_taken_for_the_usual(coverage: float, near: float, other: float) -> None:
    assert weigh_evidence(coverage, near, 0.0) == weigh_evidence(coverage, other, 0.0)
    assert weigh_evidence(coverage, CONFIDENCE.unread, 1.0) == pytest.approx(weigh_evidence(coverage, other, 0.0))


def test_a_passage_with_every_word_is_an_answer_and_one_with_none_is_not() -> None:
    for nearness in (None, 0.5):
        assert estimate_confidence(weigh_evidence(1.0, nearness)) > 0.98
        assert estimate_confidence(weigh_evidence(0.0, nearness)) < 0.05
    assert estimate_confidence(weigh_evidence(0.2, 0.3)) < CUT.floor < estimate_confidence(weigh_evidence(0.6, 0.6))


@given(st.floats(1, 50), st.floats(-20, 0), st.floats(0.1, 0.9), SHARE)
def test_a_tempered_curve_is_even_where_it_was_and_flatter_elsewhere(
    slope: float, intercept: float, power: float, cosine: float
) -> None:
    flat = temper(Curve(slope, intercept), power)
    before, after = slope * cosine + intercept, flat.slope * cosine + flat.intercept
    assert abs(after) <= abs(before) + 1e-9
    assert before * after >= 0
