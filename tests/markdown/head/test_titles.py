"""What a file is titled by, and the tags in its text."""

from __future__ import annotations

import pytest

from hearth.markdown.description import MAX_TAGS, describe, find_tags
from hearth.markdown.frontmatter import split


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Choice\n\ntext\n", "Choice"),
        ("\n\n<!-- a comment -->\n\n# Choice\n", "Choice"),
        ("Choice\n======\n", "Choice"),
        ("## Section\n\ntext\n", "2024-05-01 the-plan"),
        ("text first\n\n# Late\n", "2024-05-01 the-plan"),
        ("---\ncreated: {{date}}\n---\n\ntext\n", "2024-05-01 the-plan"),
        ("created: {{date}}\n---\n", "2024-05-01 the-plan"),
        ("# \n\ntext\n", "2024-05-01 the-plan"),
        ("", "2024-05-01 the-plan"),
    ],
)
def test_the_title_is_the_first_heading_above_all_text_else_the_name_of_the_file(body: str, title: str) -> None:
    assert describe({}, "plans/2024-05-01 the-plan.md", body).title == title


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("journals/2026_11_22.md", "2026-11-22"),
        ("journals/2026_11_22 trip.md", "2026-11-22 trip"),
        ("pages/Trips___2026_11_22.md", "Trips/2026-11-22"),
        ("snake_case_name.md", "snake_case_name"),
        ("12026_11_22.md", "12026_11_22"),
    ],
)
def test_a_name_s_date_is_written_as_dates_are(path: str, title: str) -> None:
    assert describe({}, path, "text").title == title


def test_the_tags_of_a_page_are_names_of_pages_too() -> None:
    found = describe({}, "pages/n.md", "tags:: #[[deep work]], [[to do]], #x\n\n- text\n")
    assert found.tags == ("deep work", "to do", "x")


def test_aliases_are_read_from_a_list_and_from_a_line() -> None:
    assert describe({"aliases": ("A", " B "), "alias": "C, D"}, "n.md", "").aliases == ("A", "B", "C", "D")


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("a #work/hearth, and (#b).", ("work/hearth", "b")),
        ("#größe #日本 #2024 #y2024", ("größe", "日本", "y2024")),
        ("`#code` and\n```\n#fenced\n```\n#after", ("after",)),
        ("[x](#part) [[Note#part]] a#b https://x.y/#z", ()),
        ("# Heading\n\n## Another", ()),
        ("(explicit · #c2ze16qrt6j78f82, 2026) #abcdefghjkmnpqrs", ("abcdefghjkmnpqrs",)),
        (
            "#[[big project]], (#[[work/next  step]]) #small #[[big project]]",
            ("big project", "work/next step", "small"),
        ),
        ("`#[[code]]` a#[[glued #b]] [[page #c]] #[[ ]] #[[7]]", ()),
    ],
)
def test_tags_stand_alone_outside_code_and_links(body: str, tags: tuple[str, ...]) -> None:
    assert find_tags(body) == tags


def test_the_tags_of_a_text_are_limited() -> None:
    assert len(find_tags(" ".join(f"#t{n}" for n in range(5_000)))) == MAX_TAGS


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('<h1 align="center">Rye &amp; oats</h1>\n\nBread.\n', "Rye & oats"),
        ('<div align="center">\n<img src="x.svg">\n<h1>\n  Rye\n</h1>\n</div>\n\nBread.\n', "Rye"),
        ("<h1>Rye</h1>\n\n<h1>Oats</h1>\n", "note"),
        ("Bread.\n\n<h1>Rye</h1>\n", "note"),
        ("[← Index](README.md) | [Next](oats.md)\n\n# Rye\n\nBread.\n", "Rye"),
        ("See [oats](oats.md).\n\n# Rye\n\nBread.\n", "note"),
        ("---\ntitle: [[Rye]]\n---\nBread.\n", "Rye"),
        ("---\ntitle: [[breads/rye|Rye]]\n---\nBread.\n", "Rye"),
    ],
)
def test_a_heading_in_html_and_a_link_in_the_frontmatter_are_titles(text: str, title: str) -> None:
    head = split(text)
    assert describe(head.fields, "note.md", text[head.end_char :]).title == title
