from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.journal import Draft, Event
from hearth.journal import Batch, Journal, JournalPosition, JournalProblem, Mark, encode, read
from hearth.journal.read import LONGEST_LINE

OWN = "aaaaaaaaaa"
PIN = Draft("pin", "doc")
Open = Callable[..., Journal]


def lines(count: int, machine: str = OWN, start: int = 0) -> bytes:
    events = (Event(f"{n:026d}", n, n, machine, "pin", "doc") for n in range(start, start + count))
    return b"".join(encode(event) + b"\n" for event in events)


def stamps(batch: Batch) -> list[int]:
    return [event.hlc for event in batch.events]


@pytest.fixture
def path(folder: Path) -> Path:
    folder.mkdir()
    return folder / f"{OWN}.jsonl"


def test_a_missing_folder_is_an_empty_journal(folder: Path) -> None:
    assert read(folder, JournalPosition()) == Batch([], [], JournalPosition(), False)


def test_reading_goes_on_where_it_stopped_through_json(path: Path) -> None:
    path.write_bytes(lines(3))
    first = read(path.parent, JournalPosition())
    with path.open("ab") as file:
        file.write(lines(2, start=3))
    second = read(path.parent, JournalPosition.from_json(json.loads(json.dumps(first.position.to_json()))))
    assert (stamps(first), stamps(second)) == ([0, 1, 2], [3, 4])
    third = read(path.parent, second.position)
    assert third == Batch([], [], second.position, False)


@given(st.integers(1, 7))
def test_batches_are_bounded_and_miss_nothing(tmp_path_factory: pytest.TempPathFactory, limit: int) -> None:
    folder = tmp_path_factory.mktemp("journal")
    (folder / f"{OWN}.jsonl").write_bytes(lines(5) + b"noise\n" + lines(3, start=5))
    (folder / f"{OWN}.0001.jsonl").write_bytes(lines(4, start=8))
    (folder / "bbbbbbbbbb.jsonl").write_bytes(lines(4, "bbbbbbbbbb", 100))
    seen, position, more = [], JournalPosition(), True
    while more:
        batch = read(folder, position, limit)
        assert len(batch.events) <= limit
        position, more = batch.position, batch.more
        seen += stamps(batch)
    assert seen == [*range(12), *range(100, 104)]


def test_an_unterminated_line_waits_for_its_end(path: Path) -> None:
    whole = lines(2)
    path.write_bytes(whole[:-1])
    first = read(path.parent, JournalPosition())
    assert (stamps(first), first.problems) == ([0], [])
    path.write_bytes(whole)
    assert stamps(read(path.parent, first.position)) == [1]


def test_a_bad_line_is_reported_with_its_number_and_skipped(path: Path) -> None:
    path.write_bytes(lines(1) + b"\n\r\n" + lines(1).replace(b'"pin"', b'"pix"') + lines(1, start=1))
    batch = read(path.parent, JournalPosition())
    assert stamps(batch) == [0, 1]
    assert [str(problem) for problem in batch.problems] == [f"{path.name}:4: bad checksum"]


def test_line_numbers_go_on_across_readings(path: Path) -> None:
    path.write_bytes(lines(3))
    position = read(path.parent, JournalPosition()).position
    with path.open("ab") as file:
        file.write(b"noise\n")
    assert read(path.parent, position).problems == [JournalProblem(path.name, 4, "not JSON")]


@pytest.mark.parametrize("length", [LONGEST_LINE, LONGEST_LINE + 1, 3 * LONGEST_LINE])
def test_an_endless_line_is_skipped_once_it_ends(path: Path, length: int) -> None:
    path.write_bytes(lines(1) + b"x" * length)
    first = read(path.parent, JournalPosition())
    assert (stamps(first), first.problems) == ([0], [])
    with path.open("ab") as file:
        file.write(b"\n" + lines(1, start=1))
    second = read(path.parent, first.position)
    assert stamps(second) == [1]
    assert [(problem.line, "longer than" in problem.reason) for problem in second.problems] == [(2, True)]


def test_a_file_that_shrank_is_read_again(path: Path) -> None:
    path.write_bytes(lines(3))
    position = read(path.parent, JournalPosition()).position
    path.write_bytes(lines(2))
    batch = read(path.parent, position)
    assert (stamps(batch), batch.lost) == ([0, 1], True)
    assert "shrank" in batch.problems[0].reason
    assert read(path.parent, batch.position).problems == []


