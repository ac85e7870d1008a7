"""Links between notes are found outside code and resolved inside the root."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.markdown.links import LinkTargets, links, resolve

PATHS = {
    "a/one.md": "The First",
    "a/two three.md": "Second",
    "b/one.md": "Other",
    "b/deep/four.md": "Fourth",
    "root.md": "Root",
    "café.md": "Drink",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[One]] and [[Two|alias]] and [[Three#part]] and [[Four#p|x]] and [[One]]", ("One", "Two", "Three", "Four")),
        ("[x](../a/b%20c.md#h) [y](<d e.md> 'title') [z](f(1).md \"t\")", ("../a/b c.md", "d e.md", "f(1).md")),
        ("![img](a.png) ![n](note.md) [p](a.png) [[a.png]] ![[Note]]", ("Note",)),
        ("[a](https://x.y/z.md) [b](mailto:a@b) [c](//x/y.md) [d](#here) [[#here]]", ()),
        ("`[[No]]` ``[[No ` x]]`` `open [[Yes]]", ("Yes",)),
        ("```\n[[No]]\n```\n\n    [[No]]\n\n<!-- [[No]] -->\n\n[[Yes]]", ("Yes",)),
        ("- item [[A]]\n\n  ```\n  [[No]]\n  ```\n\n> [[B]]\n\n| [[C]] |\n|---|\n", ("A", "B", "C")),
        ("\\[[No]] \\[x](no.md) [x](folder/) [x](note)", ("folder/", "note")),
        ("# About [[Heading]]\n", ("Heading",)),
    ],
)
def test_links_are_found_in_order_once(text: str, found: tuple[str, ...]) -> None:
    assert links(text) == found


@pytest.mark.parametrize(
    ("link", "start", "path"),
    [
        ("one.md", "a/x.md", "a/one.md"),
        ("../b/one.md", "a/x.md", "b/one.md"),
        ("one", "b/x.md", "b/one.md"),
        ("one", "root.md", None),
        ("four", "root.md", "b/deep/four.md"),
        ("deep/four", "a/x.md", "b/deep/four.md"),
        ("/a/one.md", "b/x.md", "a/one.md"),
        ("a/one", "b/x.md", "a/one.md"),
        ("the first", "b/x.md", "a/one.md"),
        ("Two Three", "root.md", "a/two three.md"),
        ("cafe\u0301", "a/x.md", "café.md"),
        ("../../root.md", "a/x.md", None),
        ("../../../etc/root", "b/deep/x.md", None),
        ("../root", "a/x.md", "root.md"),
        ("nothing", "a/x.md", None),
        ("", "a/x.md", None),
    ],
)
def test_a_link_is_resolved_by_place_or_by_a_unique_name(link: str, start: str, path: str | None) -> None:
    assert resolve(link, start, LinkTargets(PATHS)) == path


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["..", ".", "a", "b", "one", "root", ""]), max_size=6).map("/".join),
    st.sampled_from(list(PATHS)),
)
def test_a_link_only_ever_means_a_known_note(link: str, start: str) -> None:
    assert resolve(link, start, LinkTargets(PATHS)) in {*PATHS, None}


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("[]()!|#`\\<> \nab.\"'"), max_size=80))
def test_no_text_raises(text: str) -> None:
    assert all(link.strip() == link != "" for link in links(text))
