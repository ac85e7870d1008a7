"""What was said before is not said again, and a hit names the lines that it holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.query import Hit
from hearth.recall.ranking.packing import Repeats

LINES = ["The lamp in the hall is broken again.", "# Lamps", "", "- yes", "Buy a new lamp there. Mo knows the old one."]
ROWS = st.lists(st.sampled_from(LINES), max_size=8)


def hit(text: str, start: int = 1) -> Hit:
    end = start + text.count("\n")
    return Hit("d", "notes", "a.md", start, end, "A", 1.0, "note", 0, None, "section", "", text)


def test_a_sentence_inside_a_line_is_left_out() -> None:
    said = Repeats()
    said.drop(hit("The lamp in the hall is broken again."))
    [found] = said.drop(hit("Mo called at noon today. The lamp in the hall is broken again. He was cross."))
    assert found.text == "Mo called at noon today. He was cross."


def test_a_hit_that_says_nothing_new_is_left_out() -> None:
    said = Repeats()
    said.drop(hit("The lamp in the hall is broken again."))
    assert said.drop(hit("# Lamps\n\nThe lamp in the hall is broken again.")) == []


def test_what_is_left_of_a_hit_is_shown_only_where_it_says_something() -> None:
    said = Repeats()
    said.drop(hit("The lamp in the hall is broken again."))
    lamp = "The lamp in the hall is broken again."
    assert said.drop(hit(f"## State\n\nUnderstood.\n\n## Lamps\n\n- {lamp}")) == []
    [found] = said.drop(hit(f"## State\n\nA new one is ordered.\n\n## Lamps\n\n{lamp}"))
    assert (found.text, found.end_line) == ("## State\n\nA new one is ordered.", 3)
    assert said.drop(hit(f"{lamp}\n门厅的灯已经换掉了。"))


def test_short_lines_may_come_again() -> None:
    said = Repeats()
    said.drop(hit("**User:** yes\nThe lamp in the hall is broken again."))
    [found] = said.drop(hit("**User:** yes\nSo is the one in the kitchen."))
    assert found.text.startswith("**User:** yes")


@given(st.lists(ROWS, max_size=4))
def test_each_hit_holds_the_lines_that_it_names(texts: list[list[str]]) -> None:
    said = Repeats()
    for at, rows in enumerate(texts):
        whole = hit("\n".join(rows), 10 * at + 1)
        for part in said.drop(whole):
            inside = part.text.split("\n")
            assert len(inside) == part.end_line - part.start_line + 1
            named = rows[part.start_line - whole.start_line :]
            assert all(text in row for text, row in zip(inside, named, strict=False))
