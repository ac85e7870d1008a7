"""What a sync decides to read, to retire and to hold on to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.document import FileState
from hearth.ports import IndexedFile
from hearth.vault.indexing.plan import HELD_COUNT, SUSPICIOUS_NS, explain_keeping, plan_sync

NOW = 10**18
OLD = NOW - 10 * SUSPICIOUS_NS


def file(mtime: int = OLD, size: int = 1, ctime_ns: int = 1, name: bytes = b"a.md") -> FileState:
    return FileState(mtime, size, ctime_ns, name)


def indexed(state: FileState, *, vanished: bool = False) -> IndexedFile:
    return IndexedFile("d", "a.md", state, "raw", "body", "file", vanished)


def test_an_unchanged_old_file_is_not_read() -> None:
    plan = plan_sync({"a.md": file()}, {"a.md": indexed(file())}, NOW)
    assert (plan.read, plan.gone, plan.back, plan.unchanged) == ((), (), (), 1)


def test_any_difference_of_the_stat_has_a_file_read() -> None:
    for other in (file(mtime=OLD - 1), file(size=2), file(ctime_ns=2), file(name=b"A.md")):
        assert plan_sync({"a.md": other}, {"a.md": indexed(file())}, NOW).read == ("a.md",)


def test_a_file_changed_within_a_tick_of_the_clock_is_read_again() -> None:
    for mtime in (NOW, NOW - SUSPICIOUS_NS + 1, NOW + SUSPICIOUS_NS - 1):
        assert plan_sync({"a.md": file(mtime)}, {"a.md": indexed(file(mtime))}, NOW).read == ("a.md",)


def test_files_that_went_and_came_are_named() -> None:
    plan = plan_sync({"b.md": file()}, {"a.md": indexed(file()), "b.md": indexed(file(), vanished=True)}, NOW)
    assert (plan.gone, plan.back) == (("a.md",), ("b.md",))


PATHS = st.sets(st.sampled_from("abcdef"))


@given(PATHS, PATHS, PATHS)
def test_every_path_is_read_unchanged_or_gone(there: set[str], known: set[str], changed: set[str]) -> None:
    on_disk = {path: file(size=2 if path in changed else 1) for path in there}
    plan = plan_sync(on_disk, {path: indexed(file()) for path in known}, NOW)
    assert set(plan.read) == {path for path in there if path not in known or path in changed}
    assert set(plan.gone) == known - there
    assert plan.unchanged + len(plan.read) == len(there)


@given(st.integers(0, 200), st.integers(0, 400), st.booleans())
def test_files_are_held_only_when_many_and_most_are_lost(lost: int, others: int, empty: bool) -> None:
    total = lost + others
    why = explain_keeping(lost, total, missing=None, empty=empty)
    expected = bool(lost) and (empty or (lost >= HELD_COUNT and lost * 2 > total))
    assert bool(why) == expected


def test_a_missing_root_holds_everything() -> None:
    assert explain_keeping(3, 3, missing="/x: gone", empty=True) == "/x: gone"
    assert explain_keeping(0, 0, missing="/x: gone", empty=True) == "/x: gone"
