"""A journal whose lines can be erased, while others write to it."""

from __future__ import annotations

import threading
from pathlib import Path

from hearth.core.journal import Draft
from hearth.journal import Clock, JournalPosition, NoteJournal, read

MACHINE = "a" * 10


def opened(folder: Path, machine: str = MACHINE, rotate_bytes: int = 2_000) -> NoteJournal:
    return NoteJournal(folder, machine, Clock(lambda: 1_772_366_400_000), lambda text: text, rotate_bytes)


def note(docid: str, **data: object) -> Draft:
    return Draft("note", docid, None, "hash", {"keywords": ["quern"], **data})


def docids(folder: Path) -> list[str | None]:
    return [event.doc for event in read(folder, JournalPosition()).events]


def test_lines_are_erased_in_all_files_of_this_machine_and_of_no_other(folder: Path) -> None:
    journal, other = opened(folder), opened(folder, "b" * 10)
    for number in range(20):
        journal.append([note(f"doc{number}")])
    other.append([note("doc3")])
    before = other.read(JournalPosition())
    assert len(list(folder.iterdir())) > 2
    assert journal.erase(lambda event: event.doc in ("doc3", "doc4"))
    assert not journal.erase(lambda event: event.doc in ("doc3", "doc4"))
    assert sorted(filter(None, docids(folder))) == sorted([f"doc{n}" for n in range(20) if n not in (3, 4)] + ["doc3"])
    assert other.read(before.position).lost, "whoever had read on is told to read anew"
    journal.append([note("doc21")])
    assert "doc21" in docids(folder)
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


def test_what_can_not_be_read_goes_with_it_and_nothing_is_made_of_nothing(folder: Path) -> None:
    journal = opened(folder)
    assert not journal.erase(lambda event: True) and not folder.exists()
    journal.append([note("doc1")])
    with (folder / f"{MACHINE}.jsonl").open("ab") as file:
        file.write(b'{"torn": "quern')
    assert journal.erase(lambda event: False)
    assert b"torn" not in (folder / f"{MACHINE}.jsonl").read_bytes() and docids(folder) == ["doc1"]


def test_who_writes_while_it_is_erased_loses_nothing(folder: Path) -> None:
    def erase() -> None:
        journal = opened(folder)
        for number in range(20):
            journal.erase(lambda event, number=number: event.doc == f"gone{number}")  # type: ignore[misc]

    opened(folder).append([note(f"gone{number}") for number in range(20)])
    eraser = threading.Thread(target=erase)
    eraser.start()
    writer = opened(folder)
    for number in range(40):
        writer.append([note(f"doc{number}")])
    eraser.join()
    assert sorted(filter(None, docids(folder))) == sorted(f"doc{number}" for number in range(40))
