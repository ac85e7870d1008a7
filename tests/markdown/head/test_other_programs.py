"""Frontmatter of other programs, and titles below decoration."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hearth.markdown.description import Description, describe
from hearth.markdown.frontmatter import split


def read(text: str, path: str = "n.md") -> Description:
    head = split(text)
    return describe(head.fields, path, text[head.end_char :])


def day(found: Description) -> str | None:
    return None if found.authored_at is None else f"{datetime.fromtimestamp(found.authored_at / 1000, UTC):%Y-%m-%d}"


@pytest.mark.parametrize(
    "text",
    [
        '+++\ntitle = "Rye"\ndate = 2024-03-05T23:30:00-08:00\ntags = ["bread"]\n+++\nText\n',
        '{\n  "title": "Rye",\n  "date": "2024-03-05",\n  "tags": ["bread"]\n}\n\nText\n',
        "#+TITLE: Rye\n#+DATE: <2024-03-05 Tue 10:00>\n#+FILETAGS: :bread:\n\nText\n",
        "Title: Rye\nDate: March 5, 2024\nTags: bread\n\nText\n",
        "import A from 'a'\n\nexport const metadata = {\n  title: 'Rye',\n  date: '2024-03-05',\n"
        "  tags: ['bread'],\n}\n\nText\n",
        "---\nTitle: Rye\nDATE: 2024-03-05\nTags: [bread]\n---\nText\n",
    ],
)
def test_every_form_gives_title_date_and_tags(text: str) -> None:
    found = read(text)
    assert (found.title, day(found), found.tags) == ("Rye", "2024-03-05", ("bread",))


def test_pandocs_block_gives_title_and_date() -> None:
    found = read("% Rye\n% Ana; Bo\n% 5 March 2024\n\nText\n")
    assert (found.title, day(found)) == ("Rye", "2024-03-05")


@pytest.mark.parametrize(
    "text", ["Title: a line\nthat goes on.\n", "{ braces } in a text\n", "%% a comment %%\n", "+++\nno toml\n"]
)
def test_what_only_looks_like_a_block_is_text(text: str) -> None:
    head = split(text)
    assert (dict(head.fields), head.end_char) == ({}, 0)


def test_one_bad_line_costs_no_other_key_and_is_named() -> None:
    head = split("---\ntitle: Rye\nfriends:\n- [[Ana]] from school\n- Bo\ntags: [bread]\n---\nText\n")
    assert dict(head.fields) == {"title": "Rye", "friends": ("[[Ana]] from school", "Bo"), "tags": ("bread",)}
    assert "line 4" in (head.problem or "")


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("[![build](https://x.org/b.svg)](https://x.org) ![v](v.png)\n\n# Rye\n", "Rye"),
        ("[TOC]\n\n# Rye {#rye .big}\n", "Rye"),
        ("# Rye { #rye }\n", "Rye"),
        ("# Rye {/*rye*/}\n", "Rye"),
        ("# Rye {.x} bread\n", "Rye {.x} bread"),
        ("import A from 'a'\n\n# Rye\n", "Rye"),
        ("# Rye\n\n# Wheat\n", "n"),
        ("Rye first.\n\n# Wheat\n", "n"),
    ],
)
def test_the_only_first_heading_below_decoration_is_the_title(body: str, title: str) -> None:
    assert read(body).title == title
