from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hearth.markdown.blocks import Value
from hearth.markdown.frontmatter import body_of, change, render, render_line, split

CHARS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\x85\u2028\u2029")
TEXT = st.text(CHARS, max_size=30)
VALUES = st.one_of(TEXT, st.lists(TEXT.filter(bool), min_size=1, max_size=4).map(tuple))
KEYS = st.sampled_from(["title", "tags", "subject", "project", "my own key", "x-y"])
FIELDS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)

EDITED = """---
title: Editor
# what I use at home
mine: "kept: yes"
tags:
  - a
  - b
nested: {x: 1}
content_type: preference
---

Uses vim
"""


@given(FIELDS, TEXT)
def test_what_is_written_reads_back_and_any_yaml_reader_agrees(fields: dict[str, Value], body: str) -> None:
    text = render(fields, body)
    head = split(text)
    assert (head.problem, dict(head.fields)) == (None, fields)
    assert text[head.end_char :].strip("\n") == body.strip("\n")
    read = yaml.safe_load(text[4:].split("\n---\n")[0])
    assert read == {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()}


@given(FIELDS, FIELDS, TEXT)
def test_a_change_sets_its_keys_and_leaves_the_others(
    fields: dict[str, Value], changes: dict[str, Value], body: str
) -> None:
    wanted = {**fields, **changes}
    assert dict(split(change(render(fields, "old"), dict(changes), body)).fields) == wanted


def test_what_people_wrote_into_the_block_stays_in_its_place() -> None:
    text = change(EDITED, {"title": "Editors", "tags": ("a", "b", "c"), "session": "s1"}, "Uses emacs")
    assert text == EDITED.replace("title: Editor", "title: Editors").replace(
        "tags:\n  - a\n  - b\n", "tags: [a, b, c]\n"
    ).replace("preference\n---\n", "preference\nsession: s1\n---\n").replace("vim", "emacs")


def test_a_key_is_removed_with_all_its_lines() -> None:
    text = change(EDITED, {"tags": None, "mine": None}, "x")
    assert "- a" not in text and "mine" not in text
    assert "# what I use at home" in text


def test_a_block_with_windows_line_ends_keeps_its_keys() -> None:
    text = change(EDITED.replace("\n", "\r\n"), {"title": "T"}, "x")
    assert dict(split(text).fields)["mine"] == "kept: yes"
    assert "\r" not in text


def test_a_block_that_cannot_be_read_is_rendered_anew() -> None:
    assert change("---\n- a\n- b\n---\n\nold\n", {"title": "T"}, "new") == "---\ntitle: T\n---\n\nnew\n"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"),
        ("", '""'),
        ("no", '"no"'),
        ("0123", '"0123"'),
        ("2026-03-05", '"2026-03-05"'),
        ("a: b", '"a: b"'),
        ('say "hi"', "'say \"hi\"'"),
        ('it\'s "so"', '"it\'s \\"so\\""'),
        ("# no comment", '"# no comment"'),
        (" edge ", '" edge "'),
    ],
)
def test_only_what_needs_quotes_has_them(value: str, written: str) -> None:
    assert render_line("key", value) == f"key: {written}\n"


def test_dates_and_numbers_of_our_own_keys_stand_bare() -> None:
    assert render_line("authored_at", "2026-03-05T12:00:00Z") == "authored_at: 2026-03-05T12:00:00Z\n"
    assert render_line("confidence", "0.3") == "confidence: 0.3\n"


def test_the_body_is_what_stands_below_the_block() -> None:
    assert body_of(EDITED) == "Uses vim"
    assert body_of("just text\n") == "just text"
    assert body_of("---\ntitle: x\n---\n\n---\nnot: frontmatter\n---\n") == "---\nnot: frontmatter\n---"
