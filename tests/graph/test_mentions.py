"""Names are read in other processes as here, and never of a text that is no longer there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hearth import workers
from hearth.graph.graph import NameReader
from hearth.ports.files import Item, Result

NAMES = ("Ines Aldana", "Rurik Holm", "Kiln Works Ltd", "OPS-12", "retry_count")


def read(box: Any) -> list[tuple[str, str, int]]:
    with box.store.read() as reader:
        return sorted((one.name, one.type, one.documents) for one in reader.list_spellings(100))


def write(box: Any, count: int) -> None:
    for number in range(count):
        names = f"{NAMES[number % 3]} met {NAMES[(number + 1) % 3]} about {NAMES[3 + number % 2]}"
        box.write(
            f"{number}.md", f"---\naliases: [Kilnwork]\n---\n# The Kiln {number}\n\n{names}. kilnwork {number}.\n"
        )
    box.sync()


def test_other_processes_read_the_same(box: Any) -> None:
    write(box, 70)
    assert NameReader(box.store).run() == 70
    expected = read(box)
    box.new_store()
    box.sync()
    under_way: list[int] = []

    def spread(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
        under_way.append(1)
        return workers.spread(work, items)

    assert NameReader(box.store, spread, 71).run() == 70
    assert (read(box), under_way) == (expected, [])
    box.new_store()
    box.sync()
    assert NameReader(box.store, spread, 70).run() == 70
    assert read(box) == expected
    assert under_way


def test_a_text_that_changes_while_names_are_read_is_read_again(box: Any) -> None:
    box.write("a.md", "Nobody was there.\n")
    box.write("b.md", "Rurik Holm glazed a tile.\n")
    box.sync()

    def late(work: Callable[[Item], Result], items: Iterable[Item], /) -> Iterator[Result]:
        for item in items:
            found = work(item)
            box.write("a.md", "Ines Aldana was there.\n")
            box.sync()
            yield found

    assert NameReader(box.store, late, 1).run() == 1
    assert NameReader(box.store).run() == 1
    assert [name for name, _, _ in read(box)] == ["Ines Aldana", "Rurik Holm"]
