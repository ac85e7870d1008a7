from __future__ import annotations

from hearth.benchmark.systems import GrepBaseline

STOP = frozenset({"the", "what", "is"})
FRAGMENTS = [(30, "The Garden gate"), (10, "a garden, a gate and a lock"), (20, "nothing"), (40, "GATES")]


def test_fragments_with_more_distinct_words_come_first() -> None:
    assert GrepBaseline(FRAGMENTS, STOP).search("what is the gate lock?", 10) == [10, 30, 40]


def test_ties_keep_the_order_of_the_fragments() -> None:
    assert GrepBaseline(FRAGMENTS, STOP).search("garden garden", 10) == [30, 10]


def test_stop_words_count_when_nothing_else_is_asked() -> None:
    assert GrepBaseline(FRAGMENTS, STOP).search("the", 10) == [30]


def test_no_more_than_asked_for_and_nothing_for_nothing() -> None:
    baseline = GrepBaseline(FRAGMENTS, STOP)
    assert baseline.search("gate", 1) == [30]
    assert baseline.search("?!", 10) == baseline.search("zebra", 10) == []
