"""The parts of reranking that only calculate: the blend, the curve, and the part of a text that is read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.ports import EVERYTHING, StoredDocument, StoredFragment
from hearth.recall.ranking.candidate import Candidate, apply_answers, order
from hearth.recall.ranking.snippet import best_window
from hearth.recall.ranking.weights import log_odds, platt_probability
from hearth.testing import record, temporary_store
from hearth.text.lines import estimate_tokens
from hearth.vault.canary import fit_curve

UNIT = st.floats(0, 1, allow_nan=False)


def stored() -> tuple[StoredFragment, StoredDocument]:
    store = temporary_store()
    with store.write() as writer:
        writer.put(record("notes", "a.md", "A text."))
    with store.read() as reader:
        document = reader.find_documents(EVERYTHING, 1)[0]
        return reader.fragments_of(document.id)[0], document


FRAGMENT, DOCUMENT = stored()


def candidate(score: float, seq: int = 0) -> Candidate:
    return Candidate(replace(FRAGMENT, seq=seq), DOCUMENT, score, score)


# -- blend ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(UNIT, UNIT), min_size=1, max_size=12), st.lists(UNIT, max_size=8))
def test_what_was_read_comes_first_by_its_blend_and_all_stays_in_range(
    read: list[tuple[float, float]], unread: list[float]
) -> None:
    pool = [candidate(fused, n) for n, (fused, _) in enumerate(read)]
    pool += [candidate(min([fused, *(f for f, _ in read)]), len(read) + n) for n, fused in enumerate(unread)]
    found = apply_answers(pool, [answer for _, answer in read])
    assert sorted(c.fragment.seq for c in found) == list(range(len(pool)))
    assert found[: len(read)] == order(found[: len(read)])
    assert all(0 <= c.score <= 1 and 0 <= c.relevance <= 1 for c in found)
    for c in found[: len(read)]:
        fused, answer = read[c.fragment.seq]
        assert c.score == pytest.approx(0.1 * fused + 0.9 * answer)
    lowest = min(c.score for c in found[: len(read)])
    assert all(c.score <= lowest + 1e-9 for c in found[len(read) :])


def test_either_side_can_decide_the_first_place() -> None:
    by_model = apply_answers([candidate(1.0, 0), candidate(0.0, 1)], [0.4, 0.6])
    by_fusion = apply_answers([candidate(0.2, 0), candidate(0.9, 1)], [0.5, 0.5])
    assert [c.fragment.seq for c in by_model] == [1, 0]
    assert [c.fragment.seq for c in by_fusion] == [1, 0]


def test_an_assistants_words_stay_lowered() -> None:
    quiet = candidate(0.8).move("voice", 0.8 * 0.6)
    found = apply_answers([quiet], [0.9])[0]
    assert found.score == pytest.approx(0.6 * (0.1 * 0.8 + 0.9 * 0.9))
    assert [(m.stage, m.before) for m in found.moves] == [("voice", 0.8), ("rerank", pytest.approx(0.48))]


# -- curve ------------------------------------------------------------------------------------------------------------

VALUES = st.lists(st.floats(-14, 14), min_size=2, max_size=30)


@given(VALUES, VALUES)
def test_a_curve_is_finite_and_never_certain(relevant: list[float], others: list[float]) -> None:
    curve = fit_curve(relevant, others)
    assert abs(curve.slope) < 1e6 or max(relevant + others) - min(relevant + others) < 1e-3
    mean = [sum(platt_probability(curve, v) for v in values) / len(values) for values in (relevant, others)]
    assert all(0 <= value <= 1 for value in mean)
    # The logistic fit_curve keeps the mean of its targets, both kinds weighing half.
    targets = (len(relevant) + 1) / (len(relevant) + 2), 1 / (len(others) + 2)
    assert sum(mean) == pytest.approx(sum(targets), abs=0.02)


def test_a_curve_separates_what_can_be_separated_and_rises() -> None:
    curve = fit_curve([3.0, 4.0, 5.0] * 4, [-4.0, -3.0, 0.0] * 8)
    assert curve.slope > 0
    assert platt_probability(curve, 4.0) > 0.8
    assert platt_probability(curve, -3.0) < 0.2
    assert fit_curve([0.0, 1.0], [4.0, 5.0]).slope < 0


def test_scores_squeezed_into_a_narrow_range_mean_the_same() -> None:
    wide = [log_odds(v) for v in (0.95, 0.9, 0.97, 0.1, 0.05, 0.2)]
    narrow = [log_odds(1 / (1 + 2.718281828**-v)) for v in (0.95, 0.9, 0.97, 0.1, 0.05, 0.2)]
    for values in (wide, narrow):
        curve = fit_curve(values[:3], values[3:])
        assert platt_probability(curve, values[0]) > 0.7
        assert platt_probability(curve, values[4]) < 0.3


@given(UNIT)
def test_log_odds_are_bounded_and_odd(score: float) -> None:
    assert abs(log_odds(score)) < 14
    assert log_odds(score) == pytest.approx(-log_odds(1 - score), abs=1e-6)


# -- window -----------------------------------------------------------------------------------------------------------

FILLER = "Lorem ipsum dolor sit amet consetetur sadipscing elitr sed diam. "


def test_a_short_text_is_read_whole() -> None:
    assert best_window("A short\ntext. ", {"text": 1.0}, "en", 300) == "A short\ntext. "


def test_of_a_long_text_the_part_about_the_question_is_read() -> None:
    text = FILLER * 40 + "The kettle boils at noon. " + FILLER * 40
    part = best_window(text, {"kettl": 2.0, "noon": 1.0}, "en", 60)
    assert "The kettle boils at noon." in part
    assert estimate_tokens(part) <= 60
    assert part in text
    # Its words stand in the middle, so that what is said around them is read as well.
    assert 60 < part.index("kettle") < len(part) - 60


def test_holding_all_words_counts_more_than_repeating_one() -> None:
    text = "kettle " * 30 + FILLER * 20 + "the kettle at noon. " + FILLER * 20
    assert "noon" in best_window(text, {"kettl": 1.0, "noon": 1.0}, "en", 50)


def test_without_a_word_of_the_question_the_part_nearest_in_meaning_is_read() -> None:
    text = FILLER * 30 + "A brew for the afternoon. " + FILLER * 30
    near = lambda parts: [float("brew" in part) for part in parts]  # noqa: E731
    assert "A brew" in best_window(text, {"kettl": 1.0}, "en", 60, near)
    assert best_window(text, {"kettl": 1.0}, "en", 60).startswith("Lorem")


@given(st.text(max_size=2_000), st.integers(1, 50))
def test_any_text_gives_a_part_of_itself(text: str, tokens: int) -> None:
    part = best_window(text, {"kettl": 1.0}, "en", tokens, lambda parts: [0.0] * len(parts))
    assert part in text


def test_a_script_without_spaces_is_cut_too() -> None:
    text = "数据库" * 400 + "水壶" + "更新" * 400
    part = best_window(text, {"水壶": 1.0}, "zh", 50)
    assert "水壶" in part
    assert estimate_tokens(part) <= 60
