"""One vault on several machines and in several processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Machine = Any
Machines = Callable[[str], Any]


def test_a_machine_never_rewrites_another_ones_file(machines: Machines) -> None:
    one, other = machines("a"), machines("b")
    first = one.remember("Uses vim", "preference", subject="editor")
    before = one.text(first.path)
    other.sync()
    other.later(days=1)
    done = other.remember("Uses emacs", "preference", subject="editor")
    assert (done.action, done.supersedes) == ("written", (first.docid,))
    assert one.text(first.path) == before
    assert other.fields(done.path)["supersedes"] == first.docid
    one.sync()
    for desk in (one, other):
        assert desk.state(first.docid).superseded_by == done.docid
        assert desk.found("editor") == [done.path]


def test_the_superseding_memory_is_the_one_that_is_updated_from_then_on(machines: Machines) -> None:
    one, other = machines("a"), machines("b")
    one.remember("Uses vim", "preference", subject="editor")
    other.sync()
    done = other.remember("Uses emacs", "preference", subject="editor")
    again = other.remember("Uses helix", "preference", subject="editor")
    assert (again.action, again.docid) == ("revised", done.docid)


def test_another_machines_decision_is_not_written_twice(machines: Machines) -> None:
    one, other = machines("a"), machines("b")
    first = one.remember("We chose PostgreSQL", "decision")
    other.sync()
    assert other.remember("we chose PostgreSQL.", "decision").action == "duplicate"
    one.sync()
    assert one.state(first.docid).duplicate_count == 1


def test_daily_files_are_one_per_machine(machines: Machines) -> None:
    one, other = machines("a"), machines("b")
    assert one.writer().note("from a").path == "daily/2026-03-05.md"
    assert other.writer().note("from b").path == "daily/2026-03-05.bbbbbbbbbb.md"
    assert one.writer().note("more").path == "daily/2026-03-05.md"
    for desk in (one, other):
        desk.later(days=1)
    assert other.writer().note("first of the day").path == "daily/2026-03-06.bbbbbbbbbb.md"
    assert one.writer().note("second").path == "daily/2026-03-06.md"


def test_a_daily_file_that_a_person_began_is_left_alone(desk: Machine) -> None:
    own = desk.root / "daily/2026-03-05.md"
    own.parent.mkdir()
    own.write_text("# Mine\n", encoding="utf-8")
    assert desk.writer().note("x").path == "daily/2026-03-05.aaaaaaaaaa.md"
    assert own.read_text("utf-8") == "# Mine\n"


def work(home: str, number: int) -> None:
    from tests_writing_desk import Machine as Built  # the fixture module, loaded by path in each process

    desk = Built(Path(home), index="index-shared")
    try:
        for turn in range(5):
            desk.remember("The same decision by everybody", "decision")
            desk.remember(f"Fact {turn} of worker {number}", "fact")
            desk.remember(f"Editor {number}.{turn}", "preference", subject="editor")
            desk.writer().note(f"line {number}.{turn}")
    finally:
        desk.store.close()


def load() -> Any:
    """The desk's module under a name that other processes can import."""
    import importlib.util
    import sys

    name = "tests_writing_desk"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("conftest.py"))
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name].Machine


def start(home: str, number: int) -> None:
    load()
    work(home, number)


@pytest.mark.parametrize("workers", [4])
def test_writers_in_several_processes_lose_nothing_and_write_nothing_twice(tmp_path: Path, workers: int) -> None:
    context = multiprocessing.get_context("fork")
    started = [context.Process(target=start, args=(str(tmp_path), number)) for number in range(workers)]
    for process in started:
        process.start()
    for process in started:
        process.join(100)
    assert [process.exitcode for process in started] == [0] * workers
    desk = load()(tmp_path, index="index-shared")
    folders = [path.split("/")[1] for path in desk.files()]
    counts = {folder: folders.count(folder) for folder in set(folders)}
    assert counts == {"decisions": 1, "facts": 5 * workers, "preferences": 1, "2026-03-05.md": 1}
    lines = [line for line in desk.body("daily/2026-03-05.md").splitlines() if line.startswith("line ")]
    assert sorted(lines) == sorted(f"line {n}.{t}" for n in range(workers) for t in range(5))
    assert len(desk.revisions()) == 5 * workers - 1
    [decision] = [path for path in desk.files() if "/decisions/" in path]
    assert desk.state(desk.fields(decision)["id"]).duplicate_count == 5 * workers - 1
    assert len(desk.documents()) == len(desk.files())
    before = desk.documents()
    desk.later(days=1)
    report = desk.sync()
    assert (report.added, report.changed, report.retired) == (0, 0, 0)
    assert desk.documents() == before
    desk.store.close()
