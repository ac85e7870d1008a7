"""Edits of other programs' settings: ours in, ours out, every other byte where it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.core.errors import ConfigError, Conflict
from hearth.settings_files import hooks, servers
from hearth.settings_files.hooks import Layout, Wanted
from hearth.settings_files.jsonc import parse

FILE = "/home/ana/settings.json"


def ours(handler: Any) -> bool:
    return isinstance(handler, dict) and str(handler.get("command", "")).startswith("ours")


GROUPED = Layout(ours)
FLAT = Layout(ours, grouped=False, head={"version": 1})
PROMPT = Wanted("Prompt", None, {"type": "command", "command": "ours prompt", "timeout": 5})
START = Wanted("Start", "compact", {"type": "command", "command": "ours start"})
BRIEF = Wanted("Start", "startup", {"type": "command", "command": "ours brief"})
WANTED = [PROMPT, START]
THEIRS = {"type": "command", "command": "say done"}


def put(text: str, wanted: list[Wanted] | None = None, layout: Layout = GROUPED) -> str:
    return hooks.edited(text, WANTED if wanted is None else wanted, layout, FILE)


def strip(text: str, layout: Layout = GROUPED) -> str:
    return hooks.edited(text, [], layout, FILE)


def plain(text: str) -> Any:
    return parse(text, FILE, ()).value


def test_a_new_file_holds_our_hooks_alone() -> None:
    assert json.loads(put("")) == {
        "hooks": {
            "Prompt": [{"hooks": [PROMPT.handler]}],
            "Start": [{"matcher": "compact", "hooks": [START.handler]}],
        }
    }
    assert json.loads(put("", [PROMPT], FLAT)) == {"version": 1, "hooks": {"Prompt": [PROMPT.handler]}}


LAYOUTS = {
    "empty": "{}",
    "two spaces": '{\n  "a": 1,\n  "b": [1, 2]\n}\n',
    "tabs": '{\n\t"a": {\n\t\t"b": null\n\t}\n}',
    "one line": '{"a": 1, "b": {"c": [true]}}',
    "windows": '{\r\n    "a": 1\r\n}\r\n',
    "comments": '// mine\n{\n  // first\n  "a": 1, // one\n  /* two */ "b": 2 // last\n  // end\n}\n// bye',
    "trailing commas": '{\n  "a": 1,\n  "hooks": {\n    "Stop": [\n      {"hooks": []},\n    ],\n  },\n}',
    "hooks of others": json.dumps({"hooks": {"Prompt": [{"matcher": "x", "hooks": [THEIRS]}]}, "z": 1}, indent=4),
    "hooks on one line": json.dumps({"hooks": {"Prompt": [{"hooks": [THEIRS]}], "Start": [{"hooks": [THEIRS]}]}}),
    "empty event": '{\n  "hooks": {\n    "Prompt": [] // none yet\n  }\n}',
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_what_others_wrote_stays_and_twice_is_the_same_as_once(text: str) -> None:
    once = put(text)
    assert put(once) == once
    events = plain(once)["hooks"]
    assert [handler for group in events["Prompt"] for handler in group["hooks"] if ours(handler)] == [PROMPT.handler]
    assert {key: value for key, value in plain(once).items() if key != "hooks"} == {
        key: value for key, value in plain(text).items() if key != "hooks"
    }
    for line in text.splitlines():
        comment = line[line.find("//") :] if "//" in line else ""
        assert comment in once
    assert without_ours(plain(once)) == without_ours(plain(text))


def without_ours(value: Any) -> Any:
    """Settings without our handlers and without groups and events that hold nothing."""
    kept = {
        event: [group for group in groups if group["hooks"] and not all(map(ours, group["hooks"]))]
        for event, groups in value.get("hooks", {}).items()
    }
    return {**value, "hooks": {event: groups for event, groups in kept.items() if groups}}


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "empty event"])
def test_taking_out_leaves_every_byte_as_it_was(name: str) -> None:
    assert strip(put(LAYOUTS[name])) == LAYOUTS[name]


def test_an_event_that_was_empty_before_goes_with_ours() -> None:
    assert plain(strip(put(LAYOUTS["empty event"]))) == {}


def test_the_order_of_keys_is_kept() -> None:
    text = json.dumps({"z": 1, "hooks": {"Stop": [{"hooks": [THEIRS]}], "Start": []}, "a": 2}, indent=2)
    once = plain(put(text))
    assert list(once) == ["z", "hooks", "a"]
    assert list(once["hooks"]) == ["Stop", "Start", "Prompt"]


def test_a_group_that_holds_others_too_keeps_them() -> None:
    group = {"matcher": "compact", "hooks": [THEIRS, START.handler, {"type": "http", "url": "http://x"}]}
    text = json.dumps({"hooks": {"Start": [group]}}, indent=2)
    left = plain(strip(text))["hooks"]["Start"]
    assert left == [{"matcher": "compact", "hooks": [THEIRS, {"type": "http", "url": "http://x"}]}]
    assert put(text, [START]) == text


def test_an_entry_of_a_former_installation_is_renewed_where_it_stands() -> None:
    old = put('{\n  "hooks": {},\n  "z": 1\n}', [Wanted("Prompt", None, {"command": "ours of old"}), START])
    new = put(old)
    assert plain(new)["hooks"]["Prompt"] == [{"hooks": [PROMPT.handler]}]
    assert list(plain(new)) == ["hooks", "z"]
    assert "of old" not in new


def test_what_is_no_longer_wanted_and_what_stands_twice_goes() -> None:
    full = put("", [PROMPT, START, BRIEF])
    assert plain(put(full)) == plain(put(""))
    twice = plain(put(""))
    twice["hooks"]["Prompt"] *= 2
    assert plain(put(json.dumps(twice))) == plain(put(""))


def test_odd_groups_of_others_are_passed_over() -> None:
    text = json.dumps({"hooks": {"Prompt": [7, None, {"hooks": "x"}, {"hooks": [3]}, {}]}}, indent=1)
    assert plain(put(text))["hooks"]["Prompt"][:5] == plain(text)["hooks"]["Prompt"]
    assert strip(put(text)) == text


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": null}', '{"hooks": {"Prompt": {}}}'])
def test_hooks_of_an_odd_shape_are_an_error_that_names_the_key(text: str) -> None:
    with pytest.raises(ConfigError, match=r"settings.json: hooks.* is not a"):
        put(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "1:2"),
        ('{"a": 1\n "b": 2}', "2:2"),
        ('{\n  "a": tru\n}', "2:8"),
        ('{"a": 1} x', "1:10"),
        ("[1]", "1:1"),
        ("7", "1:1"),
        ('{"a" 1}', "1:6"),
        ('{"a": 1, "a": 2}', "1:10"),
        ('{"a": "\n"}', "1:8"),
        ('{"hooks": {"x": [1 2]}}', "1:20"),
        ('{"hooks": ' + "[" * 200 + "]" * 200 + "}", "1:111"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "1:107"),
    ],
)
def test_broken_settings_are_an_error_that_names_line_and_column(text: str, place: str) -> None:
    with pytest.raises(ConfigError, match=rf"^/home/ana/settings.json:{place}: .*nothing was changed$"):
        put(text)


def test_an_entry_after_a_comment_is_not_pulled_into_it() -> None:
    text = '{\n  "hooks": { // mine\n    "Prompt": [{"hooks": [{"command": "ours"}]}], "Stop": []}}'
    assert plain(strip(text)) == {"hooks": {"Stop": []}}


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
handlers = st.fixed_dictionaries(
    {"type": st.just("command"), "command": words.filter(lambda w: not w.startswith("ours"))}
)
groups = st.fixed_dictionaries({"hooks": st.lists(handlers, min_size=1, max_size=3)}, optional={"matcher": words})
events = st.dictionaries(
    st.sampled_from(["Prompt", "Start", "Stop"]), st.lists(groups, min_size=1, max_size=3), min_size=1
)


@st.composite
def files(draw: st.DrawFn) -> str:
    """Settings of others, laid out by the ways of editors and hands."""
    top = draw(st.dictionaries(words.filter(lambda w: w != "hooks"), values, max_size=3))
    entries = list(top.items())
    if draw(st.booleans()):
        entries.insert(draw(st.integers(0, len(entries))), ("hooks", draw(events)))
    text = json.dumps(dict(entries), indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = draw(st.sampled_from(["// é\n", "/* a */ ", "\n\n"])) + text
    return text + draw(st.sampled_from(["", "\n", "\n// end\n"]))


@settings(max_examples=300, deadline=None)
@given(text=files())
def test_in_then_out_is_the_identity_for_any_settings_of_others(text: str) -> None:
    once = put(text)
    assert put(once) == once
    assert strip(once) == text
    assert put(put(text, [PROMPT, START, BRIEF])) == once


ENTRY = {"command": "/v/bin/hearth", "args": ["mcp"]}


def is_hearth(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("command", "").endswith("hearth")


def server(text: str, entry: dict[str, Any] | None, key: str = "mcpServers") -> str:
    return servers.edited(text, (key, "hearth"), entry, is_hearth, FILE)


@settings(max_examples=150, deadline=None)
@given(text=files(), others=st.dictionaries(words, values, min_size=1, max_size=2), there=st.booleans())
def test_a_server_goes_in_and_out_of_any_settings(text: str, others: dict[str, Any], there: bool) -> None:
    others.pop("hearth", None)
    if there and others:
        text = json.dumps({**plain(text), "mcpServers": others}, indent=2)
    elif "mcpServers" in plain(text):
        return
    once = server(text, ENTRY)
    assert server(once, ENTRY) == once
    assert plain(once)["mcpServers"]["hearth"] == ENTRY
    assert server(once, None) == text


def test_a_server_of_others_with_our_name_is_left_alone() -> None:
    text = '{"mcpServers": {"hearth": {"command": "hearthstone-tracker"}}}'
    with pytest.raises(Conflict, match=r"mcpServers.hearth runs another program"):
        server(text, ENTRY)
    assert server(text, None) == text


def test_what_people_added_to_our_server_stays() -> None:
    text = json.dumps({"mcpServers": {"hearth": {"command": "/old/hearth", "args": [], "timeout": 9}}}, indent=2)
    assert plain(server(text, ENTRY))["mcpServers"]["hearth"] == {**ENTRY, "timeout": 9}
