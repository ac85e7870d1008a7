from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.pages.dream.fragments import LEAST_CHARS, MOST_CHARS, blocks


def test_bullets_and_paragraphs_are_blocks_and_the_rest_is_none() -> None:
    text = """# Heading

A paragraph that
goes on.

- first bullet
  with a second line
- [ ] a task to do
* second bullet
1. numbered one

| a | table |
> a quotation

```
code that says nothing
```
Is this a question?

TODO write it down

<!-- a comment
over lines -->
last words here"""
    found = [(block.text, block.start, block.end) for block in blocks(text, 10)]
    assert found == [
        ("A paragraph that goes on.", 12, 13),
        ("first bullet with a second line", 15, 16),
        ("second bullet", 18, 18),
        ("numbered one", 19, 19),
        ("last words here", 33, 33),
    ]


def test_a_long_paragraph_counts_by_its_sentences() -> None:
    said = [f"Sentence number {number} says one thing." for number in range(12)]
    assert [block.text for block in blocks(" ".join(said))] == said


def test_each_sentence_of_what_somebody_says_has_its_speaker() -> None:
    said = " ".join(f"I have known friend number {number} for years." for number in range(12))
    first, *rest = blocks(f"**Caroline**: {said}")
    assert first.speaker == "" and first.text.startswith("**Caroline**: ")
    assert {block.speaker for block in rest} == {"Caroline"}
    assert {block.speaker for block in blocks(said)} == {""}


@pytest.mark.parametrize(
    "text",
    [
        "**Caroline**: Yep!", "Hey Melanie!", "Thanks so much, Melanie!", "**Ana**: It was an awesome time, Caroline!",
        "Caroline, so glad you got the support!", "Wow, that's great!", "¡Muchas gracias, Ana!", "Vielen Dank, Peter!",
    ],
)  # fmt: skip
def test_a_courtesy_is_no_block(text: str) -> None:
    assert blocks(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm.", "We use Postgres.", "I live in Lisbon.", "My best friend is Maria.", "I love Maria.",
        "She is 42 today.", "**Ana**: It is 5433.", "Never on Fridays.", "我们用 Postgres 存发票",
        "Melanie, those bowls hold soup!",
    ],
)  # fmt: skip
def test_few_words_that_say_something_are_a_block(text: str) -> None:
    assert [block.text for block in blocks(text)] == [text]


@pytest.mark.parametrize("other", ["-   The  **Port** is 6543.", "3. the port is 6543.", "The\nport is `6543`."])
def test_a_block_is_known_wherever_it_stands_and_however_it_is_set(other: str) -> None:
    [one], [two] = blocks("# Ports\n\nThe port is 6543."), blocks(other)
    assert one.hash == two.hash
    assert blocks("The port is 6544.")[0].hash != one.hash


def test_of_a_line_about_a_subject_what_it_says_is_the_block() -> None:
    [one] = blocks("- 2026-03-01 Ana Ruiz lives in Graz. (explicit · session a, turn 2) ^nrfeqgsy4xmd9yjg")
    assert one.text == "Ana Ruiz lives in Graz."


@given(st.text(alphabet=st.sampled_from("ab -*#`|>\n.?<!1é中。"), max_size=300))
def test_any_text_has_blocks_within_their_limits_and_its_lines(text: str) -> None:
    for block in blocks(text):
        assert LEAST_CHARS <= len(block.text) <= MOST_CHARS
        assert 1 <= block.start <= block.end <= text.count("\n") + 1
