"""YAML as a tree of texts: the same tree for what is scanned here and for what PyYAML reads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.yaml_tree import Item, YamlRefused, read

KEYS = ("a", "notes", "path", "x-y", "é", "1a", "'q'", "a b", "- k")
VALUES = (
    "", "a", "/x y", "~/n", "12", "'it is'", '"**/*.md"', "[a, 'b']", "[ ]", "{p: /x, q: [r]}", "{a}", "[a: b]",
    "{a:b}", "a:b", "a: b", "https://x.y/z?q", "x  # c", "x#c", "it's", "a, b", "|", "x-", "- a", "[a", "'a'b", "é ü",
    "a\t", "null", "{a: b} c", "[a, ]",
)  # fmt: skip
LINES = st.one_of(
    st.builds(
        "{}{}: {}".format, st.sampled_from(["", "", "  ", "    "]), st.sampled_from(KEYS), st.sampled_from(VALUES)
    ),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    "]), st.sampled_from(VALUES)),
    st.sampled_from(["", "  ", "# c", "   # c"]),
)


def by_pyyaml(node: yaml.Node | None) -> Any:
    """Texts with their style and place; lists and tables with theirs."""
    if node is None:
        return None
    place = (node.start_mark.line + 1, node.start_mark.index)
    if isinstance(node, yaml.ScalarNode):
        return (*place, node.value, node.style or "")
    if isinstance(node, yaml.SequenceNode):
        return (*place, [by_pyyaml(one) for one in node.value], node.flow_style)
    return (*place, [(by_pyyaml(key), by_pyyaml(value)) for key, value in node.value], node.flow_style)


def by_hearth(item: Item | None) -> Any:
    if item is None:
        return None
    place = (item.line, item.start)
    if item.text is not None:
        return (*place, item.text, item.style)
    if item.items is not None:
        return (*place, [by_hearth(one) for one in item.items], item.flow)
    return (*place, [(by_hearth(key), by_hearth(value)) for key, value in item.pairs or ()], item.flow)


@given(st.lists(LINES, max_size=6).map("\n".join))
def test_a_text_reads_as_pyyaml_reads_it(text: str) -> None:
    try:
        expected = by_pyyaml(yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError:
        with pytest.raises(YamlRefused):
            read(text, 8)
    else:
        try:
            assert by_hearth(read(text, 8)) == expected
        except YamlRefused as error:
            assert "a key must be a word" in error.problem


def test_the_end_of_a_value_is_that_of_its_text() -> None:
    text = "a: {b: 'c d'}  # e\nf:\n  - g h  # i\n"
    root = read(text, 8)
    assert root is not None and root.pairs is not None
    assert [text[value.start : value.end] for _, value in root.pairs] == ["{b: 'c d'}", "- g h"]
    assert text[root.start : root.end] == text[: text.index("  # i")]


def test_settings_as_bootstrap_writes_them_load_no_parser() -> None:
    settings = "# settings\ncollections:\n  notes: {path: /home/me/notes}\nsearch:\n  limit: 5\n"
    code = (
        "import sys\nfrom hearth.config.kinds import from_yaml\n"
        f"assert from_yaml({settings!r}, 'config.yaml').child('search')\nprint('yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
