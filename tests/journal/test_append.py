from __future__ import annotations

import os
import resource
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hearth.core.errors import Unavailable, UsageError
from hearth.core.journal import Draft, Event
from hearth.journal import Clock, Journal, JournalPosition, encode, verify
from hearth.journal.append import MAX_EVENT_BYTES
from hearth.journal.line import COUNTER_BITS, SKEW_MS

OWN = "aaaaaaaaaa"
OTHER = "bbbbbbbbbb"
PIN = Draft("pin", "doc")
Open = Callable[..., Journal]


def events_in(folder: Path) -> list[Event]:
    journal = Journal(folder, OWN, Clock(lambda: 0), str)
    batch = journal.read(JournalPosition(), 1_000_000)
    assert not batch.more
    return batch.events


def write_foreign(folder: Path, hlc: int, machine: str = OTHER) -> Event:
    folder.mkdir(exist_ok=True)
    event = Event("0" * 26, hlc, 1, machine, "pin", "doc")
    with (folder / f"{machine}.jsonl").open("ab") as file:
        file.write(encode(event) + b"\n")
    return event


def test_appended_events_come_back_stamped_and_readable(folder: Path, open_journal: Open, wall: Any) -> None:
    drafts = [Draft("pin", "doc", "a/b.md", "ff", {"reason": "mine"}), Draft("unpin", "doc")]
    events = open_journal().append(drafts)
    assert [(e.machine, e.at, e.kind, e.doc) for e in events] == [
        (OWN, wall.ms, "pin", "doc"),
        (OWN, wall.ms, "unpin", "doc"),
    ]
    assert (events[0].path, events[0].body_hash, events[0].data) == ("a/b.md", "ff", {"reason": "mine"})
    assert events[0].stamp < events[1].stamp
    assert events_in(folder) == events


def test_appending_nothing_creates_nothing(folder: Path, open_journal: Open) -> None:
    assert open_journal().append([]) == []
    assert not folder.exists()


@pytest.mark.parametrize("durable", [True, False])
def test_nothing_is_lost_between_durable_and_quick_appends(folder: Path, open_journal: Open, durable: bool) -> None:
    journal = open_journal()
    events = journal.append([PIN], durable=durable) + journal.append([PIN], durable=not durable)
    journal.sync()
    journal.sync()
    assert events_in(folder) == events


def test_an_interrupted_line_is_left_and_the_next_event_starts_on_its_own(folder: Path, open_journal: Open) -> None:
    journal = open_journal()
    first = journal.append([PIN])
    path = folder / f"{OWN}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"v":1,"id":"01')
    second = journal.append([PIN])
    assert events_in(folder) == first + second
    assert [problem.line for problem in verify(folder, 0).bad_lines] == [2]


def test_a_whole_event_that_lacks_its_newline_counts_once_something_follows(folder: Path, open_journal: Open) -> None:
    foreign_looking = open_journal().append([PIN])
    path = folder / f"{OWN}.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert events_in(folder) == []
    later = open_journal().append([PIN])
    assert events_in(folder) == foreign_looking + later
    assert later[0].stamp > foreign_looking[0].stamp


def test_a_clock_set_back_does_not_reorder_events_even_after_a_restart(open_journal: Open, wall: Any) -> None:
    first = open_journal().append([PIN])[0]
    wall.ms -= 3_600_000
    again = open_journal()
    second, third = again.append([PIN])[0], again.append([PIN])[0]
    assert first.hlc < second.hlc < third.hlc
    assert second.at == wall.ms


@pytest.mark.parametrize("ms", [-1, 2**60])
def test_an_absurd_wall_clock_still_gives_readable_events(folder: Path, open_journal: Open, wall: Any, ms: int) -> None:
    wall.ms = ms
    assert open_journal().append([PIN] * 3) == events_in(folder)


