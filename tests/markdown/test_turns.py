"""Conversations are cut between turns."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hearth.core.document import Fragment
from hearth.markdown.fragments import fragment
from hearth.markdown.turns import is_answer, opens_by_heading, split_turns


def said(count: int, word: str = "word") -> str:
    return " ".join(f"{word}{i}" + ("." if i % 10 == 9 else "") for i in range(count))


def bold_chat(turns: int) -> str:
    rows = (f"**{'Ana' if i % 2 else 'Bo'}**: turn{i} {said(20)}\n\n" for i in range(turns))
    return "# A talk\n\nDate: May\n\n" + "".join(rows)


def test_short_turns_are_grouped_whole_with_whole_turns_shared() -> None:
    found = fragment(bold_chat(30), words=120, overlap=50)
    assert all(item.kind == "turn" and item.context == "" and item.headings == ("A talk",) for item in found)
    assert found[0].text.startswith("# A talk")
    assert all(item.text.startswith("**") for item in found[1:])
    for before, after in pairwise(found):
        shared = before.text[after.start_char - before.end_char :]
        assert shared.startswith("**")
        assert shared.count("**:") == 2


def test_a_long_turn_is_windowed_with_the_question_before_it() -> None:
    question, answer = f"How do I {said(50, 'ask')}", f"{said(300)}\n\n## Steps\n\n{said(100)}"
    text = f"## User\n\n{question}\n\n## Assistant\n\n{answer}\n\n## User\n\nThanks\n"
    found = fragment(text, words=120, overlap=50)
    parts = [item for item in found if item.headings[:1] == ("Assistant",)]
    assert len(parts) >= 4
    assert all(item.context.startswith("How do I ask0") and len(item.context.split()) == 30 for item in parts)
    assert parts[-1].headings == ("Assistant", "Steps")
    assert [item.context for item in found if item not in parts] == ["", ""]


def test_a_tiny_question_leads_the_first_window_of_its_answer() -> None:
    found = fragment(f"## User\n\nWhy?\n\n## Assistant\n\n{said(400)}\n\n## User\n\nOk\n", words=120, overlap=50)
    assert found[0].text.startswith("## User\n\nWhy?\n\n## Assistant")
    assert (found[0].context, found[1].context) == ("", "Why?")


@pytest.mark.parametrize(
    "turn",
    [
        "**Ana**: {a}\n\n**Bo**: {a}\n\n", "**Ana:** {a}\n\n**Bo:** {a}\n\n", "Ana: {a}\nBo: {a}\n",
        "User: {a}\n\nAssistant: {a}\n\n",
        "### Human\n\n{a}\n\n### Assistant\n\n{a}\n\n", "[10:32] Ana: {a}\n[10:33] Bo: {a}\n", "张三：{a}\n李四：{a}\n",
        "user: {a}\n\n{a}\n\nassistant: {a}\n\n{a}\n\n{a}\n\n",
    ],
)  # fmt: skip
def test_the_usual_ways_to_write_a_chat_are_known(turn: str) -> None:
    found = fragment(turn.replace("{a}", said(25)) * 6)
    assert {item.kind for item in found} == {"turn"}


@pytest.mark.parametrize(
    "text",
    [
        "**Pros**: {a}\n\n**Cons**: {a}\n\n**Cost**: {a}\n\n**Risk**: {a}\n\n**Plan**: {a}\n\n",
        "Date: {a}\nAuthor: {a}\nStatus: {a}\nPlace: {a}\nReason: {a}\n",
        "```\nUser: {a}\nAssistant: {a}\nUser: {a}\nAssistant: {a}\n```\n",
        "## User\n\n{a}\n\n## Project\n\n{a}\n\n## User\n\n{a}\n\n## Project\n\n{a}\n\n",
        "{a}\n\n{a}\n\n{a}\n\n{a}\n\n{a}\n\n{a}\n\nAna: {a}\n\nBo: {a}\n\nAna: {a}\n\nBo: {a}\n",
    ],
)
def test_what_only_looks_like_a_chat_is_not_one(text: str) -> None:
    assert "turn" not in {item.kind for item in fragment(text.replace("{a}", said(40)))}


def test_a_title_above_the_first_turn_stays_above_all_turns_and_their_headings() -> None:
    text = (
        f"# Release\n\n## Notes\n\n{said(30)}\n\n## User\n\nHow do I {said(50, 'ask')}\n\n"
        f"## Assistant\n\n{said(120)}\n\n# Steps\n\n{said(120, 'step')}\n\n## User\n\nThanks\n"
    )
    found = fragment(text, words=120, overlap=50)
    assert all(item.headings[:1] == ("Release",) for item in found)
    assert {item.headings for item in found} >= {("Release", "Assistant"), ("Release", "Assistant", "Steps")}


def spoken(text: str) -> list[str]:
    """The first line of each turn of a window."""
    rows = text.split("\n")
    by_heading = opens_by_heading(rows)
    return [rows[first] for first, _ in split_turns(text, by_heading=by_heading)]


def test_where_headings_name_the_roles_nothing_else_opens_a_turn() -> None:
    text = "## User\n\nDo we ship?\nNo: not yet.\n\n## Assistant\n\nYou told me: wait.\nMe: fine.\n\n## User\n\nThanks"
    assert spoken(text) == ["## User", "## Assistant", "## User"]


def test_names_open_turns_below_a_title_that_names_a_role() -> None:
    assert spoken("# Claude\nMe: do we ship?\nClaude: not yet.\nMe: thanks") == [
        "# Claude",
        "Me: do we ship?",
        "Claude: not yet.",
        "Me: thanks",
    ]


@pytest.mark.parametrize(
    ("headings", "text", "answer"),
    [
        (("Assistant",), "You: that was your word.\nMe: mine is no.", True),
        (("Claude",), "Me: do we ship?\n\nClaude: not yet.", False),
        (("User",), "Assistant: as you called it.", False),
    ],
)
def test_who_speaks_in_a_window_is_told_by_its_form(headings: tuple[str, ...], text: str, answer: bool) -> None:
    assert is_answer(Fragment(0, "turn", 0, 0, 1, 2, text, headings)) is answer
