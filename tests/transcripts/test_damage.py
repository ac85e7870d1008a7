"""Damaged lines: whatever can be read of them is read, and nothing is glued to what it does not belong to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.transcript import Kind, TranscriptEntry
from hearth.transcripts import transcripts
from hearth.transcripts.transcripts import TranscriptParser
from hearth.transcripts.turns import turns

Lines = Callable[..., bytes]


def ask(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def answer(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, **more}


def row(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode()


def read(data: bytes) -> tuple[TranscriptParser, list[TranscriptEntry]]:
    parser = TranscriptParser()
    return parser, parser.feed(data)


def texts(entries: list[TranscriptEntry], kind: Kind = Kind.USER) -> list[str]:
    return [entry.text for entry in entries if entry.kind is kind]


def test_two_records_on_one_line_are_both_read_and_nothing_is_passed_over() -> None:
    parser, entries = read(row(ask("One.")) + row(ask("Two.")) + b"\n" + row(ask("Three.")) + b"\n")
    assert texts(entries) == ["One.", "Two.", "Three."]
    assert parser.faulty == 0


@given(cut=st.integers(1, 10_000))
def test_a_record_that_is_cut_anywhere_costs_no_whole_one_after_it(cut: int) -> None:
    first = row(ask('He said {"type":"user"} was [fine], "so".', uuid="a", tags=[{"type": "x"}], more={"k": {"n": 1}}))
    whole = row(ask("The whole one.", uuid="b"))
    parser, entries = read(first[: cut % (len(first) - 1) + 1] + whole + b"\n")
    assert texts(entries) == ["The whole one."]
    assert parser.faulty == 1


@pytest.mark.parametrize("junk", [b"\0" * 512, b"\xff\xfe", b"}", b'"', b"junk {", b'{"a":1}'])
def test_whatever_stands_before_between_or_after_records_they_are_read(junk: bytes) -> None:
    line = junk + row(ask("One.")) + junk + row(ask("Two.")) + junk + b"\n"
    parser, entries = read(line)
    assert texts(entries) == ["One.", "Two."]
    assert parser.faulty == 1


def test_a_record_inside_a_cut_one_is_not_taken_for_a_line_of_its_own() -> None:
    inner = ask("What the subagent was asked.")
    line = row({"type": "progress", "data": {"message": inner, "list": [inner, inner]}, "uuid": "p"})
    assert texts(read(line[:-20] + b"\n")[1]) == []


def test_nul_bytes_inside_a_text_cost_no_prompt() -> None:
    line = row(ask("We use@tabs.")).replace(b"@", b"\0\0")
    assert texts(read(line + b"\n")[1]) == ["We use\0\0tabs."]


def test_an_answer_whose_prompt_is_lost_begins_a_turn_of_its_own() -> None:
    lines = [row(ask("One.")), row(answer("Answer one.")), row(ask("Two."))[:30], row(answer("Answer two."))]
    found = turns(read(b"\n".join(lines) + b"\n")[1])
    assert [([prompt.text for prompt in turn.prompts], turn.replies) for turn in found] == [
        (["One."], ("Answer one.",)),
        ([], ("Answer two.",)),
    ]


def test_an_answer_of_which_a_part_is_lost_stays_with_its_prompt() -> None:
    parts = [answer("Part one.", uuid="b", parentUuid="a"), answer("Part two.", uuid="c", parentUuid="b")]
    last = answer("Part three.", uuid="d", parentUuid="c")
    lines = [row(ask("One.", uuid="a", parentUuid=None)), row(parts[0]), row(parts[1])[:-9], row(last)]
    [turn] = turns(read(b"\n".join(lines) + b"\n")[1])
    assert turn.replies == ("Part one.", "Part three.")


def test_a_damaged_line_that_nothing_follows_separates_no_answer_from_its_prompt() -> None:
    lines = [
        row(ask("One.", uuid="a", parentUuid=None)),
        b"\0\0\0",
        row(answer("Answer one.", uuid="b", parentUuid="a")),
    ]
    [turn] = turns(read(b"\n".join(lines) + b"\n")[1])
    assert turn.replies == ("Answer one.",)


@given(cut=st.integers(0, 10_000))
def test_a_lost_prompt_is_known_of_wherever_reading_stops_in_between(cut: int) -> None:
    attached = {"type": "attachment", "uuid": "n", "parentUuid": "lost", "attachment": {"type": "environment"}}
    lines = [row(ask("One.", uuid="a", parentUuid=None)), row(answer("Answer one.", uuid="b", parentUuid="a"))]
    lines += [row(ask("Two.", uuid="lost", parentUuid="b"))[:30], row(attached)]
    data = b"\n".join([*lines, row(answer("Answer two.", uuid="d", parentUuid="n"))]) + b"\n"
    before = TranscriptParser()
    first = before.feed(data[: cut % (len(data) + 1)])
    rest = TranscriptParser(before.position).feed(data[before.position.offset :])
    assert [(entry.turn, entry.text) for entry in first + rest] == [(1, "One."), (1, "Answer one."), (2, "Answer two.")]


def test_text_beside_a_block_over_the_limit_is_read_in_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "MAX_LINE", 20_000)
    image = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo" * 3_000}}
    words = {"type": "text", "text": 'Why does \\ this "picture" flicker?'}
    for blocks in ([image, words], [words, image]):
        data = row({"type": "user", "message": {"role": "user", "content": blocks}}) + b"\n"
        for size in (1, 7, 4_096, len(data)):
            parser = TranscriptParser()
            entries = [e for at in range(0, len(data), size) for e in parser.feed(data[at : at + size])]
            assert texts(entries) == ['Why does \\ this "picture" flicker?']
            assert (parser.faulty, parser.position.offset) == (1, len(data))


def test_a_damaged_line_of_many_braces_takes_no_time() -> None:
    for line in (b'{"a":' * 400_000, b'{"a' * 400_000, b'{"' * 1_000_000, b'[{"a":1},' * 200_000):
        parser, entries = read(line + b"\n")
        assert (entries, parser.faulty) == ([], 1)
