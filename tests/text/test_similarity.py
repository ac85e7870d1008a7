from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.text.similarity import covers, near_identical, normalised, repeats, similar

LONG = (
    "We keep the import queue at four workers because the database locks whenever more of them write at the same time "
    "and a restore then takes an hour longer than people expect, which we saw during the last three weekends when "
    "everybody was away from home and the machine had to be started again by a friendly neighbour of ours"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs.", "use  TABS."),
        ("Use tabs.", "Use tabs"),
        ("Wir nutzen Straße", "wir nutzen\nstraße"),
        ("ﬁle", "file"),
        (LONG, LONG.replace("expect", "think")),
        ("我们选择了微信。", "我们选择了微信"),
    ],
    ids=["case and space", "punctuation", "line end", "ligature", "an ordinary word", "chinese punctuation"],
)
def test_nothing_is_lost_by_keeping_one_of_these(one: str, other: str) -> None:
    assert near_identical(one, other)
    assert near_identical(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PostgreSQL over MongoDB", "MongoDB over PostgreSQL"),
        (LONG + " with Redis", LONG + " with Kafka"),
        (LONG.replace("friendly", "redis"), LONG.replace("friendly", "kafka")),
        (LONG, LONG.replace("four", "4")),
        (f"{LONG} since v1.2", f"{LONG} since v1.3"),
        (f"{LONG} in import_queue.py", f"{LONG} in export_queue.py"),
        (LONG.replace("We keep", "We never keep"), LONG.replace("We keep", "We always keep")),
        (LONG, LONG.replace("had to", "did not have to")),
        (LONG, LONG.replace("was away", "wasn't away")),
        (f"Alice reports to Bob. {LONG}", f"Bob reports to Alice. {LONG}"),
        ("我们选择了微信而不是支付宝。", "我们选择了支付宝而不是微信。"),
        ("我们用微信。" * 20, "我们用微信。" * 19 + "我们不用微信。"),
        ("Nunca usar eval", "Siempre usar eval"),
        ("", "x"),
    ],
)
def test_what_differs_in_order_names_numbers_or_negation_is_not_the_same(one: str, other: str) -> None:
    assert not near_identical(one, other)
    assert not near_identical(other, one)


def test_texts_about_the_same_thing_are_similar_and_others_that_look_alike_are_not() -> None:
    advice = "Don't mock the database in tests"
    assert similar(advice, "Never mock the database in integration tests; it hid a bug for a week")
    assert not similar(advice, "Don't mock the clock in tests")
    assert not similar("Use tabs", "Use tabs")  # two words say too little to tell


def test_a_text_covers_another_only_with_all_its_words_and_negations() -> None:
    assert covers("Never mock the database in integration tests", "Don't mock the database in tests")
    assert not covers("Mock the database in integration tests", "Don't mock the database in tests")
    assert not covers("Don't mock the database", "Don't mock the database in tests")


@given(st.text(max_size=60))
def test_every_text_is_near_identical_to_itself_however_it_is_normalised(text: str) -> None:
    assert near_identical(text, text)
    assert normalised(normalised(text)) == normalised(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_order_of_two_texts_does_not_matter(one: str, other: str) -> None:
    assert near_identical(one, other) == near_identical(other, one)
    assert similar(one, other) == similar(other, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("bullet points with quantified results over text", "structured bullet points, quantified over text", True),
        ("bullet points with results over paragraphs", "bullet points over paragraphs, results", False),
        ("We chose oak for the lid.", "We chose ash for the lid.", False),
        ("structured bullet points, quantified achievements over paragraphs", "bullet points over paragraphs", True),
        ("PostgreSQL over MongoDB for ledgers", "MongoDB over PostgreSQL for ledgers", False),
        ("short builds of 100 KB for the shop", "short builds of 200 KB for the shop", False),
        ("never mix tabs and spaces in files", "mix tabs and spaces in files", False),
        ("tea at noon", "tea at noon", False),
    ],
)
def test_near_words_repeat_in_the_same_order_with_the_same_names(one: str, other: str, expected: bool) -> None:
    assert repeats(one, other) is expected
    assert repeats(other, one) is expected