def test_a_file_emptied_is_reported_once(path: Path) -> None:
    path.write_bytes(lines(3))
    position = read(path.parent, JournalPosition()).position
    path.write_bytes(b"")
    batch = read(path.parent, position)
    assert "shrank" in batch.problems[0].reason
    assert read(path.parent, batch.position) == Batch([], [], JournalPosition(), False)


@pytest.mark.parametrize("start", [0, 40])
def test_a_file_whose_consumed_part_changed_is_read_again(path: Path, start: int) -> None:
    path.write_bytes(lines(50))
    position = read(path.parent, JournalPosition()).position
    path.write_bytes(lines(start) + lines(60 - start, start=start + 1))
    batch = read(path.parent, position)
    assert (len(batch.events), batch.lost) == (60, True)
    assert "changed" in batch.problems[0].reason


def test_files_of_other_machines_are_picked_up(path: Path) -> None:
    path.write_bytes(lines(1))
    position = read(path.parent, JournalPosition()).position
    (path.parent / "bbbbbbbbbb.jsonl").write_bytes(lines(1, "bbbbbbbbbb", 9))
    assert stamps(read(path.parent, position)) == [9]


def test_a_vanished_file_is_reported_and_read_whole_when_it_is_back(path: Path) -> None:
    path.write_bytes(lines(2))
    position = read(path.parent, JournalPosition()).position
    path.unlink()
    batch = read(path.parent, position)
    assert "deleted" in batch.problems[0].reason
    path.write_bytes(lines(2))
    assert stamps(read(path.parent, batch.position)) == [0, 1]


@pytest.mark.parametrize(
    "name",
    [
        f"{OWN}.sync-conflict-20260101-120000-ABCDEFG.jsonl",
        f"{OWN} (1).jsonl",
        f"{OWN}.jsonl.orig",
        f"{OWN}.1.jsonl",
        f"{OWN}.0000.jsonl",
        "AAAAAAAAAA.jsonl",
        "notes.txt",
    ],
)
def test_conflict_copies_are_ignored_and_listed(path: Path, name: str) -> None:
    path.write_bytes(lines(1))
    (path.parent / name).write_bytes(lines(1, start=5))
    batch = read(path.parent, JournalPosition())
    assert stamps(batch) == [0]
    assert [problem.file for problem in batch.problems] == [name]


def test_hidden_files_of_sync_programs_are_no_problem(path: Path) -> None:
    (path.parent / f".syncthing.{OWN}.jsonl.tmp").write_bytes(b"part")
    assert read(path.parent, JournalPosition()).problems == []


def test_what_is_not_a_plain_file_is_a_problem(path: Path) -> None:
    os.mkfifo(path)
    (path.parent / "bbbbbbbbbb.jsonl").mkdir()
    batch = read(path.parent, JournalPosition())
    assert [problem.reason for problem in batch.problems] == ["not a plain file; ignored"] * 2


def test_an_unreadable_file_is_a_problem_and_keeps_its_mark(path: Path) -> None:
    path.write_bytes(lines(1))
    position = read(path.parent, JournalPosition()).position
    path.unlink()
    path.symlink_to(path.name)
    batch = read(path.parent, position)
    assert "can't be read" in batch.problems[0].reason
    assert batch.position == position


def test_a_folder_that_is_a_file_is_a_problem(folder: Path) -> None:
    folder.write_text("")
    reason = read(folder, JournalPosition()).problems[0].reason
    assert "can't be listed" in reason and "check its permissions" in reason


def test_a_malformed_position_reads_everything(path: Path) -> None:
    path.write_bytes(lines(2))
    for broken in ({path.name: 5}, {path.name: [1]}, {path.name: [-5, 1, "x"]}, {path.name: ["a", 1, "x"]}):
        assert JournalPosition.from_json(broken) == JournalPosition()
    assert stamps(read(path.parent, JournalPosition({path.name: Mark(5, 1, "wrong")}))) == [0, 1]


def test_the_engine_gets_plain_json_and_text(path: Path, open_journal: Open) -> None:
    journal = open_journal()
    event = journal.append([PIN])[0]
    path.with_name("odd").write_text("")
    batch = journal.read_after({})
    assert list(batch.events) == [event]
    assert list(batch.problems) == ["odd: not a journal, perhaps a sync conflict copy; ignored"]
    assert not journal.read_after(json.loads(json.dumps(batch.position))).events