def test_a_process_continues_the_stamps_of_another_on_the_same_machine(open_journal: Open, wall: Any) -> None:
    one, two = open_journal(), open_journal()
    one.append([PIN])
    ahead = two.append([PIN] * 50)[-1]
    assert one.append([PIN])[0].hlc > ahead.hlc


def test_what_was_read_from_other_machines_comes_before_what_we_write(
    folder: Path, open_journal: Open, wall: Any
) -> None:
    journal = open_journal()
    journal.append([PIN])
    foreign = write_foreign(folder, (wall.ms + SKEW_MS) << COUNTER_BITS)
    journal.read(JournalPosition())
    assert journal.append([PIN])[0].stamp > foreign.stamp


def test_a_new_process_writes_after_what_other_machines_left(folder: Path, open_journal: Open, wall: Any) -> None:
    foreign = write_foreign(folder, (wall.ms + 1000) << COUNTER_BITS)
    assert open_journal().append([PIN])[0].stamp > foreign.stamp


def test_a_machine_far_ahead_does_not_drag_us_along(folder: Path, open_journal: Open, wall: Any) -> None:
    foreign = write_foreign(folder, (wall.ms + 10 * SKEW_MS) << COUNTER_BITS)
    journal = open_journal()
    journal.read(JournalPosition())
    assert journal.append([PIN])[0].hlc >> COUNTER_BITS == wall.ms
    assert foreign in events_in(folder)


def test_files_rotate_and_old_ones_never_change(folder: Path, open_journal: Open) -> None:
    journal = open_journal(rotate_bytes=600)
    events, seen = [], dict[str, bytes]()
    for index in range(20):
        events += journal.append([PIN], durable=index % 3 == 0)
        files = sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name))
        for path in files[:-1]:
            assert seen.setdefault(path.name, path.read_bytes()) == path.read_bytes()
    journal.sync()
    assert [path.name for path in files[:3]] == [f"{OWN}.jsonl", f"{OWN}.0001.jsonl", f"{OWN}.0002.jsonl"]
    assert max(path.stat().st_size for path in files) <= 600
    assert events_in(folder) == events
    later = open_journal(rotate_bytes=600).append([PIN])[0]
    assert later.stamp > events[-1].stamp


def test_every_file_is_the_owners_alone_whatever_the_umask(folder: Path, open_journal: Open) -> None:
    former = os.umask(0)
    try:
        journal = open_journal(rotate_bytes=1_000)
        for _ in range(10):
            journal.append([PIN])
    finally:
        os.umask(former)
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.glob("*.jsonl")}
    assert len(modes) > 1 and set(modes.values()) == {0o600}


