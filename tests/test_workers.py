"""Work in other processes: the same results in order, whatever happens to a worker, and no worker left behind."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hearth import open_vault, workers
from hearth.disk.collections import DiskFiles

pytestmark = pytest.mark.skipif(workers._cores() < 2, reason="one core: nothing is spread")

# A module of its own: workers import what they are to do. ``holds`` keeps ``FIFO`` open for writing as long as its
# worker lives, which is busy for ever after its first item.
WORK = """
import os, signal
from dataclasses import dataclass

PARENT, FIFO = {parent}, {fifo!r}
held = []

@dataclass(frozen=True)
class Item:
    number: int
    size: int = 1

def number_and_process(item):
    return item.number, os.getpid()

def dies(item):
    if item.number == 5 and os.getpid() != PARENT:
        os.kill(os.getpid(), signal.SIGKILL)
    return item.number

def raises(item):
    if item.number == 5:
        raise ValueError("item 5")
    return item.number

def prints(item):
    print("not a result", flush=True)
    return item.number

def holds(item):
    if not held:
        held.append(os.open(FIFO, os.O_WRONLY | os.O_NONBLOCK))
    if item.number > 1:
        signal.pause()
    return os.getpid()
"""
# No guard around the main program: workers must not run it again.
SCRIPT = """
import os, signal, sys
sys.path.insert(0, {folder!r})
import spread_work
from hearth.workers import spread
print("started", flush=True)
items = (spread_work.Item(number) for number in range(10_000))
workers = set()
for worker in spread(spread_work.holds, items):
    workers.add(worker)
    if len(workers) == 2:
        os.kill(os.getpid(), signal.{signal})
"""


@dataclass
class Setting:
    folder: Path
    fifo: Path
    work: Any

    def items(self, count: int, size: int = 1) -> list[Any]:
        return [self.work.Item(number, size) for number in range(count)]


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "spread_work.py").write_text(WORK.format(parent=os.getpid(), fifo=str(fifo)), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield Setting(tmp_path, fifo, importlib.import_module("spread_work"))
    del sys.modules["spread_work"]


def test_results_come_in_order_from_two_other_processes(setting: Setting) -> None:
    found = list(workers.spread(setting.work.number_and_process, setting.items(200)))
    assert [number for number, _ in found] == list(range(200))
    processes = {process for _, process in found}
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_what_a_killed_worker_had_is_done_here(setting: Setting) -> None:
    assert list(workers.spread(setting.work.dies, setting.items(50))) == list(range(50))


def test_what_the_work_prints_is_no_result(setting: Setting) -> None:
    assert list(workers.spread(setting.work.prints, setting.items(20))) == list(range(20))


def test_an_error_in_the_work_is_raised_here_after_the_results_before_it(setting: Setting) -> None:
    found = workers.spread(setting.work.raises, setting.items(50))
    assert [next(found) for _ in range(5)] == list(range(5))
    with pytest.raises(ValueError, match="item 5"):
        next(found)


def test_work_that_can_not_travel_is_done_here(setting: Setting) -> None:
    here = [(item.number, os.getpid()) for item in setting.items(5)]
    assert list(workers.spread(lambda item: (item.number, os.getpid()), setting.items(5))) == here


@pytest.mark.parametrize(("size", "most"), [(1, 33), (3 * 2**20, 2)], ids=["by number", "by size"])
def test_no_more_is_under_way_than_the_limits_allow(setting: Setting, size: int, most: int) -> None:
    taken: list[Any] = []
    items = (taken.append(item) or item for item in setting.items(100, size))  # type: ignore[func-returns-value]
    found = workers.spread(setting.work.number_and_process, items)
    next(found)
    assert len(taken) <= most
    found.close()


def test_workers_end_when_the_results_are_no_longer_wanted(setting: Setting) -> None:
    found = workers.spread(setting.work.holds, setting.items(1_000))
    reading = os.open(setting.fifo, os.O_RDONLY | os.O_NONBLOCK)
    assert len({next(found), next(found)}) == 2
    os.set_blocking(reading, True)
    found.close()
    assert os.read(reading, 1) == b""
    os.close(reading)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_no_worker_outlives_its_parent_and_none_runs_the_main_program_again(setting: Setting, name: str) -> None:
    script = setting.folder / "script.py"
    script.write_text(SCRIPT.format(folder=str(setting.folder), signal=name), encoding="utf-8")
    reading = os.open(setting.fifo, os.O_RDONLY | os.O_NONBLOCK)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=False)
    os.set_blocking(reading, True)
    assert os.read(reading, 1) == b""  # waits until nobody can write any more
    os.close(reading)
    assert done.stdout == "started\n"
    assert done.returncode == -getattr(signal, name)
    assert done.stderr.count("Traceback") == (name == "SIGINT")


def test_without_a_second_core_or_a_python_of_its_own_the_work_is_done_here(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [(number, os.getpid()) for number in range(3)]
    with monkeypatch.context() as change:
        change.setattr(sys, "executable", "/opt/app/uwsgi")
        assert list(workers.spread(setting.work.number_and_process, setting.items(3))) == here
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
        assert list(workers.spread(setting.work.number_and_process, setting.items(3))) == here


def test_what_reads_the_folders_of_a_vault_goes_to_other_processes(indexed_home: Any) -> None:
    with open_vault(environ=indexed_home.environ) as vault:
        files = pickle.loads(pickle.dumps(vault.core.files))
        assert isinstance(files, DiskFiles)
        (notes,) = (one for one in vault.collections if one.name == "notes")
        assert list(files.walk(notes).files) == ["0001-postgres.md"]
