"""Reading the journal from its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from hearth.core.errors import Unavailable
from hearth.core.journal import Draft
from hearth.journal import Clock, Journal


def journal(folder: Path, machine: str, now: int = 1_000, **given: int) -> Journal:
    return Journal(folder, machine * 10, Clock(lambda: now), str, **given)


def test_own_events_come_newest_first_across_files(tmp_path: Path) -> None:
    mine = journal(tmp_path, "a", rotate_bytes=400)
    written = [mine.append([Draft("pin", f"doc{number}")])[0].id for number in range(9)]
    assert len(list(tmp_path.iterdir())) > 1
    assert [event.id for event in mine.newest(own=True)] == written[::-1]


def test_other_machines_follow_where_they_are_asked_for(tmp_path: Path) -> None:
    [theirs] = journal(tmp_path, "b").append([Draft("pin", "doc1")])
    mine = journal(tmp_path, "a")
    [own] = mine.append([Draft("pin", "doc2")])
    assert [event.id for event in mine.newest(own=True)] == [own.id]
    assert [event.id for event in mine.newest(own=False)] == [own.id, theirs.id]


def test_a_line_that_is_damaged_or_has_no_end_is_left_out(tmp_path: Path) -> None:
    mine = journal(tmp_path, "a")
    [first] = mine.append([Draft("pin", "doc1")])
    with next(tmp_path.iterdir()).open("ab") as stream:
        stream.write(b"garbage\n" + b'{"v":1,"id":')
    assert [event.id for event in mine.newest(own=True)] == [first.id]


def test_only_events_that_name_something_are_read_where_that_is_asked_for(tmp_path: Path) -> None:
    mine = journal(tmp_path, "a")
    odd = 'a "run", \\ and ü'
    runs = ["one", "two", odd, "one more", "none"]
    written = [mine.append([Draft("pin", "doc", data={"run": run})])[0].id for run in runs]
    for named, found in (
        (["one"], [0]),
        ([odd], [2]),
        (["nobody"], []),
        (runs, [4, 3, 2, 1, 0]),
        (["doc"], [4, 3, 2, 1, 0]),
    ):
        told = [event.id for event in mine.newest(own=True, naming=named)]
        assert told == [written[at] for at in found], named


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert list(journal(tmp_path / "none", "a").newest(own=False)) == []


def test_a_journal_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "aaaaaaaaaa.jsonl").mkdir()
    with pytest.raises(Unavailable, match="can't read the journal"):
        list(journal(tmp_path, "a").newest(own=True))
