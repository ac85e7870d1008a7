"""Plain settings are read as PyYAML reads them, without it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.config.kinds import MAX_CHARS, from_yaml
from hearth.config.plain_yaml import read_plain
from hearth.core.errors import ConfigError

TEXTS = (
    *("a", "/x/y", "~/n", "~", "null", "5", "a b", "'q'", '"**/*.md"', "**/*.md", "a*b", "2020-01-01", "''", '""'),
    *("x: y", "a #c", "", "- z", "|", "'it''s'", '"a\\n"', "-1", "&a b", "*a", "!t b", "é", "a\tb", "@", "%", "`a`"),
    *("{a: b}", "{a: b, c: [d, 'e']}", "[a, b c]", "[[a]]", "[a: b]", "{a: b, a: c}", "{a: }", "[a,b]", "[a,]", "{}"),
    *("[]", "{a: b}}", "{a: b} x", "{a: b} # c", "{a: {b: {c: [d]}}}", "{a b: c}", "[a", "[a]]", "{a}", "[a #b]"),
)
KEYS = ("a", "b", "collections", "x_y", "p-q", "yes", "12", "'k'", "? a", "<<", "a b")
lines = st.builds(
    lambda indent, key, text: " " * indent + key + text,
    st.sampled_from((0, 0, 2, 2, 4, 6, 8)),
    st.sampled_from((*(f"{key}:" for key in KEYS), "a: ", "b: ", "-", "- ", "# ", "", "---", "...", "- a: ")),
    st.sampled_from(("", *TEXTS, *(f" {text}" for text in TEXTS))),
)


@given(rows=st.lists(lines, max_size=8), end=st.sampled_from(("\n", "\r\n", "\n\n")))
def test_what_is_read_is_what_the_whole_parser_reads(rows: list[str], end: str) -> None:
    text = end.join(rows) + end
    found = read_plain(text, "f")
    assert found is None or found == from_yaml(text, "f")


@pytest.mark.parametrize(
    "text",
    [
        "collections:\n  notes: {path: /home/me/notes, exclude: [drafts, '*.tmp']}\n",
        "# mine\nprofile: deep\n\nvaults:\n    work:\n        roots:\n        - ~/work\n        - '/a b'\n",
        "daemon:\n  mode: never",
    ],
)
def test_settings_as_people_and_commands_write_them_are_plain(text: str) -> None:
    assert read_plain(text, "f") == from_yaml(text, "f")


@pytest.mark.parametrize("text", ["a: " + "[" * 50 + "b" + "]" * 50, "a: b\n" * 2, "a: " + "b" * MAX_CHARS])
def test_what_is_refused_is_left_to_the_whole_parser(text: str) -> None:
    assert read_plain(text, "f") is None
    with pytest.raises(ConfigError):
        from_yaml(text, "f")


def test_plain_settings_are_read_without_the_whole_parser(home: Any) -> None:
    home.configure()
    code = "import sys; from hearth.app import settings; settings(); print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=home.environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