class Disk:
    """What was made durable: the size that each file had when it was synced last, and the names that folders had."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: dict[int, int] = {}
        self.named: dict[int, set[str]] = {}
        self._sync = os.fsync
        monkeypatch.setattr(os, "fsync", self._note)

    def _note(self, handle: int) -> None:
        self._sync(handle)
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            self.named[found.st_ino] = set(os.listdir(handle))
        else:
            self.sizes[found.st_ino] = found.st_size

    def holds(self, path: Path) -> bool:
        """Whether a power cut now loses nothing of the file."""
        named = path.name in self.named.get(path.parent.stat().st_ino, set())
        return named and self.sizes.get(path.stat().st_ino, 0) == path.stat().st_size


def test_what_is_acknowledged_is_on_the_disk_with_the_name_of_its_file(
    folder: Path, open_journal: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    journal = open_journal(rotate_bytes=1_000)
    for _ in range(10):
        journal.append([PIN])
        assert all(disk.holds(path) for path in folder.glob("*.jsonl"))
    assert len(list(folder.glob("*.jsonl"))) > 1


def test_what_is_appended_quickly_is_on_the_disk_once_the_file_is_full_or_somebody_asks(
    folder: Path, open_journal: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(monkeypatch)
    journal = open_journal(rotate_bytes=1_000)
    for _ in range(10):
        journal.append([PIN], durable=False)
        *full, last = sorted(folder.glob("*.jsonl"), key=lambda path: (len(path.name), path.name))
        assert all(disk.holds(path) for path in full) and not disk.holds(last)
    assert full
    journal.sync()
    assert disk.holds(last)


def test_secrets_are_redacted_before_reasons_are_cut(folder: Path, open_journal: Open) -> None:
    data = {"reason": "x" * 195 + "Hunter2!" + "y" * 300, "deep": [{"list": ("Hunter2!", 1, None, 0.5, True)}]}
    event = open_journal().append([Draft("pin", "doc", data=data)])[0]
    assert event.data == {"reason": "x" * 195 + "[reda", "deep": [{"list": ["[redacted]", 1, None, 0.5, True]}]}
    assert b"Hunter2!" not in (folder / f"{OWN}.jsonl").read_bytes()


@pytest.mark.parametrize(
    "draft",
    [
        Draft("pinn", "doc"),
        Draft("pin", data={"x": object()}),
        Draft("pin", data={"x": float("nan")}),
        Draft("pin", data={"x": b"bytes"}),
        Draft("pin", data={1: "x"}),  # type: ignore[dict-item]
        Draft("pin", data={"x": "y" * MAX_EVENT_BYTES}),
    ],
)
def test_what_is_no_event_is_refused_whole(folder: Path, open_journal: Open, draft: Draft) -> None:
    journal = open_journal()
    kept = journal.append([PIN])
    with pytest.raises(UsageError, match="can't journal"):
        journal.append([PIN, draft])
    assert events_in(folder) == kept


def test_data_nested_too_deep_is_refused(open_journal: Open) -> None:
    nested: Any = 1
    for _ in range(20):
        nested = [nested]
    with pytest.raises(UsageError, match="nested deeper"):
        open_journal().append([Draft("pin", data={"x": nested})])


def test_a_bad_machine_id_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="not a machine id"):
        Journal(folder, "../escape", Clock(lambda: 0), str)


def test_threads_share_a_journal(folder: Path, open_journal: Open) -> None:
    journal = open_journal(rotate_bytes=5000)
    done: list[Event] = []
    threads = [
        threading.Thread(target=lambda: [done.extend(journal.append([PIN, PIN], durable=False)) for _ in range(25)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(e.stamp for e in done) == [e.stamp for e in events_in(folder)]
    assert len({e.hlc for e in done}) == 200


def test_a_file_replaced_under_an_open_journal_is_followed(folder: Path, open_journal: Open) -> None:
    journal = open_journal()
    journal.append([PIN])
    path = folder / f"{OWN}.jsonl"
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    journal.append([PIN])
    assert len(events_in(folder)) == 2


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("")
    with pytest.raises(Unavailable, match=r"can't write the journal .*journal"):
        Journal(tmp_path / "journal", OWN, Clock(lambda: 0), str).append([PIN])


def test_an_append_cut_by_a_size_limit_loses_nothing_acknowledged(folder: Path, open_journal: Open) -> None:
    journal = open_journal()
    first = journal.append([PIN])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((folder / f"{OWN}.jsonl").stat().st_size + 70, hard))
    try:
        with pytest.raises(Unavailable, match=rf"{OWN}\.jsonl: .*; raise the file size limit") as caught:
            journal.append([PIN])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert caught.value.exit_code == 5
    torn = (folder / f"{OWN}.jsonl").read_bytes()
    assert not torn.endswith(b"\n")
    second = journal.append([PIN])
    assert (folder / f"{OWN}.jsonl").read_bytes().startswith(torn)
    assert events_in(folder) == first + second


def test_forked_processes_never_share_an_identifier(folder: Path, open_journal: Open) -> None:
    journal = open_journal()
    journal.append([PIN])
    child = os.fork()
    if child == 0:
        try:
            journal.append([PIN] * 20)
        finally:
            os._exit(0)
    journal.append([PIN] * 20)
    os.waitpid(child, 0)
    events = events_in(folder)
    assert len({event.id for event in events}) == len({event.hlc for event in events}) == len(events) == 41
