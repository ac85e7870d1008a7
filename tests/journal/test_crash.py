"""What survives a process that dies, and processes that write at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import HANGS, children

from hearth.core.journal import Draft, Event, Folded
from hearth.journal import Clock, Journal, JournalPosition, read, verify
from hearth.vault.history import primitives

OWN = "aaaaaaaaaa"
Open = Callable[..., Journal]

# Appends for ever (or so often) with batches of all sizes, and acknowledges each event by its id.
WRITER = """
import os, sys, time
from pathlib import Path
from hearth.journal import Clock, Journal
from hearth.core.journal import Draft

folder, rounds, durable = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "durable"
journal = Journal(folder, "aaaaaaaaaa", Clock(lambda: time.time_ns() // 1_000_000), str, rotate_bytes=40_000)
done = 0
while done != rounds:
    drafts = [Draft("pin", "doc", "some/path.md", data={"note": "x" * (done * 37 % 900)})] * (1 + done % 7)
    events = journal.append(drafts, durable=durable)
    os.write(1, "".join(event.id + "\\n" for event in events).encode())
    done += 1
"""


def writer(folder: Path, rounds: int, durable: str = "quick") -> list[str]:
    return [sys.executable, "-c", WRITER, str(folder), str(rounds), durable]


def read_all(folder: Path) -> list[Event]:
    batch = read(folder, JournalPosition(), 10_000_000)
    assert not batch.more
    return batch.events


def kill_repeatedly(folder: Path, kills: int) -> None:
    acknowledged: set[str] = set()
    for kill in range(kills):
        child = subprocess.Popen(writer(folder, -1, "durable" if kill % 2 else "quick"), stdout=subprocess.PIPE)
        assert child.stdout is not None
        with child.stdout as pipe:
            wanted = 40 + kill * 13 % 160
            for _ in range(wanted):
                acknowledged.add(pipe.readline().decode().strip())
            child.send_signal(signal.SIGKILL)
            rest = pipe.read().decode()
        acknowledged.update(rest[: rest.rfind("\n") + 1].split())
        assert child.wait() == -signal.SIGKILL
    events = read_all(folder)
    assert acknowledged <= {event.id for event in events}
    assert [event.hlc for event in events] == sorted({event.hlc for event in events})
    report = verify(folder, 2**47)
    assert len(report.bad_lines) + len(report.unterminated) <= kills
    assert {problem.reason for problem in report.problems} <= {"not JSON"}


def test_a_killed_writer_loses_no_acknowledged_event(folder: Path) -> None:
    kill_repeatedly(folder, 6)


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_hundreds_of_kills_lose_no_acknowledged_event(folder: Path) -> None:
    kill_repeatedly(folder, 300)


def test_two_processes_that_write_at_once_never_mix_their_lines(folder: Path) -> None:
    with children() as start:
        started = [start(writer(folder, 150), stdout=subprocess.PIPE) for _ in range(2)]
        acknowledged = [child.communicate(timeout=HANGS)[0].decode().split() for child in started]
    events = read_all(folder)
    ids = [event.id for event in events]
    assert sorted(ids) == sorted(acknowledged[0] + acknowledged[1])
    assert [event.hlc for event in events] == sorted({event.hlc for event in events})
    for own in acknowledged:
        assert [event_id for event_id in ids if event_id in set(own)] == own
    assert verify(folder, 2**47).problems == ()


def cut_and_go_on(folder: Path, cuts: list[int]) -> None:
    """Each cut leaves only that many bytes of an append, as a crash would; a new process then goes on."""
    kept: list[Event] = []
    ticks = iter(range(1_000_000))
    for cut in cuts:
        journal = Journal(folder, OWN, Clock(lambda: next(ticks)), str)
        kept += journal.append([Draft("pin", "doc"), Draft("unpin", "doc")])
        path = folder / f"{OWN}.jsonl"
        before = path.stat().st_size
        lost = journal.append([Draft("forget", f"doc{cut}")] * 3)
        os.truncate(path, min(before + cut, path.stat().st_size))
        kept += [event for event in lost if event in read_all(folder)]
    last = Journal(folder, OWN, Clock(lambda: next(ticks)), str).append([Draft("pin", "last")])
    events = read_all(folder)
    ids = {event.id for event in events}
    assert {event.id for event in kept + last} <= ids
    assert [event.hlc for event in events] == sorted({event.hlc for event in events})
    assert len(verify(folder, 2**47).bad_lines) <= len(cuts)


def test_an_append_cut_at_any_byte_loses_nothing_before_or_after(folder: Path, tmp_path: Path) -> None:
    whole = len(read_size(tmp_path / "probe"))
    for cut in range(0, whole + 1, 3):
        cut_and_go_on(tmp_path / f"cut{cut}", [cut])


def read_size(folder: Path) -> bytes:
    Journal(folder, OWN, Clock(lambda: 0), str).append([Draft("forget", "doc100")] * 3)
    return (folder / f"{OWN}.jsonl").read_bytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 600), min_size=1, max_size=5))
def test_any_series_of_cuts_loses_nothing_acknowledged(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    cut_and_go_on(tmp_path_factory.mktemp("cuts"), cuts)


def test_a_replay_after_a_crash_between_append_and_fold_gives_the_same_state(folder: Path, open_journal: Open) -> None:
    journal = open_journal()
    whole, live = Folded(), Folded()
    position = JournalPosition()
    for step in range(30):
        journal.append([Draft("pin" if step % 3 else "unpin", f"doc{step % 4}", f"{step}.md", f"{step:x}")])
        if step % 5 == 0:
            batch = journal.read(position)
            live.apply(item for event in batch.events for item in primitives(event))
            # A crash here folds without storing the position: the same events come again.
            position = batch.position if step % 10 else position
    live.apply(item for event in journal.read(position).events for item in primitives(event))
    whole.apply(item for event in read_all(folder) for item in primitives(event))
    assert live.dump() == whole.dump()
