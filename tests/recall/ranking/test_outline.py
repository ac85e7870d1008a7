"""An outline shows the first words of what bears on a question, the best that fit, by time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.recall.ranking.packing import LINE_CHARS, OutlineLine, drop_far, fit, opening
from hearth.text.lines import estimate_tokens

DAY = 86_400_000


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("## User\n\nThe oven is cold again.", 2, "The oven is cold again."),
        ("**Me:** The oven\nis cold.", 0, "The oven is cold."),
        ("Nadia: the oven is cold", 0, "the oven is cold"),
        ("- [ ] Clean the oven", 0, "Clean the oven"),
        ("```\nprint()\n```\nIt prints nothing.", 3, "It prints nothing."),
        ("# Heading\n\n---\n```\ncode\n```", 0, ""),
        ("烤箱又冷了。", 0, "烤箱又冷了。"),
    ],
)
def test_the_opening_is_what_is_said_first_and_where(text: str, line: int, words: str) -> None:
    assert opening(text) == (line, words)


@given(st.text(max_size=400))
def test_an_opening_is_one_short_line_of_the_text(text: str) -> None:
    at, words = opening(text)
    assert "\n" not in words
    assert len(words) <= LINE_CHARS
    assert 0 <= at <= text.count("\n")


def lines(count: int) -> list[OutlineLine]:
    return [OutlineLine(n, f"notes/{n % 3}.md", (n * 7 % 5) * DAY, n + 1, f"words {n}") for n in range(count)]


@given(st.integers(min_value=0, max_value=400), st.integers(min_value=0, max_value=900))
def test_an_outline_keeps_to_its_budget_and_to_time(count: int, budget: int) -> None:
    kept = fit(lines(count), budget)
    shown = [f"  :{line.line} {line.words}" for line in kept] + list({line.place for line in kept})
    assert sum(map(estimate_tokens, shown)) <= budget
    dates = [line.date or 0 for line in kept]
    assert dates == sorted(dates)
    assert [line.at for line in fit(lines(count), 100_000)] == sorted(
        range(min(count, 300)), key=lambda n: ((n * 7 % 5), n % 3, n)
    )


def test_the_same_words_of_a_document_are_shown_once_and_undated_ones_last() -> None:
    twice = [OutlineLine(0, "n/a.md", None, 1, "hello"), OutlineLine(1, "n/a.md", None, 9, "hello")]
    dated = OutlineLine(2, "n/b.md", DAY, 1, "hello")
    assert [line.at for line in fit([*twice, dated], 100)] == [2, 0]


def test_what_bears_far_less_on_the_question_than_the_best_line_has_none() -> None:
    worth = {"garden.md": 0.5, "shed.md": 0.3, "bilbao.md": 0.03}
    sections = [OutlineLine(n, place, DAY, 1, place, value) for n, (place, value) in enumerate(worth.items())]
    assert [line.place for line in drop_far(sections)] == ["garden.md", "shed.md"]


def test_a_conversation_has_all_its_lines_or_none() -> None:
    turns = [(0.5, "garden.md"), (0.12, "chat.md"), (0.05, "other.md"), (0.01, "chat.md")]
    told = [OutlineLine(n, place, DAY, n, f"{n}", worth, turn=True) for n, (worth, place) in enumerate(turns)]
    assert [line.at for line in drop_far(told)] == [0, 1, 3]


@given(st.lists(st.tuples(st.floats(-1, 1), st.booleans()), max_size=20))
def test_the_best_line_stays_whatever_it_is_worth(given: list[tuple[float, bool]]) -> None:
    ranked = sorted(given, reverse=True)
    told = [OutlineLine(n, f"{n}.md", None, 1, "words", worth, turn) for n, (worth, turn) in enumerate(ranked)]
    assert drop_far(told)[:1] == told[:1]
