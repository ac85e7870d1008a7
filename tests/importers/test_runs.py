"""A run of an import is taken back in one step, except what was edited since."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.house import House

from hearth.core.errors import NotFound
from hearth.importers.runs import MINE, ImportReport, ImportRun, name_run

PATH = "imported/notes/one.md"
TEXT = b"---\ntitle: The larder\n---\n\nThe larder holds quinces.\n"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "home", tmp_path / "notes")
    house.configure()
    yield house
    house.close()


def begin(house: House, *, dry_run: bool = False) -> ImportRun:
    name = name_run(MINE, house.vault.clock())
    writer = house.vault.memories.writer
    return ImportRun(name, writer.syncer.history, writer, ImportReport(name, dry_run), dry_run=dry_run)


def take_in(house: House, path: str = PATH, data: bytes = TEXT, present: bytes | None = None) -> ImportRun:
    run = begin(house)
    run.create(path, data) if present is None else run.replace(path, data, present)
    run.flush()
    house.vault.index.sync()
    return run


def find(house: House, words: str) -> list[str]:
    return [hit.path for hit in house.vault.recall(words).hits]


def file_of(house: House, path: str = PATH) -> Path:
    return Path(house.vault.memories.writer.memories.root) / path


def test_undoing_a_run_hides_what_it_wrote(house: House) -> None:
    run = take_in(house)
    assert find(house, "quinces") == [PATH]
    assert house.vault.truth.undo_run(run.name).undone == 1
    assert find(house, "quinces") == []
    house.rebuilt()
    assert find(house, "quinces") == []
    with pytest.raises(NotFound):
        house.vault.truth.undo_run(run.name)


def test_what_undoing_a_run_took_back_may_be_taken_in_again(house: House) -> None:
    first = take_in(house)
    house.vault.truth.undo_run(first.name)
    assert begin(house).find_state(first.docid(PATH)) == "taken back"
    second = take_in(house)
    assert find(house, "quinces") == [PATH]
    with pytest.raises(NotFound):
        house.vault.truth.undo_run(first.name)
    assert house.vault.truth.undo_run(second.name).undone == 1
    assert find(house, "quinces") == []


def test_what_was_forgotten_or_purged_stays_away(house: House) -> None:
    run = take_in(house)
    house.vault.state.forget(run.docid(PATH))
    assert begin(house).find_state(run.docid(PATH)) == "forgotten before"
    house.vault.state.purge(run.docid(PATH), yes=True)
    assert begin(house).find_state(run.docid(PATH)) == "purged before"


def test_a_file_that_was_edited_since_stays_when_its_run_is_undone(house: House) -> None:
    run = take_in(house)
    file_of(house).write_bytes(TEXT + b"\nAnd two figs.\n")
    house.vault.index.sync()
    done = house.vault.truth.undo_run(run.name)
    assert (done.undone, len(done.left)) == (0, 1)
    assert find(house, "figs") == [PATH]


def test_undoing_a_run_brings_back_the_text_that_it_replaced(house: House) -> None:
    take_in(house)
    run = take_in(house, data=TEXT + b"\nAnd two figs.\n", present=TEXT)
    assert find(house, "figs") == [PATH]
    assert house.vault.truth.undo_run(run.name).undone == 1
    assert file_of(house).read_bytes() == TEXT
    assert "figs" not in house.vault.get(PATH).text


def test_a_dry_run_writes_nothing(house: House) -> None:
    run = begin(house, dry_run=True)
    before = sorted(house.data.rglob("*")), len(house.events())
    run.create(PATH, TEXT)
    run.flush()
    assert (sorted(house.data.rglob("*")), len(house.events())) == before


def test_undoing_a_run_takes_its_files_off_the_disk_but_for_those_that_were_changed(house: House) -> None:
    run = begin(house)
    for name in ("one", "two"):
        run.create(f"imported/notes/{name}.md", TEXT.replace(b"The larder", f"Larder {name}".encode()))
    run.flush()
    house.vault.index.sync()
    with file_of(house).open("ab") as file:
        file.write(b"\nAnd two figs.\n")
    house.vault.index.sync()
    done = house.vault.truth.undo_run(run.name)
    assert done.undone == 1 and "one.md was changed after the run" in done.left[0]
    assert file_of(house).exists() and not file_of(house, "imported/notes/two.md").exists()
    assert "two" not in str(find(house, "quinces"))


def test_an_undo_that_was_killed_before_it_removed_the_files_is_completed_by_the_next_one(house: House) -> None:
    run = take_in(house)
    house.vault.truth.undo_run(run.name)
    file_of(house).write_bytes(TEXT)  # as if the process had ended here
    house.vault.index.sync()
    assert find(house, "quinces") == []
    assert house.vault.truth.undo_run(run.name).undone == 1
    assert not file_of(house).exists()


def test_a_file_that_somebody_put_back_after_an_undo_is_not_removed_with_another_text(house: House) -> None:
    run = take_in(house)
    house.vault.truth.undo_run(run.name)
    file_of(house).write_bytes(TEXT + b"\nMine now.\n")
    house.vault.index.sync()
    with pytest.raises(NotFound):
        house.vault.truth.undo_run(run.name)
    assert file_of(house).exists()
