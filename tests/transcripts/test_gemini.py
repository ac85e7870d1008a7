"""Transcripts that Gemini CLI and Qwen Code wrote, recorded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hearth.core.hook import Act
from hearth.core.transcript import Kind, TranscriptEntry

Parse = Callable[[bytes], list[TranscriptEntry]]


@pytest.mark.parametrize("name", ["gemini", "qwen"])
def test_a_turn_holds_what_was_typed_run_and_answered_without_our_own_blocks(
    name: str, recorded: Callable[[str], bytes], parse: Parse
) -> None:
    entries = parse(recorded(name))
    assert [entry.kind for entry in entries] == [Kind.USER, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.ASSISTANT]
    asked, call, result, answer = entries
    assert (asked.text, answer.text) == ("Why did we stop using JWT?", "Mock answer 2.")
    assert call.action is not None and call.action.act is Act.COMMAND
    assert {entry.turn for entry in entries} == {1}
    assert result.failed == (name == "qwen") and result.text


def test_a_message_that_is_written_again_is_said_once(lines: Callable[..., bytes], parse: Parse) -> None:
    asked = {
        "id": "1",
        "timestamp": "2026-11-28T20:28:34.577Z",
        "type": "user",
        "content": [{"text": "Label the jars"}],
    }
    told = {"id": "2", "timestamp": "2026-11-28T20:28:35.577Z", "type": "gemini", "content": "I label them."}
    call = {"id": "c", "name": "write_file", "args": {"file_path": "/home/ana/jars.txt"}}
    entries = parse(lines(asked, told, {**told, "toolCalls": [call]}))
    assert [entry.kind for entry in entries] == [Kind.USER, Kind.ASSISTANT, Kind.TOOL_CALL]
    assert entries[2].files == ("/home/ana/jars.txt",)


def test_an_answer_that_is_written_after_its_tool_calls_counts(lines: Callable[..., bytes], parse: Parse) -> None:
    head = {"timestamp": "2026-11-28T20:28:35.577Z", "id": "2", "type": "gemini", "content": ""}
    asked = {**head, "id": "1", "type": "user", "content": "Label the jars"}
    entries = parse(lines(asked, head, {**head, "content": "Labelled."}))
    assert [entry.text for entry in entries] == ["Label the jars", "Labelled."]


def test_lines_of_strange_shapes_are_passed_over(lines: Callable[..., bytes], parse: Parse) -> None:
    head = {"type": "user", "id": "1", "timestamp": "x", "content": "Label the jars"}
    odd = [
        {**head, "content": value} for value in (None, 7, [None, {"text": 3}, {"functionResponse": 2}], {"text": "x"})
    ]
    strange = {**head, "type": "gemini", "content": None, "toolCalls": [1, {"name": 2, "args": "x"}]}
    assert [entry.text for entry in parse(lines(head, *odd, strange)) if entry.text] == ["Label the jars"]
