"""Settings in YAML: our value goes in and out, everybody else's lines stay."""

from __future__ import annotations

from typing import Any

import pytest
import yaml as library
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.errors import ConfigError, Conflict
from hearth.settings_files import yaml

ENTRY = {"command": "/bin/hearth", "args": ["mcp"]}


def edit(text: str, entry: Any, path: tuple[str, str] = ("servers", "hearth")) -> str:
    return yaml.edited(text, path, entry, lambda found: "hearth" in str(found), "config.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# mine\nmodel: m\n",
        "model: m",
        "servers:\n  other:\n    command: npx  # theirs\n\n# the rest\nmodel: m\n",
        "model: m\r\nservers:\r\n    other: {command: npx}\r\n",
        "servers:\n  # nothing of theirs is lost\n  other:\n  - a\n  - b\nz: |\n  servers:\n    hearth: text\n",
    ],
)
def test_what_was_put_in_comes_out_again(text: str) -> None:
    put = edit(text, ENTRY)
    assert library.safe_load(put)["servers"]["hearth"] == ENTRY
    assert edit(put, ENTRY) == put
    assert edit(put, None) in (text, text + "\n")


@pytest.mark.parametrize("empty", ["servers:\n", "servers: {}\n", "servers: null\n", "servers:\n  hearth: ''\n"])
def test_an_empty_table_takes_our_value(empty: str) -> None:
    put = edit(f"{empty}z: 1\n", ENTRY)
    assert library.safe_load(put) == {"servers": {"hearth": ENTRY}, "z": 1}
    assert library.safe_load(edit(put, None)) == {"z": 1}


def test_a_value_may_be_one_word() -> None:
    text = "memory:\n  limit: 5\n  provider: ''\n"
    put = edit(text, "hearth", ("memory", "provider"))
    assert put == "memory:\n  limit: 5\n  provider: hearth\n"
    assert edit(put, None, ("memory", "provider")) == "memory:\n  limit: 5\n"


def test_what_people_added_to_our_entry_stays() -> None:
    text = "servers:\n  hearth:\n    command: /old/hearth\n    timeout: 9\n"
    assert library.safe_load(edit(text, ENTRY))["servers"]["hearth"] == {**ENTRY, "timeout": 9}


def test_what_belongs_to_others_or_can_not_be_edited_stays() -> None:
    with pytest.raises(Conflict, match=r"servers\.hearth belongs to another program"):
        edit("servers:\n  hearth: npx\n", ENTRY)
    for text in ("servers: {other: 1}\n", "servers: [1]\n", "a: [\n", "- 1\n", "? servers\n: other: 1\n"):
        with pytest.raises(ConfigError, match=r"config\.yaml"):
            edit(text, ENTRY)


words = st.text("abcxyz_-. #'\"", min_size=1, max_size=8)
trees = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(others=st.dictionaries(words, trees, max_size=3), own=st.dictionaries(words, trees, max_size=2))
def test_any_file_keeps_what_it_means(others: dict[str, Any], own: dict[str, Any]) -> None:
    meant = {**others, "servers": own}
    text = library.safe_dump(meant, default_flow_style=False, sort_keys=False)
    try:
        put = edit(text, ENTRY)
    except (ConfigError, Conflict):
        assert not own or "hearth" in str(own)
        return
    assert library.safe_load(put) == {**meant, "servers": {**own, "hearth": ENTRY}}
    left = library.safe_load(edit(put, None)) or {}
    assert {"servers": {}, **left} == meant
