"""State that follows a text to where it went."""

from __future__ import annotations

from typing import Any


def test_of_several_files_of_one_text_each_keeps_its_own_state(box: Any) -> None:
    names = ["a.md", "b.md", "c.md"]
    for name in names:
        box.write(name, "Amber.\n")
    box.sync()
    box.journalled("pin", "b.md")
    box.journalled("archive", "c.md")
    (box.root / "deep").mkdir()
    for name in names:
        (box.root / name).rename(box.root / "deep" / name)
    box.sync()
    states = [(state.pinned, state.archived) for state in (box.state(f"deep/{name}") for name in names)]
    assert states == [(False, False), (True, False), (False, True)]
    for name, other in zip(names, ("x.md", "y.md", "z.md"), strict=True):
        (box.root / "deep" / name).rename(box.root / other)
    box.sync()
    states = sorted((state.pinned, state.archived) for state in map(box.state, ("x.md", "y.md", "z.md")))
    assert states == [(False, False), (False, True), (True, False)]
    box.new_store()
    box.sync()
    assert states == sorted((state.pinned, state.archived) for state in map(box.state, ("x.md", "y.md", "z.md")))


def test_of_two_copies_of_what_is_gone_one_takes_its_state(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.journalled("pin", "a.md")
    (box.root / "a.md").unlink()
    for name in ("b.md", "c.md"):
        box.write(name, "Amber.\n")
    box.sync()
    assert sorted(box.state(name).pinned for name in ("b.md", "c.md")) == [False, True]


def test_what_moved_before_it_left_comes_back_from_where_it_was_last(box: Any) -> None:
    box.write("a.md", "Amber.\n")
    box.sync()
    box.journalled("pin", "a.md")
    (box.root / "a.md").rename(box.root / "b.md")
    box.write("other.md", "Basalt.\n")
    box.sync()
    (box.root / "b.md").unlink()
    box.sync()
    box.write("c.md", "Amber.\n")
    box.sync()
    assert box.state("c.md").pinned
    moves = [event.data["from"] for event in box.journal.read_after({}).events if event.kind == "moved"]
    assert len(moves) == len(set(moves)) == 2
