"""A table of ours in somebody's TOML: it goes in and out of any layout, and what others wrote stays byte for byte."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.errors import ConfigError, Conflict
from hearth.settings_files import toml

FILE = "/home/ana/config.toml"
TABLE = ("mcp_servers", "hearth")
ENTRY: dict[str, Any] = {"command": "/v/bin/hearth", "args": ["mcp"], "env": {"HEARTH_DATA_DIR": 'C:\\"x"é\n'}}


def is_hearth(entry: Any) -> bool:
    return isinstance(entry, dict) and str(entry.get("command", "")).endswith("hearth")


def put(text: str, entry: dict[str, Any] | None = None) -> str:
    return toml.edited(text, TABLE, ENTRY if entry is None else entry, is_hearth, FILE)


def strip(text: str) -> str:
    return toml.edited(text, TABLE, None, is_hearth, FILE)


def ours(text: str) -> Any:
    return tomllib.loads(text)["mcp_servers"]["hearth"]


def others(text: str) -> dict[str, Any]:
    """What the settings mean without us; a table without servers means nothing."""
    found = tomllib.loads(text)
    servers = {name: server for name, server in found.pop("mcp_servers", {}).items() if name != "hearth"}
    return {**found, **({"mcp_servers": servers} if servers else {})}


OF_OTHERS = {
    "an empty file": "",
    "a blank line": "\n",
    "a remark alone": "# only a remark\n",
    "no line break at the end": "a = 1\n\n[x]\ny = 2",
    "blank lines at the end": "[x]\n\n\n",
    "a remark at the end": '[mcp_servers.other]\ncommand = "x"\n# bye\n',
    "a remark behind a value": '# mine\nmodel = "x"  # best\n\n[mcp_servers.other] # theirs\ncommand = "npx"\n',
    "an inline table of servers": 'mcp_servers = { other = { command = "x" } } # mine\nz = 1\n\n[tui]\n',
    "an inline table of nothing": "mcp_servers = {}\nz = 1\n",
    "an inline table of blanks": "mcp_servers = {   }\nz = 1\n",
    "an inline table without blanks": 'mcp_servers={other={command="x"}}\n',
    "inline servers in a table": '[mcp_servers]\nother = { command = "x" }\n\n[tui]\na = 1\n',
    "dotted keys at the top": 'mcp_servers.other.command = "x"\nmcp_servers.other.args = []\n\n[tui]\na = 1\n',
    "dotted keys in a table": '[mcp_servers]\nother.command = "x" # c\n\n[tui]\na = 1\n',
    "arrays of tables": "[[profiles]]\nn = 1\n\n[[profiles]]\nn = 2\n[profiles.sub]\nx = 1\n",
    "an array of inline tables": 'hooks = [\n  { a = 1 }, # one\n  { b = "[mcp_servers.hearth]" },\n]\n',
    "our header in a text of many lines": '[tui]\nnotify = """\n[mcp_servers.hearth]\ncommand = "/v/bin/hearth"\n"""\n',
    "our header in a literal text": "a = '''\n[mcp_servers.hearth]\n'''\n",
    "quoted headers": '["mcp_servers"."other"]\ncommand = "x"\n[ mcp_servers . "third one" ]\ncommand = "y"\n\n[tui]\n',
    "tables out of order": "[mcp_servers.a]\nx = 1\n\n[tui]\ny = 1\n\n[mcp_servers.b]\nx = 2\n[tui.z]\nq = 1\n",
    "a super-table that holds nothing": "[mcp_servers]\n# none yet\n\n[tui]\na = 1\n",
    "a super-table after its part": '[mcp_servers.a.env]\nX = "1"\n[mcp_servers.a]\nn = 1\n[mcp_servers]\n[tui]\n',
    "indented tables": "\t[mcp_servers.a]\n\t\tx = 1\n\n\t[tui]\n",
    "odd line separators in a text": 'a = "one\u2028two\x85three"\n\n[tui]\nb = 1\n',
    "dates and numbers": "[a]\nd = 1979-05-27T07:32:00Z\nf = 6.5e-3\nh = 0xDEAD_BEEF\ni = inf\n",
}
LAYOUTS = {
    **OF_OTHERS,
    **{f"{name}, for Windows": text.replace("\n", "\r\n") for name, text in OF_OTHERS.items() if "\n" in text},
    "line breaks of both kinds": 'a = 1\r\nb = 2\n[mcp_servers.other]\r\ncommand = "x"\n\n',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_an_entry_goes_in_once_and_out_of_any_layout(text: str) -> None:
    once = put(text)
    assert ours(once) == ENTRY
    assert others(once) == others(text)
    assert put(once) == once
    assert strip(once) == text


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_an_entry_is_one_insertion_into_the_text_of_others(text: str) -> None:
    once = put(text)
    at = next((at for at, (old, new) in enumerate(zip(text, once, strict=False)) if old != new), len(text))
    assert once.startswith(text[:at]) and once.endswith(text[at:])
    if "\n" in text and text.count("\n") == text.count("\r\n"):
        assert once.count("\n") == once.count("\r\n")


HELD = {
    "a table": (
        '[mcp_servers.hearth] # ours\ncommand = "/old/hearth"\n# why not\nlimit = 20\n\n# the other\n[tui]\na = 1\n'
    ),
    "parts apart": (
        '[mcp_servers.hearth]\ncommand = "/old/hearth"\nlimit = 20\n\n[tui]\na = 1\n\n'
        '[mcp_servers.hearth.env]\nA = "0"\n\n# the other\n[mcp_servers.other]\ncommand = "npx"\n'
    ),
    "its part before it": (
        '[mcp_servers.hearth.env]\nA = "0"\n\n[mcp_servers.hearth]\ncommand = "/old/hearth"\nlimit = 20\n\n# t\n[tui]\n'
    ),
    "inline, the first": 'mcp_servers = { hearth = { command = "/old/hearth", limit = 20 }, other = {} } # c\n',
    "inline, between": 'mcp_servers = { a = {}, hearth = { command = "/old/hearth", limit = 20 }, b = {} } # c\n',
    "inline in a table": '[mcp_servers]\nhearth = { command = "/old/hearth", limit = 20 }\nother = {} # c\n\n[tui]\n',
    "inline behind a dotted key": 'mcp_servers.hearth = { command = "/old/hearth", limit = 20 } # c\n\n[tui]\n',
    "dotted at the top": (
        'mcp_servers.hearth.command = "/old/hearth" # c\nmcp_servers.other.command = "x" # d\n'
        "mcp_servers.hearth.limit = 20\n[tui]\n"
    ),
    "dotted in a table": (
        '[mcp_servers]\nhearth.command = "/old/hearth" # c\nother.command = "x" # d\nhearth.limit = 20\n\n[tui]\n'
    ),
    "a list over lines": (
        '[mcp_servers.hearth]\nargs = [\n  "a", # why\n  "b",\n]\ncommand = "/old/hearth"\nlimit = 20\n\n[tui]\n'
    ),
    "quoted": '["mcp_servers".\'hearth\']\n"command" = "/old/hearth"\n"limit" = 20\n\n# t\n[tui]\n',
    "no line break at the end": '[tui]\n\n[mcp_servers.hearth]\nlimit = 20\ncommand = "/old/hearth"',
}
EVERY = {**HELD, **{f"{name}, for Windows": text.replace("\n", "\r\n") for name, text in HELD.items()}}


@pytest.mark.parametrize("text", EVERY.values(), ids=EVERY)
def test_a_former_entry_is_renewed_in_any_layout_and_what_people_added_to_it_stays(text: str) -> None:
    new = put(text)
    assert ours(new) == {**ENTRY, "limit": 20}
    assert others(new) == others(text)
    assert put(new) == new
    assert strip(new) == strip(text)
    if "\r\n" in text:
        assert new.count("\n") == new.count("\r\n")


@pytest.mark.parametrize("text", EVERY.values(), ids=EVERY)
def test_an_entry_goes_with_all_its_parts_and_leaves_what_stands_around_it(text: str) -> None:
    left = strip(text)
    assert "hearth" not in left
    assert others(left) == others(text)
    for remark in ("# the other", "# t", "# d"):
        assert (remark in left) == (remark in text)


def test_remarks_in_a_table_of_ours_outlast_its_renewal() -> None:
    new = put(HELD["a table"])
    assert "# why not" in new and "# ours" in new
    assert new.endswith("\n\n# the other\n[tui]\na = 1\n")


PIECES = (
    "# a remark\n",
    "\n",
    "[tui]\na = 1 # one\n",
    "[[profiles]]\nn = 1\n",
    "[[profiles]]\n\n",
    '[mcp_servers.other]\ncommand = "x"\n\n',
    "[mcp_servers.other.env]\nA = '''\n[mcp_servers.hearth]\n'''\n",
    '[ "mcp_servers" . b ]\nargs = [\n "a", # c\n]\n',
    "\t[mcp_servers]\n\tc.d = 1\n",
    "[z.mcp_servers.hearth]\nx = 1\n\n\n",
)


@settings(max_examples=200, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=7),
    head=st.sampled_from(("", "a = 1\n", "mcp_servers.q = {}\n")),
    newline=st.sampled_from(("\n", "\r\n")),
    cut=st.booleans(),
)
def test_in_then_out_is_the_identity_for_any_order_of_tables(
    pieces: list[str], head: str, newline: str, cut: bool
) -> None:
    text = (head + "".join(pieces)).replace("\n", newline)
    text = text.removesuffix(newline) if cut else text
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    once = put(text)
    assert ours(once) == ENTRY
    assert put(once) == once
    assert strip(once) == text


@pytest.mark.parametrize("text", ["mcp_servers = 3\n", "[[mcp_servers]]\n"])
def test_servers_that_are_no_table_are_an_error_that_names_them(text: str) -> None:
    with pytest.raises(ConfigError, match="mcp_servers is not a table"):
        put(text)


def test_broken_toml_is_an_error_that_names_line_and_column() -> None:
    with pytest.raises(ConfigError, match=r"^/home/ana/config.toml:2:5: not valid TOML: .*nothing was changed$"):
        put("a = 1\nb = \n")
    with pytest.raises(ConfigError, match=r"config.toml:\d+:1: not valid TOML"):
        put('a = "')


@pytest.mark.parametrize(
    "text", ['[mcp_servers.hearth]\ncommand = "npx"\n', "[[mcp_servers.hearth]]\n", "[mcp_servers]\nhearth = 1\n"]
)
def test_an_entry_of_others_with_our_name_is_left_alone(text: str) -> None:
    with pytest.raises(Conflict, match="runs another program"):
        put(text)
    assert strip(text) == text
