"""Reflections: what was said again, the most frequent first, and no more than a page holds."""

from __future__ import annotations

from hearth.markdown.owned_lines import PageStatement
from hearth.pages.identity import FULL, MAX_CHARS, PATTERNS, RepeatedCorrection, condense, reflect


def given(text: str, *occasions: str, docid: str = "a", date: str = "2026-03-01") -> RepeatedCorrection:
    return RepeatedCorrection(docid, text, date, frozenset(occasions))


def test_what_was_corrected_on_two_occasions_is_told_in_the_newest_words_with_all_sources() -> None:
    found = reflect(
        [
            given("The user stopped the agent and said: “Use the streaming reader for files”", "s1"),
            given("The user said: “Use the streaming reader for all files”", "s2", docid="b", date="2026-03-05"),
            given("Never delete the jars.", "s3", docid="c"),
            given("Ask before a push.", "s4", "s5", "s6", docid="d"),
        ]
    )
    assert [(one.text, one.sources, one.date) for one in found] == [
        ("Corrected 3 times: Ask before a push.", ("d",), "2026-03-01"),
        ("Corrected 2 times: The user said: “Use the streaming reader for all files”", ("b", "a"), "2026-03-05"),
    ]
    assert all(len(one.text) <= MAX_CHARS for one in reflect([given("word " * 300, "s1", "s2")]))


def test_a_long_page_keeps_twenty_five_and_a_full_one_takes_nothing() -> None:
    rows = [PageStatement(f"Corrected {n} times: {'x' * 200}", (f"{n:016d}",), "2026-03-01") for n in range(60)]
    assert condense(rows[:10], 0) == rows[:10]
    assert condense(rows, 0) == rows[:PATTERNS]
    assert condense(rows, FULL) == []
    assert len(condense(rows, FULL - 1_000)) == 3
