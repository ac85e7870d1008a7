"""Codex's rollouts: one stream of the two, and who said what."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hearth.core.transcript import UNATTENDED, Kind, TranscriptEntry
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns

Parse = Callable[[bytes], list[TranscriptEntry]]
Lines = Callable[..., bytes]


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-19T11:00:01Z", "type": "response_item", "payload": payload}


def message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    return item(type="message", role=role, content=[{"type": "input_text", "text": text} for text in texts], **more)


def event(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-19T11:00:01Z", "type": "event_msg", "payload": payload}


def said(entries: list[TranscriptEntry]) -> list[tuple[Kind, str]]:
    return [(entry.kind, entry.text) for entry in entries if entry.kind in (Kind.USER, Kind.ASSISTANT)]


def test_of_a_rollout_that_tells_all_twice_everything_is_read_once(
    recorded: Callable[[str], bytes], parse: Parse
) -> None:
    entries = parse(recorded("codex"))
    assert said(entries) == [
        (Kind.USER, "Add a retry."),
        (Kind.ASSISTANT, "Added the retry."),
        (Kind.USER, "Now a test."),
        (Kind.ASSISTANT, "Here is the test."),
    ]
    assert [entry.kind for entry in entries if entry.kind is Kind.BOUNDARY] == [Kind.BOUNDARY]
    assert all("tabs" not in entry.text for entry in entries if entry.kind is Kind.USER)


def test_patches_say_which_files_changed_unless_they_failed(recorded: Callable[[str], bytes], parse: Parse) -> None:
    entries = parse(recorded("codex"))
    first, second = turns(entries)
    assert first.files == ("/home/ana/shop/src/pay.py", "/home/ana/shop/new.py")
    assert [entry.files for entry in entries if entry.call == "call_3"] == [("/home/ana/shop/lib/old.py",), ()]
    assert (first.key, second.key) == ("turn-1", "turn-2")


def test_where_events_come_first_messages_are_theirs_alone(recorded: Callable[[str], bytes], parse: Parse) -> None:
    assert said(parse(recorded("codex_events"))) == [
        (Kind.USER, "Which port does the shop use?"),
        (Kind.ASSISTANT, "It listens on 8081."),
        (Kind.USER, "Change it to 9090."),
        (Kind.ASSISTANT, "Changed."),
    ]


@pytest.mark.parametrize("first", ["items", "events"])
def test_no_order_of_the_streams_doubles_a_message(first: str, parse: Parse, lines: Lines) -> None:
    pairs = [(message("user", f"ask {i}"), event(type="user_message", message=f"ask {i}")) for i in range(3)]
    rows = [row for pair in pairs for row in (pair if first == "items" else pair[::-1])]
    assert said(parse(lines(*rows))) == [(Kind.USER, f"ask {i}") for i in range(3)]


def test_only_parts_that_the_host_calls_typed_are(parse: Parse, lines: Lines) -> None:
    kinds = {"turn_id": "t", "content_item_kinds": ["hooks.additional_context", "user.text"]}
    row = message("user", "We use tabs.", "Add a test.", internal_chat_message_metadata_passthrough=kinds)
    assert [(entry.kind, entry.text, entry.prompt) for entry in parse(lines(row))] == [(Kind.USER, "Add a test.", "t")]
    row["payload"]["internal_chat_message_metadata_passthrough"]["content_item_kinds"] = ["hooks.x", "hooks.y"]
    assert [entry.kind for entry in parse(lines(row))] == [Kind.META]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd></environment_context>",
        "<user_instructions>\nUse tabs.\n</user_instructions>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    ],
)
def test_settings_in_the_users_role_are_no_statement(text: str, parse: Parse, lines: Lines) -> None:
    assert [entry.kind for entry in parse(lines(message("user", text)))] == [Kind.META]
    assert [entry.kind for entry in parse(lines(message("developer", "Use tabs.")))] == [Kind.META]


@pytest.mark.parametrize("mark", [{"thread_source": "subagent"}, {"source": {"subagent": "review"}}])
def test_a_subagents_rollout_holds_nothing_of_the_session(mark: dict[str, Any], parse: Parse, lines: Lines) -> None:
    rows = [{"type": "session_meta", "payload": mark}, message("user", "Look for it."), message("assistant", "Found.")]
    assert {entry.kind for entry in parse(lines(*rows))} == {Kind.SIDECHAIN}


@pytest.mark.parametrize(
    ("told", "unattended"),
    [
        ({"originator": "codex_exec"}, True),
        ({"source": "exec"}, True),
        ({"originator": "codex_cli_rs", "source": "cli"}, False),
        ({"source": {"subagent": "review"}}, False),
    ],
)
def test_a_rollout_says_that_a_script_runs_the_session(told: dict[str, Any], unattended: bool, lines: Lines) -> None:
    parser = TranscriptParser()
    parser.feed(lines({"type": "session_meta", "payload": told}, message("user", "Look for it.")))
    assert (UNATTENDED in parser.position.marks) is unattended
    parser = TranscriptParser(parser.position)
    parser.feed(lines(message("assistant", "Found.")))
    assert (UNATTENDED in parser.position.marks) is unattended


def test_a_tool_named_in_any_way_and_broken_arguments_are_read(parse: Parse, lines: Lines) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** End Patch"
    rows = [
        {"type": "turn_context", "payload": {"cwd": "/w"}},
        item(type="function_call", name="shell", arguments=json.dumps({"command": ["apply_patch", patch]})),
        item(type="function_call", name="shell", arguments="{" + patch),
        item(type="custom_tool_call", name="apply_patch", input=["odd", {"deep": [patch]}]),
        item(type="local_shell_call", action={"command": ["ls"]}),
    ]
    assert [(entry.tool, entry.files) for entry in parse(lines(*rows))] == [
        ("shell", ("/w/a.py", "/w/b.py")),
        ("shell", ()),
        ("apply_patch", ("/w/a.py", "/w/b.py")),
        ("local_shell", ()),
    ]


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [None], {"x": []}, [{"type": []}]], ids=repr)
@pytest.mark.parametrize("key", ["type", "role", "content", "arguments", "output", "call_id", "item", "source", "cwd"])
def test_payloads_of_any_shape_raise_nothing(key: str, odd: Any, parse: Parse, lines: Lines) -> None:
    kinds = ("message", "function_call", "function_call_output", "item_completed", "user_message", "task_started")
    for outer in ("response_item", "event_msg", "session_meta", "turn_context", "compacted"):
        rows = [{"type": outer, "payload": {"type": kind, "role": "user", key: odd}} for kind in kinds]
        assert all(isinstance(entry, TranscriptEntry) for entry in parse(lines(*rows)))
