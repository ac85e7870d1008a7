"""Bytes to entries, however they come and whatever they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.transcript import Kind, Position, TranscriptEntry, Watermark
from hearth.transcripts import transcripts
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns

Recorded = Callable[[str], bytes]
Lines = Callable[..., bytes]

STYLES = ["claude_code", "codex", "codex_events"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["user", "text"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "uuid", "payload", "role", "text", "attachment", "prompt"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    at = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(at)]


def fed(parser: TranscriptParser, parts: list[bytes]) -> list[TranscriptEntry]:
    return [entry for part in parts for entry in parser.feed(part)]


@pytest.mark.parametrize("style", STYLES)
def test_a_transcript_one_byte_at_a_time_is_the_same_transcript(style: str, recorded: Recorded) -> None:
    data = recorded(style)
    whole, bytewise = TranscriptParser(), TranscriptParser()
    assert fed(bytewise, [data[i : i + 1] for i in range(len(data))]) == whole.feed(data)
    assert bytewise.position == whole.position
    assert whole.position.offset == len(data)


@given(style=st.sampled_from(STYLES), cuts=st.lists(st.integers(0, 10**6), max_size=8))
def test_any_chunking_gives_the_same_entries(recorded: Recorded, style: str, cuts: list[int]) -> None:
    data = recorded(style)
    assert fed(TranscriptParser(), pieces(data, cuts)) == TranscriptParser().feed(data)


@given(style=st.sampled_from(STYLES), cut=st.integers(0, 10**6))
def test_reading_on_from_a_position_tells_the_rest_as_if_there_had_been_no_stop(
    recorded: Recorded, style: str, cut: int
) -> None:
    data = recorded(style)
    before = TranscriptParser()
    first = before.feed(data[: cut % (len(data) + 1)])
    mark = Watermark.from_data(json.loads(json.dumps(Watermark(before.position, "d").as_data())))
    assert mark == Watermark(before.position, "d")
    after = TranscriptParser(mark.position)
    assert first + after.feed(data[before.position.offset :]) == TranscriptParser().feed(data)


@given(data=st.binary(max_size=400), cuts=st.lists(st.integers(0, 500), max_size=4))
def test_arbitrary_bytes_raise_nothing_and_are_cut_anywhere(data: bytes, cuts: list[int]) -> None:
    whole, parts = TranscriptParser(), TranscriptParser()
    assert fed(parts, pieces(data, cuts)) == whole.feed(data)
    assert (parts.position, parts.faults) == (whole.position, whole.faults)
    assert whole.position.offset == data.rfind(b"\n") + 1


@given(rows=st.lists(JSON, max_size=6))
def test_arbitrary_json_raises_nothing_and_what_comes_out_can_be_written_down(rows: list[Any]) -> None:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    parser = TranscriptParser()
    for entry in parser.feed(data):
        entry.text.encode()
        (entry.uid or "").encode()
    json.dumps(Watermark(parser.position).as_data()).encode()
    assert parser.faulty == sum(not isinstance(row, dict) for row in rows)


@given(data=st.dictionaries(st.sampled_from(["offset", "turn", "style", "marks", "cwd", "digest", "prompt"]), JSON))
def test_a_damaged_watermark_is_still_one(data: dict[str, Any]) -> None:
    mark = Watermark.from_data(data)
    assert Watermark.from_data(mark.as_data()) == mark


@pytest.mark.parametrize(
    "line",
    [
        b"{", b"nonsense", b"[1]", b'"text"', b"7", b"\x00\x00\x00", b'{"type":"user"', b"\xff\xfe{}",
        b"[" * 100_000, b'{"a":' * 100_000, b'{"n":' + b"9" * 5_000 + b"}",
    ],
    ids=lambda line: repr(line[:12]),
)  # fmt: skip
def test_a_line_that_is_no_object_is_passed_over_and_reported(line: bytes, lines: Lines) -> None:
    parser = TranscriptParser()
    good = lines({"type": "user", "message": {"content": "still read"}})
    entries = parser.feed(good + line + b"\n" + good)
    assert [entry.text for entry in entries] == ["still read"] * 2
    assert parser.faulty == 1
    assert (parser.faults[0].offset, parser.faults[0].reason) == (len(good), "not a JSON object")


def test_of_many_faults_all_are_counted_and_the_first_are_told() -> None:
    parser = TranscriptParser()
    parser.feed(b"x\n" * 1_000)
    assert parser.faulty == 1_000
    assert [fault.offset for fault in parser.faults] == list(range(0, 40, 2))


def test_a_line_that_is_too_long_is_passed_over_in_any_chunks(monkeypatch: pytest.MonkeyPatch, lines: Lines) -> None:
    monkeypatch.setattr(transcripts, "MAX_LINE", 100)
    short = lines({"type": "user", "message": {"content": "short"}})
    long = lines({"type": "user", "message": {"content": "x" * 200}})
    for size in (1, 7, 50, 1_000):
        data, parser = short + long + short, TranscriptParser()
        entries = fed(parser, [data[at : at + size] for at in range(0, len(data), size)])
        assert [entry.text for entry in entries] == ["short", "short"]
        assert [fault.offset for fault in parser.faults] == [len(short)]
        assert parser.position.offset == len(data)


def test_invalid_utf8_and_half_characters_cost_a_character_not_the_line(lines: Lines) -> None:
    broken = lines({"type": "user", "message": {"content": "ab@cd"}}).replace(b"@", b"\xff")
    half = b'{"type":"user","message":{"content":"ab\\ud83dcd"}}\n'
    assert [entry.text for entry in TranscriptParser().feed(broken + half)] == ["ab\ufffdcd", "ab\ufffdcd"]


def test_windows_line_ends_a_byte_order_mark_and_empty_lines_do_no_harm(recorded: Recorded) -> None:
    data = recorded("claude_code")
    odd = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n\r\n \r\n")
    parser = TranscriptParser()
    plain = [replace(entry, offset=0) for entry in TranscriptParser().feed(data)]
    assert [replace(entry, offset=0) for entry in parser.feed(odd)] == plain
    assert parser.faulty == 0


@pytest.mark.parametrize(("style", "name"), [("claude_code", "claude-code"), ("codex", "codex")])
def test_the_host_is_known_by_its_lines_wherever_reading_starts(style: str, name: str, recorded: Recorded) -> None:
    rows = recorded(style).splitlines(keepends=True)
    for start in range(len(rows) - 2):
        parser = TranscriptParser()
        parser.feed(b"".join(rows[start:]))
        assert parser.position.style == name


def test_lines_of_no_known_host_give_nothing_and_leave_the_host_open(lines: Lines) -> None:
    parser = TranscriptParser()
    assert parser.feed(lines({"role": "user", "content": "x"}, {"type": "message"}, {"type": "response_item"})) == []
    assert (parser.position.style, parser.faulty) == (None, 0)


def test_a_type_deep_inside_a_line_is_not_taken_for_the_lines_own(lines: Lines) -> None:
    rows = [
        {"extra": {"type": "progress"}, "type": "user", "message": {"content": "one"}},
        {"extra": '{"type":"progress"}', "type": "user", "message": {"content": "two"}},
        {"type": "progress", "message": {"content": "no"}},
        {"parentUuid": None, "isSidechain": False, "n": -1.5e3, "type": "api-request", "message": {"content": "no"}},
    ]
    assert [entry.text for entry in TranscriptParser().feed(lines(*rows))] == ["one", "two"]


def test_a_turn_that_began_before_the_watermark_goes_on_without_a_prompt(recorded: Recorded) -> None:
    data = recorded("claude_code")
    cut = data.index(b'"toolu_2","name":"Edit"')
    before = TranscriptParser()
    before.feed(data[:cut])
    rest = turns(TranscriptParser(before.position).feed(data[before.position.offset :]))
    assert [(turn.ordinal, turn.key) for turn in rest] == [(1, "p1"), (2, "p2")]
    assert rest[0].files == ("/home/ana/shop/pay.py",)
    assert [prompt.text for prompt in rest[0].prompts] == ["Use three attempts."]


def test_prompts_without_ids_are_counted(lines: Lines) -> None:
    rows = [{"type": "user", "message": {"content": f"ask {i}"}} for i in range(3)]
    entries = TranscriptParser(Position(turn=4)).feed(lines(*rows))
    assert [(entry.kind, entry.turn, entry.prompt) for entry in entries] == [(Kind.USER, 5 + i, None) for i in range(3)]
