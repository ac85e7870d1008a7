from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hearth.core.journal import Draft
from hearth.journal import Clock, Journal, encode, show, verify
from hearth.journal.line import COUNTER_BITS, SKEW_MS

OWN = "aaaaaaaaaa"
OTHER = "bbbbbbbbbb"
Open = Callable[..., Journal]


def test_verify_counts_events_and_names_what_is_wrong(folder: Path, open_journal: Open, wall: Any) -> None:
    own = open_journal()
    own.append([Draft("pin", "doc"), Draft("unpin", "doc")])
    ahead = Journal(folder, OTHER, Clock(lambda: wall.ms + SKEW_MS + 1), str)
    ahead.append([Draft("pin", "doc")])
    (folder / f"{OWN}.jsonl.conflict").write_text("")
    with (folder / f"{OTHER}.jsonl").open("ab") as file:
        file.write(b"noise\nunfinished")
    report = verify(folder, wall.ms)
    assert report.events == 3
    assert report.kinds == {"pin": 2, "unpin": 1}
    assert report.machines == {OWN: 2, OTHER: 1}
    assert report.ahead == {OTHER: 1}
    assert report.unterminated == (f"{OTHER}.jsonl",)
    assert report.files.keys() == {f"{OWN}.jsonl", f"{OTHER}.jsonl"}
    assert [str(problem) for problem in report.bad_lines] == [f"{OTHER}.jsonl:2: not JSON"]
    assert len(report.problems) == 2


def test_verify_finds_nothing_wrong_with_a_missing_folder(folder: Path) -> None:
    report = verify(folder, 0)
    assert (report.events, report.problems, report.files) == (0, (), {})


def test_verify_reports_a_folder_it_cannot_list(folder: Path) -> None:
    folder.write_text("")
    assert len(verify(folder, 0).problems) == 1


def test_show_merges_machines_and_rotated_files_in_stamp_order(folder: Path, open_journal: Open, wall: Any) -> None:
    journals = [open_journal(rotate_bytes=500), open_journal(OTHER)]
    events = []
    for step in range(20):
        wall.ms += 10 if step % 3 else -5
        events += journals[step % 2].append([Draft("pin", f"doc{step % 3}")])
    with (folder / f"{OTHER}.jsonl").open("ab") as file:
        file.write(b"noise\nunfinished")
    ordered = sorted(events, key=lambda event: event.stamp)
    assert list(show(folder)) == ordered
    assert list(show(folder, doc="doc1")) == [event for event in ordered if event.doc == "doc1"]
    assert list(show(folder, kind="unpin")) == []
    assert list(show(folder, since=wall.ms)) == [event for event in ordered if event.at >= wall.ms]


def test_show_takes_stamps_as_written(folder: Path, open_journal: Open, wall: Any) -> None:
    event = open_journal().append([Draft("forget", "doc")])[0]
    assert [encode(found) for found in show(folder, kind="forget")] == [encode(event)]
    assert event.hlc >> COUNTER_BITS == wall.ms
