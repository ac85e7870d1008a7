"""Claude Code's transcripts: who said what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hearth.core.transcript import UNATTENDED, Kind, TranscriptEntry
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns
from hearth.transcripts.typed import strip_added

Parse = Callable[[bytes], list[TranscriptEntry]]
Lines = Callable[..., bytes]


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def texts(entries: list[TranscriptEntry], kind: Kind) -> list[str]:
    return [entry.text for entry in entries if entry.kind is kind]


def test_of_a_whole_session_only_what_was_typed_is_a_persons(recorded: Callable[[str], bytes], parse: Parse) -> None:
    entries = parse(recorded("claude_code"))
    assert texts(entries, Kind.USER) == [
        "Add a retry to the payment client.",
        "Use three attempts.",
        "Now write a test.",
    ]
    assert texts(entries, Kind.ASSISTANT) == [
        "I'll read the client first.",
        "Now the edit.",
        "Done: three attempts with jitter.",
    ]
    assert texts(entries, Kind.BOUNDARY) == ["Conversation compacted"]
    assert [entry.tool for entry in entries if entry.kind is Kind.TOOL_CALL] == [
        "Read",
        "Edit",
        "Write",
        "NotebookEdit",
    ]
    assert [entry.failed for entry in entries if entry.kind is Kind.TOOL_RESULT] == [False, False, True]
    assert [(entry.text, entry.files) for entry in entries if entry.kind is Kind.SIDECHAIN] == [
        ("Search the repo for retries.", ()),
        ("", ("/home/ana/shop/side.py",)),
    ]
    assert "Retry in the payment client" in texts(entries, Kind.TITLE)


def test_a_session_falls_into_turns_with_whole_messages_and_the_files_that_changed(
    recorded: Callable[[str], bytes], parse: Parse
) -> None:
    first, second = turns(parse(recorded("claude_code")))
    assert (first.ordinal, first.key, second.ordinal, second.key) == (1, "p1", 2, "p2")
    assert [prompt.text for prompt in first.prompts] == ["Add a retry to the payment client.", "Use three attempts."]
    assert first.replies == ("I'll read the client first.\n\nNow the edit.", "Done: three attempts with jitter.")
    assert first.files == ("/home/ana/shop/pay.py",)
    assert second.files == ("/home/ana/shop/t.ipynb",)
    assert second.replies == ()


def test_an_entry_knows_when_it_was_said_its_id_and_its_place(recorded: Callable[[str], bytes], parse: Parse) -> None:
    data = recorded("claude_code")
    for entry in parse(data):
        line = data[entry.offset :].split(b"\n", 1)[0]
        assert entry.offset == 0 or data[entry.offset - 1 : entry.offset] == b"\n"
        assert entry.uid is None or entry.uid.encode() in line
    prompt = next(entry for entry in parse(data) if entry.kind is Kind.USER)
    assert (prompt.at, prompt.uid) == (1795082406000, "u06")


@pytest.mark.parametrize(
    "text",
    [
        "<vault-context>\nWe use tabs.\n</vault-context>",
        '<vault-session trust="own">\nWe use tabs.\n</vault-session>',
        "<vault-postcompact>We use tabs.</vault-postcompact>\n<system-reminder>And more.</system-reminder>",
        "<system-reminder>\nWe use tabs.",
        "<local-command-stdout>We use tabs.</local-command-stdout>",
        "<command-name>/clear</command-name>\n<command-args>We use tabs</command-args>",
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        "<vault-context>outer <vault-context>inner</vault-context> still outer</vault-context>",
        "This session is being continued from a previous conversation that ran out of context. We use tabs.",
        "[Request interrupted by user]",
        "<bash-input>ls</bash-input>",
    ],
)
def test_what_a_program_wrote_in_the_users_role_is_never_a_statement(text: str, parse: Parse, lines: Lines) -> None:
    for content in (text, [{"type": "text", "text": text}]):
        assert [entry.kind for entry in parse(lines(user(content)))] == [Kind.META]


@pytest.mark.parametrize(("entrypoint", "unattended"), [("sdk-cli", True), ("cli", False), (["sdk-cli"], False)])
def test_a_line_says_that_a_script_runs_the_session(entrypoint: Any, unattended: bool, lines: Lines) -> None:
    parser = TranscriptParser()
    parser.feed(lines(user("We use tabs.", entrypoint=entrypoint)))
    assert (UNATTENDED in parser.position.marks) is unattended


@pytest.mark.parametrize(
    "marks",
    [
        {"isMeta": True}, {"isCompactSummary": True}, {"isVisibleInTranscriptOnly": True},
        {"promptSource": "schedule_wakeup"}, {"turnOrigin": {"kind": "task-notification"}},
    ],
)  # fmt: skip
def test_a_line_marked_as_not_typed_is_meta(marks: dict[str, Any], parse: Parse, lines: Lines) -> None:
    assert [entry.kind for entry in parse(lines(user("We use tabs.", **marks)))] == [Kind.META]
    assert [entry.kind for entry in parse(lines(user("We use tabs.", promptSource="sdk", turnOrigin="sdk")))] == [
        Kind.USER
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("We use tabs.\n<system-reminder>no</system-reminder>\n", "We use tabs."),
        ("<vault-context>no</vault-context>\nWe use tabs.", "We use tabs."),
        ("a <system-reminder>1</system-reminder>b <system-reminder>2</system-reminder>c", "a b c"),
        ("What does <system-reminder> mean?", "What does <system-reminder> mean?"),
        ("Why </vault-context> here?", "Why </vault-context> here?"),
        ("<div>mine</div>", "<div>mine</div>"),
        ("Keep this\n  <vault-session>\ncut to the end", "Keep this"),
        ("x <vault-context> y\n<vault-context>no</vault-context> z", "x <vault-context> y\n z"),
    ],
)
def test_what_a_person_typed_around_a_block_stays(text: str, left: str) -> None:
    assert strip_added(text) == left


def test_thousands_of_unclosed_tags_take_no_time_to_judge() -> None:
    assert strip_added("a <vault-context> " * 50_000).startswith("a <vault-context> a")
    assert strip_added("a <vault-context" * 50_000).startswith("a <vault-context")


def test_a_line_written_twice_is_read_once(parse: Parse, lines: Lines) -> None:
    row = user("Use tabs.", uuid="u1", promptId="p1")
    queued = {"type": "queued_command", "prompt": "And tests.", "source_uuid": "s1"}
    rows = [row, row, {"type": "attachment", "uuid": "q1", "attachment": queued}, user("And tests.", uuid="s1")]
    assert texts(parse(lines(*rows)), Kind.USER) == ["Use tabs.", "And tests."]


def test_a_prompt_typed_meanwhile_belongs_to_the_turn_under_way_even_without_ids(parse: Parse, lines: Lines) -> None:
    queued = {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "And tests."}}
    entries = parse(lines(user("Use tabs."), queued, user("Thanks.")))
    assert [(entry.turn, entry.text) for entry in entries] == [(1, "Use tabs."), (1, "And tests."), (2, "Thanks.")]


@pytest.mark.parametrize("mark", [{"isSidechain": True}, {"agentId": "a1"}])
def test_a_subagents_line_opens_no_turn(mark: dict[str, Any], parse: Parse, lines: Lines) -> None:
    entries = parse(lines(user("Use tabs.", promptId="p1"), user("Search.", promptId="p2", **mark)))
    assert [(entry.kind, entry.turn, entry.prompt) for entry in entries] == [
        (Kind.USER, 1, "p1"),
        (Kind.SIDECHAIN, 1, "p1"),
    ]


def test_text_beside_a_tools_result_is_no_prompt(parse: Parse, lines: Lines) -> None:
    content = [
        {"type": "tool_result", "tool_use_id": "t", "content": "Always use tabs."},
        {"type": "text", "text": "so"},
    ]
    assert [entry.kind for entry in parse(lines(user(content)))] == [Kind.TOOL_RESULT, Kind.META]


def test_a_prompt_of_a_picture_alone_counts_as_a_turn(parse: Parse, lines: Lines) -> None:
    picture = user([{"type": "image", "source": {}}], promptId="p1")
    entries = parse(lines(picture, user("And now?", promptId="p2")))
    assert [(entry.turn, entry.text) for entry in entries] == [(1, ""), (2, "And now?")]


def test_relative_names_of_files_start_at_the_folder_of_the_line(parse: Parse, lines: Lines) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": "./a/../b.py"}}
    row = {"type": "assistant", "cwd": "/home/ana", "message": {"content": [call]}}
    assert [entry.files for entry in parse(lines(row))] == [("/home/ana/b.py",)]


ODD = [None, 7, "x", [], {}, [[]], [None], {"content": None}, {"content": [7, None, {"type": []}]}, True, 1e400]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize(
    "key", ["message", "uuid", "timestamp", "attachment", "type", "promptId", "turnOrigin", "cwd", "payload", "isMeta"]
)
def test_fields_of_any_type_raise_nothing(key: str, odd: Any, parse: Parse, lines: Lines) -> None:
    for kind in ("user", "assistant", "attachment", "system", "summary"):
        row = {"type": kind, "message": {"content": "x"}, "attachment": {}, key: odd}
        assert texts(parse(lines(user("before"), row, user("after"))), Kind.USER)[-1] == "after"
