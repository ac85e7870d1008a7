"""Fragments lose nothing, know their place, and respect the structure of the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.document import KINDS, Fragment
from hearth.markdown.blocks import words as weigh
from hearth.markdown.fragments import MAX_FRAGMENTS, fragment

LINES = st.sampled_from(
    [
        "# One", "## Two ##", "### Three", "Title", "=====", "---", "```", "~~~~", "```python", "    indented", "\tx",
        "- item", "  more", "1. first", "> quote", "| a | b |", "|---|---|", "<!-- note", "-->", "<div>", "</div>",
        "", "  ", "A sentence. Another one! And a third?", "word " * 40, "記憶は紙の上にある。" * 8, "**Ana**: hello",
        "User: hi", "Assistant: yes", "## User", "## Assistant", "title: x", "a\u0301\u0301 👩‍👩‍👧", "x" * 300,
        "\u3000", "\ufeff",
    ]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\n\n"])
TEXTS = st.lists(st.tuples(LINES, ENDS), max_size=60).map(lambda rows: "".join(a + b for a, b in rows)) | st.text(
    max_size=400
)


def prose(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{i}" + ("." if i % 12 == 11 else "") for i in range(count))


def texts(found: list[Fragment]) -> list[str]:
    return [item.text for item in found]


def check(text: str, found: list[Fragment]) -> None:
    covered = 0
    for seq, item in enumerate(found):
        assert item.seq == seq
        assert item.kind in KINDS
        assert item.text == text[item.start_char : item.end_char] != ""
        assert item.start_char <= covered < item.end_char
        assert item.start_line == text.count("\n", 0, item.start_char) + 1
        assert item.end_line == text.count("\n", 0, item.end_char - 1) + 1
        covered = item.end_char
    assert covered == len(text)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 60), st.integers(0, 40))
def test_every_character_is_in_a_fragment_that_knows_its_lines(text: str, words: int, overlap: int) -> None:
    check(text, fragment(text, words=words, overlap=overlap))


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_the_default_sizes_lose_nothing_either(text: str) -> None:
    check(text, fragment(text))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["one ", "two. ", "three\n", "\n\n", "記", "é "]), max_size=800).map("".join))
def test_windows_of_prose_stay_near_the_wished_size(text: str) -> None:
    assert all(weigh(item.text) <= 40 * 1.5 for item in fragment(text, words=40, overlap=10))


def test_an_empty_text_has_no_fragments() -> None:
    assert fragment("") == []


def test_a_short_document_is_one_full_fragment() -> None:
    found = fragment("# Head\n\nBody.\n")
    assert [(item.kind, item.headings, item.start_line, item.end_line) for item in found] == [("full", ("Head",), 1, 3)]


def test_a_short_document_stands_apart_from_its_frontmatter() -> None:
    found = fragment("---\ntitle: x\n---\n# Head\n\nBody.\n")
    assert [(item.kind, item.start_line, item.end_line) for item in found] == [("frontmatter", 1, 3), ("full", 4, 6)]


def test_frontmatter_is_a_fragment_of_its_own() -> None:
    found = fragment(f"---\ntitle: x\n---\n# Head\n\n{prose(200)}\n")
    assert (found[0].kind, found[0].end_line, found[0].text) == ("frontmatter", 3, "---\ntitle: x\n---\n")
    assert found[1].text.startswith("# Head\n\nword0")


def test_frontmatter_is_only_looked_for_on_line_one() -> None:
    found = fragment(f"---\ntitle: x\n---\n\n{prose(200)}\n", first_line=10)
    assert found[0].kind == "section"
    assert found[0].start_line == 10


def test_sections_carry_their_path_of_headings() -> None:
    names = ["# Top", "## Left ##", "### Deep `code`", "## Right"]
    text = "".join(f"{name}\n\n{prose(100)}\n\n" for name in names)
    assert [item.headings for item in fragment(text)] == [
        ("Top",),
        ("Top", "Left"),
        ("Top", "Left", "Deep code"),
        ("Top", "Right"),
    ]


def test_a_setext_heading_counts() -> None:
    found = fragment(f"Top\n===\n\n{prose(110)}\n\nSecond part\n-----------\n\n{prose(110)}\n")
    assert [item.headings for item in found] == [("Top",), ("Top", "Second part")]


def test_line_ends_of_both_kinds_give_the_same_lines() -> None:
    text = f"# A\n\n{prose(110)}\n\n## B\n\n```\n# no\n```\n\n{prose(110)}\n"
    plain = fragment(text)
    other = fragment(text.replace("\n", "\r\n"))
    key = [(item.start_line, item.end_line, item.headings, item.kind) for item in plain]
    assert key == [(item.start_line, item.end_line, item.headings, item.kind) for item in other]


@pytest.mark.parametrize(
    "hidden",
    [
        "```sh\n# no\n```", "~~~\n# no\n```\n# no\n~~~", "````\n```\n# no\n```\n````", "<!--\n\n# no\n\n-->",
        "<div>\n# no\n</div>", "    # no", "- item\n\n  # no", "> # no", "- ```\n  # no\n  ```",
        "<pre>\n\n# no\n</pre>",
        "1. a\n\n   ```\n# out\n\n", "   ```\n   # no\n   ```", "\t# no",
    ],
)  # fmt: skip
def test_a_hash_inside_code_html_lists_and_quotes_is_no_heading(hidden: str) -> None:
    found = fragment(f"# Top\n\n{prose(60)}\n\n{hidden}\n\n{prose(300)}\n")
    assert not any("no" in item.headings for item in found)


def test_an_unclosed_fence_runs_to_the_end() -> None:
    found = fragment("# Top\n\n```\n" + "# no\nx = 1\n" * 400)
    assert {item.headings for item in found} == {("Top",)}
    assert {item.kind for item in found} == {"code"}


def test_code_that_fits_twice_the_window_is_not_cut() -> None:
    code = "```python\n" + "value = compute(1, 2)\n" * 45 + "```\n"
    text = f"# Top\n\n{prose(150)}\n\n{code}\n{prose(150)}\n"
    assert any(code in item.text and item.kind == "code" for item in fragment(text, words=120, overlap=50))


def test_a_table_that_fits_twice_the_window_is_not_cut() -> None:
    table = "| a | b |\n|---|---|\n" + "| one two | three |\n" * 25
    text = f"# Top\n\n{prose(150)}\n\n{table}\n{prose(150)}\n"
    assert any(table in item.text and item.kind == "table" for item in fragment(text, words=120, overlap=50))


def test_longer_code_is_cut_between_lines() -> None:
    found = fragment("```\n" + "alpha beta gamma delta\n" * 500 + "```\n")
    assert len(found) > 10
    assert all(item.text.endswith("\n") and item.kind == "code" for item in found)


def test_lists_are_cut_between_items() -> None:
    found = fragment("".join(f"- item {i} has a few words to say\n" for i in range(100)))
    assert len(found) > 3
    assert all(item.kind == "list" and item.text.startswith("- item") for item in found)


def test_long_sections_overlap_by_about_the_wished_words() -> None:
    found = fragment(prose(2000), words=120, overlap=50)
    shared = [weigh(found[i - 1].text[item.start_char - found[i - 1].end_char :]) for i, item in enumerate(found) if i]
    assert all(35 <= held <= 65 for held in shared)
    assert all(90 <= weigh(item.text) <= 145 for item in found)


def test_long_sections_are_cut_between_sentences() -> None:
    assert all(item.text.rstrip().endswith((".", "word1999")) for item in fragment(prose(2000)))


def test_small_sections_are_joined_and_share_the_path_above_them() -> None:
    text = "# Top\n\n" + "".join(f"## Part {i}\n\n{prose(15)}\n\n" for i in range(30))
    found = fragment(text)
    assert len(found) < 8
    assert found[1].headings == ("Top",)
    assert all(item.text.startswith("#") for item in found)


def test_two_good_sections_stay_apart_at_a_heading_of_level_two() -> None:
    text = f"## Left\n\n{prose(55)}\n\n## Right\n\n{prose(55)}\n\n## Last\n\n{prose(100)}\n"
    assert [item.headings for item in fragment(text)] == [("Left",), ("Right",), ("Last",)]


def test_a_heading_is_never_the_end_of_a_fragment() -> None:
    text = "".join(f"# Part {i}\n\n## Sub {i}\n\n{prose(10 + i * 7)}\n\n" for i in range(40))
    for item in fragment(text):
        assert not item.text.rstrip().rsplit("\n", 1)[-1].startswith("#")


def test_unspaced_scripts_are_windowed_by_characters() -> None:
    found = fragment("记忆是写在纸上的文字，其他一切都由此推导。" * 100)
    assert all(150 <= len(item.text) <= 300 for item in found)


def test_a_long_line_without_spaces_is_cut_too() -> None:
    check("x" * 50_000, found := fragment("x" * 50_000))
    assert len(found) > 20


def test_a_line_of_a_megabyte_is_cut_into_a_bounded_number() -> None:
    text = "word " * 200_000
    found = fragment(text)
    check(text, found)
    assert 500 < len(found) <= MAX_FRAGMENTS


def test_too_many_fragments_make_windows_grow_and_lose_nothing() -> None:
    text = "".join(f"# H{i}\n\n{prose(30)}\n\n" for i in range(3000))
    found = fragment(text, words=30, overlap=10)
    check(text, found)
    assert len(found) <= MAX_FRAGMENTS


@pytest.mark.parametrize("unit", ["# a\n", "[", "> ", "- * ", "```\n", "<a ", "|-", "- a\n", "**a**: x\n\n", "\n"])
def test_repeated_marks_are_cut_without_loss(unit: str) -> None:
    text = unit * (30_000 // len(unit))
    check(text, fragment(text))
