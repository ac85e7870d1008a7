"""Transcripts on a disk: read on from where reading stopped, whatever became of the file."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.core.errors import NotFound, Unavailable, UsageError
from hearth.core.transcript import Position, Watermark
from hearth.disk.transcripts import DiskTranscripts
from hearth.transcripts.transcripts import TranscriptParser

DISK = DiskTranscripts()
Lines = Callable[..., bytes]


def ask(text: str, number: int = 0) -> dict[str, Any]:
    stamp = f"2026-11-19T10:{number // 60:02}:{number % 60:02}.000Z"
    return {"type": "user", "uuid": f"u-{text[:20]}", "timestamp": stamp, "message": {"content": text}}


def texts(path: Path, since: Watermark | None = None) -> list[str]:
    return [entry.text for entry in DISK.read(str(path), since).entries]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def test_what_is_appended_is_read_once_and_only_when_its_line_ends(path: Path, lines: Lines) -> None:
    first, second = lines(ask("one")), lines(ask("two"))
    path.write_bytes(first + second[:20])
    reading = DISK.read(str(path))
    assert [entry.text for entry in reading.entries] == ["one"]
    assert reading.watermark.position.offset == len(first)
    path.write_bytes(first + second)
    again = DISK.read(str(path), reading.watermark)
    assert [(entry.text, entry.turn, entry.offset) for entry in again.entries] == [("two", 2, len(first))]
    assert (again.reset, again.more, texts(path, again.watermark)) == (None, False, [])


def test_cut_anywhere_nothing_is_lost_or_read_twice(path: Path, recorded: Callable[[str], bytes]) -> None:
    data = recorded("claude_code")
    whole = TranscriptParser().feed(data)
    for cut in range(len(data) - 700, len(data), 7):
        path.write_bytes(data[:cut])
        first = DISK.read(str(path))
        path.write_bytes(data)
        assert [*first.entries, *DISK.read(str(path), first.watermark).entries] == whole


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ([ask("short")], "shrank to"),
        ([ask("other"), ask("lines"), ask("altogether")], "changed since they were read"),
        ([ask("one"), ask("changed"), ask("three")], "changed since they were read"),
    ],
    ids=["truncated", "rotated", "rewritten"],
)
def test_another_file_under_the_same_name_is_read_from_its_start(
    new: list[dict[str, Any]], reason: str, path: Path, lines: Lines
) -> None:
    path.write_bytes(lines(ask("one"), ask("two")))
    mark = DISK.read(str(path)).watermark
    path.unlink()
    path.write_bytes(lines(*new))
    reading = DISK.read(str(path), mark)
    assert reading.reset is not None
    assert reason in reading.reset
    assert [(entry.text, entry.turn) for entry in reading.entries] == [
        (row["message"]["content"], i + 1) for i, row in enumerate(new)
    ]


def test_a_restored_copy_of_the_file_is_read_on(path: Path, lines: Lines) -> None:
    path.write_bytes(lines(ask("one")))
    mark = DISK.read(str(path)).watermark
    copy = path.with_name("copy.jsonl")
    copy.write_bytes(path.read_bytes() + lines(ask("two")))
    copy.replace(path)
    reading = DISK.read(str(path), mark)
    assert (reading.reset, [entry.text for entry in reading.entries]) == (None, ["two"])


def test_a_bare_offset_is_enough_to_read_on_from_the_start_of_its_line(path: Path, lines: Lines) -> None:
    first = lines(ask("one"))
    path.write_bytes(first + lines(ask("two")))
    for inside in (0, 3, 50):
        reading = DISK.read(str(path), Watermark(Position(offset=len(first) + inside)))
        assert (reading.reset, [entry.text for entry in reading.entries]) == (None, ["two"])
        assert reading.faulty == 0


def test_nothing_beyond_a_byte_is_read_and_the_rest_is_read_on(path: Path, lines: Lines) -> None:
    first, second = lines(ask("one")), lines(ask("two"))
    path.write_bytes(first + second)
    reading = DISK.read(str(path), until=len(first))
    assert ([entry.text for entry in reading.entries], reading.more) == (["one"], False)
    assert texts(path, reading.watermark) == ["two"]
    assert DISK.read(str(path), reading.watermark, until=len(first)).entries == ()


def test_the_size_of_a_transcript_ends_with_its_last_complete_line(path: Path, lines: Lines) -> None:
    first = lines(ask("one"))
    path.write_bytes(first + b"x" * 200_000)
    assert DISK.size(str(path)) == len(first) == DISK.read(str(path)).watermark.position.offset
    path.write_bytes(first[:-1])
    assert DISK.size(str(path)) == 0


def test_a_large_file_is_read_in_parts_that_add_up(path: Path, lines: Lines) -> None:
    rows = [ask(f"{i} {'x' * 1_000}") for i in range(3_000)]
    path.write_bytes(lines(*rows))
    whole = DISK.read(str(path))
    found, mark, more, rounds = [], Watermark(), True, 0
    while more:
        reading = DISK.read(str(path), mark, most=1)
        found.extend(reading.entries)
        mark, more, rounds = reading.watermark, reading.more, rounds + 1
    assert (tuple(found), mark) == (whole.entries, whole.watermark)
    assert rounds == 4
    assert not whole.more


def test_a_line_of_30_mb_is_passed_over_without_being_held(path: Path, lines: Lines) -> None:
    with path.open("wb") as file:
        file.write(lines(ask("before")))
        file.write(b'{"type":"user","message":{"content":"')
        for _ in range(30):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}}\n' + lines(ask("after")))
    tracemalloc.start()
    reading = DISK.read(str(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [entry.text for entry in reading.entries] == ["before", "after"]
    assert (reading.faulty, reading.faults[0].reason) == (1, "longer than 10 MB")
    assert peak < 16 * 2**20


def test_damaged_lines_are_counted_and_the_rest_is_read(path: Path, lines: Lines) -> None:
    good = lines(ask("one"))
    path.write_bytes(good + b"{torn\n\x00\x00\n" + lines(ask("two")))
    reading = DISK.read(str(path))
    assert [entry.text for entry in reading.entries] == ["one", "two"]
    assert (reading.faulty, [fault.offset for fault in reading.faults]) == (2, [len(good), len(good) + 6])


def test_a_file_of_no_known_host_says_so_by_having_no_style(path: Path) -> None:
    path.write_text('{"hello": "world"}\n')
    assert DISK.read(str(path)).watermark.position.style is None


def test_an_empty_file_has_nothing_to_tell(path: Path) -> None:
    path.touch()
    reading = DISK.read(str(path))
    assert (reading.entries, reading.watermark, reading.more) == ((), Watermark(), False)
    assert DISK.tail(str(path)) == []


@pytest.mark.parametrize("call", [DISK.read, DISK.tail, DISK.size], ids=["read", "tail", "size"])
class TestRefused:
    def test_a_missing_file(self, call: Callable[[str], Any], path: Path) -> None:
        with pytest.raises(NotFound, match="does not exist"):
            call(str(path))
        with pytest.raises(NotFound):
            call("/dev/null/session.jsonl")

    @pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
    def test_what_is_no_file_without_waiting(
        self, call: Callable[[str], Any], make: Callable[[Path], None], path: Path
    ) -> None:
        make(path)
        with pytest.raises(Unavailable, match="not a regular file"):
            call(str(path))

    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev/null"])
    def test_a_device_directly_or_behind_a_link(self, call: Callable[[str], Any], device: str, path: Path) -> None:
        path.symlink_to(device)
        for name in (device, str(path)):
            with pytest.raises((Unavailable, NotFound)):
                call(name)

    @pytest.mark.parametrize("name", ["", "session.jsonl", "../x.jsonl", "/tmp/a\0b", "/tmp/\ud83d.jsonl"], ids=ascii)
    def test_a_name_that_is_no_absolute_path(self, call: Callable[[str], Any], name: str) -> None:
        with pytest.raises(UsageError) as caught:
            call(name)
        str(caught.value).encode()

    def test_links_in_a_circle(self, call: Callable[[str], Any], path: Path) -> None:
        path.symlink_to(path)
        with pytest.raises(Unavailable, match="can't be read"):
            call(str(path))


def test_a_link_to_a_transcript_is_followed(path: Path, lines: Lines) -> None:
    path.write_bytes(lines(ask("one")))
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    assert texts(link) == ["one"]


def test_the_tail_tells_the_last_prompts_with_instants_and_ids(path: Path, lines: Lines) -> None:
    path.write_bytes(lines(*(ask(f"{i} {'x' * 1_000}", i) for i in range(500))))
    prompts = DISK.tail(str(path))
    assert 40 < len(prompts) < 65
    assert [entry.text.split()[0] for entry in prompts][-2:] == ["498", "499"]
    assert prompts[-1].at is not None
    assert prompts[-2].at is not None
    assert prompts[-1].at - prompts[-2].at == 1_000
    assert prompts[-1].uid == f"u-499 {'x' * 16}"


def test_the_tail_starts_with_a_whole_line(path: Path, lines: Lines) -> None:
    rows = [lines(ask(f"ask {i}")) for i in range(5)]
    data = b"".join(rows)
    path.write_bytes(data)
    start = len(rows[0]) + len(rows[1])
    for size, first in [(len(data) - start, 2), (len(data) - start - 1, 3), (len(data) - start + 1, 2), (10**6, 0)]:
        found = DISK.tail(str(path), size, wanted=1)
        assert [entry.text for entry in found] == [f"ask {i}" for i in range(first, 5)]
        assert all(data[entry.offset :].startswith(b'{"type":"user"') for entry in found)


def test_the_tail_looks_past_what_hosts_write_in_between_but_not_without_end(path: Path, lines: Lines) -> None:
    noise = lines({"type": "attachment", "attachment": {"type": "prompt_snapshot", "text": "y" * 60_000}})
    path.write_bytes(lines(ask("one")) + noise * 2 + lines(ask("two")) + noise * 2)
    assert [entry.text for entry in DISK.tail(str(path))] == ["one", "two"]
    path.write_bytes(lines(ask("one")) + noise * 30 + lines(ask("two")))
    assert [entry.text for entry in DISK.tail(str(path))] == ["two"]


def test_the_tail_waits_for_the_end_of_the_line(path: Path, lines: Lines) -> None:
    path.write_bytes(lines(ask("one"), ask("two"))[:-1])
    assert [entry.text for entry in DISK.tail(str(path))] == ["one"]


def test_a_watermark_survives_json_byte_for_byte(path: Path, recorded: Callable[[str], bytes]) -> None:
    for style in ("claude_code", "codex", "codex_events"):
        path.write_bytes(recorded(style))
        mark = DISK.read(str(path)).watermark
        assert Watermark.from_data(json.loads(json.dumps(mark.as_data()))) == mark
        assert DISK.read(str(path), mark).entries == ()
