"""On which lines the values of a head stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.markdown.frontmatter import place_values, split


def placed(head: str) -> list[tuple[str, str, int]]:
    return [(one.key, one.text, one.line) for one in place_values(f"---\n{head}\n---\n")]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("owner: Ana\ntags:\n  - infra", [("owner", "Ana", 1), ("tags", "infra", 3)]),
        ("uses:\n- a\n- b # not c\n- c", [("uses", "a", 2), ("uses", "b", 3), ("uses", "c", 4)]),
        ("uses: [a,\n  b]\nowner: b", [("uses", "a", 1), ("uses", "b", 2), ("owner", "b", 3)]),
        ('"uses": [s, "[[a|b]]"]', [("uses", "s", 1), ("uses", "[[a|b]]", 1)]),
        ("owner: >\n  Ana\n  Ruiz", [("owner", "Ana Ruiz", 1)]),
        ("owner: Ana\nowner: Tom", [("owner", "Tom", 2)]),
        ("title: {{title}}\nowner: Ana", [("title", "{{title}}", 1), ("owner", "Ana", 2)]),
    ],
)
def test_each_value_has_the_line_that_it_stands_on(head: str, told: list[tuple[str, str, int]]) -> None:
    assert placed(head) == told


@pytest.mark.parametrize(
    ("head", "whole"), [("a: b, c", False), ("a: 'b, c'", True), ("a: [b, c]", True), ("a:\n - b, c", True)]
)
def test_a_plain_text_alone_may_name_several_things(head: str, whole: bool) -> None:
    assert {one.whole for one in place_values(f"---\n{head}\n---\n")} == {whole}


def test_a_text_without_a_head_has_none() -> None:
    assert list(place_values("owner: Ana")) == list(place_values("")) == []


@given(st.text(st.sampled_from("a:-# \n'\"[],")))
def test_every_value_of_any_head_has_a_line_of_it(head: str) -> None:
    text = f"---\n{head}\n---\n"
    fields = split(text).fields
    assert [one.key for one in place_values(text)] == [
        key for key, value in fields.items() for _ in ([value] if isinstance(value, str) else value)
    ]
    assert all(0 <= one.line < len(text.split("\n")) for one in place_values(text))
