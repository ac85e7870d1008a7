"""Reading in several processes: the index is the one that reading here gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth import workers
from hearth.core.document import FileState
from hearth.ports import Collection
from hearth.vault.indexing.intake import FileJob, loads

WORDS = st.sampled_from(
    ["amber", "Basalt.", "the", "los", "getUserById", "v1.2.3", "# Head\n\n", "## Part\n\n", "\n\n", "- item\n",
     "数据库", "a@b.example", "```\ncode\n```\n", "---\ntitle: x\n---\n", "password=Hunter2-Hunter2", "naïve", "\x00",
     "[[n1]]", "[other](n2.md)"]
)  # fmt: skip
NOTES = st.lists(st.lists(WORDS, max_size=60).map(" ".join), min_size=1, max_size=60)


def dump(box: Any) -> dict[str, list[Any]]:
    """Every row of the index, the counters that start at the clock excepted."""
    with box.store.read():
        connection = apsw.Connection(str(box.store.path))
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    rows = {name: list(connection.execute(f"SELECT * FROM {name}")) for name in tables if name != "matches"}
    connection.close()
    rows["counters"] = [row for row in rows["counters"] if row[0] not in ("generation", "vector_removals")]
    return rows


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NOTES)
def test_reading_in_other_processes_gives_the_same_index(make_box: Callable[[], Any], notes: list[str]) -> None:
    box = make_box()
    for number, text in enumerate(notes):
        box.write(f"n{number}.md", text)
    box.write("bytes.md", b"caf\xe9 \xff")
    report = box.sync()
    expected = dump(box)
    box.now -= 3_600_000
    box.new_store()
    again = box.sync(spread=workers.spread, bulk=0)
    assert dump(box) == expected
    assert (again.added, again.skipped) == (report.added, report.skipped)
    for store in box.stores:
        store.close()


def test_changes_skips_and_touched_files_are_told_from_another_process_too(box: Any) -> None:
    for name in ("changed", "touched", "bad", "linked"):
        box.write(f"{name}.md", f"{name} [[touched]]\n")
    box.sync(spread=workers.spread, bulk=0)
    box.write("changed.md", "Other.\n")
    box.write("bad.md", b"\0binary")
    box.write("touched.md", "touched [[touched]]\n")
    report = box.sync(spread=workers.spread, bulk=0)
    assert (report.changed, report.unchanged) == (1, 2)
    assert [(item.path, item.reason) for item in report.skipped] == [("bad.md", "binary, not text")]
    assert box.stored("bad.md") is None


@given(st.lists(st.integers(0, 6_000_000), max_size=80))
def test_loads_hold_every_job_once_in_order_and_are_bounded(sizes: list[int]) -> None:
    jobs = [FileJob(str(n), FileState(0, size, n, b""), str(n), None) for n, size in enumerate(sizes)]
    made = list(loads(Collection("notes", "/"), jobs, lambda: 7))
    assert [job for load in made for job in load.jobs] == jobs
    assert all(len(load.jobs) <= 16 and (load.size <= 256 * 1024 or len(load.jobs) == 1) for load in made)
