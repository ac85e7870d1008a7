"""What a model's space counts beside the words."""

from __future__ import annotations

from hearth.recall.ranking.weights import FUSION
from hearth.recall.vectors import weigh_space
from hearth.vault.ledger import SpaceInfo

READS = {"order": 0.01}


def space(spread: float | None, margins: dict[str, float] | None = None) -> SpaceInfo:
    return SpaceInfo("m", "m", 1, first_margins=READS if margins is None else margins, spread=spread)


def test_a_model_that_reads_words_in_their_context_counts_more_than_the_built_in_table() -> None:
    assert weigh_space(space(0.9), 1.0) > FUSION.vector


def test_the_closer_the_passages_lie_together_the_less_a_space_counts() -> None:
    weights = [weigh_space(space(spread), 1.0) for spread in (0.1, 0.4, 0.9)]
    assert weights == sorted(weights)
    assert weights[0] < weights[1] < weights[2]
    assert weights[1] < weigh_space(space(None), 1.0) < weights[2]


def test_in_a_language_that_it_hardly_knows_a_model_counts_as_the_built_in_table_does() -> None:
    assert weigh_space(space(0.9), 0.6) == FUSION.vector
    assert FUSION.vector < weigh_space(space(0.9), 0.76) < weigh_space(space(0.9), 0.9)


def test_a_model_that_knows_single_words_counts_as_the_built_in_table_does() -> None:
    assert weigh_space(space(0.9, {"order": 0.0}), 1.0) == FUSION.vector
