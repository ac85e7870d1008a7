from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import Curve
from hearth.recall.ranking.gate import estimate_confidence, weigh_evidence
from hearth.recall.ranking.weights import CONFIDENCE, CUT, temper

SHARE = st.floats(0, 1)


@given(SHARE, st.none() | SHARE, SHARE, SHARE, SHARE)
def test_more_of_the_question_covered_is_never_less_confidence(
    coverage: float, nearness: float | None, strength: float, trust: float, more: float
) -> None:
    low = estimate_confidence(weigh_evidence(coverage, nearness, strength, trust))
    high = estimate_confidence(weigh_evidence(min(1.0, coverage + more), nearness, strength, trust))
    assert 0 <= low <= high <= 1


@given(SHARE, st.none() | SHARE, SHARE, SHARE)
def test_a_better_best_passage_is_never_less_confidence(
    coverage: float, nearness: float | None, strength: float, more: float
) -> None:
    low, high = (weigh_evidence(coverage, nearness, best) for best in (strength, min(1.0, strength + more)))
    assert 0 <= low <= high <= 1


@given(SHARE, SHARE, SHARE, SHARE)
def test_what_the_vectors_do_not_know_is_taken_for_the_usual(
    coverage: float, near: float, other: float, strength: float
) -> None:
    unread = weigh_evidence(coverage, near, strength, 0.0)
    assert unread == weigh_evidence(coverage, other, strength, 0.0)
    assert unread == pytest.approx(weigh_evidence(coverage, CONFIDENCE.unread, strength, 1.0))


def test_a_passage_with_every_word_is_an_answer_and_one_with_none_is_not() -> None:
    # Without a word, what is left of the best one's score is what meaning gave it.
    for nearness, least in ((None, 0.0), (0.5, 0.17)):
        assert estimate_confidence(weigh_evidence(1.0, nearness, 0.6)) > 0.65
        assert estimate_confidence(weigh_evidence(0.0, nearness, least)) < 0.2
    low, high = weigh_evidence(0.2, 0.3, 0.2), weigh_evidence(0.6, 0.6, 0.4)
    assert estimate_confidence(low) < CUT.floor < estimate_confidence(high)


@given(SHARE, SHARE, SHARE)
def test_a_passage_further_ahead_of_other_documents_is_never_less_confidence(
    evidence: float, ahead: float, more: float
) -> None:
    assert estimate_confidence(evidence, ahead) <= estimate_confidence(evidence, min(1.0, ahead + more)) <= 1


def test_of_two_passages_with_the_same_evidence_the_one_that_stands_out_is_surer() -> None:
    evidence = weigh_evidence(0.5, 0.5, 0.4)
    assert estimate_confidence(evidence) < CUT.floor < estimate_confidence(evidence, 0.2)


@given(st.floats(1, 50), st.floats(-20, 0), st.floats(0.1, 0.9), SHARE)
def test_a_tempered_curve_is_even_where_it_was_and_flatter_elsewhere(
    slope: float, intercept: float, power: float, cosine: float
) -> None:
    flat = temper(Curve(slope, intercept), power)
    before, after = slope * cosine + intercept, flat.slope * cosine + flat.intercept
    assert abs(after) <= abs(before) + 1e-9
    assert before * after >= 0
