"""The look that spares a search the scan: it must never miss what a scan would find."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.house import House

from hearth.core.document import docid
from hearth.core.errors import Unavailable
from hearth.core.journal import Draft
from hearth.disk.collections import DiskFiles
from hearth.models.static import quantize
from hearth.ports import Collection
from hearth.testing import HashEmbedder
from hearth.vault.embedding import Filler
from hearth.vault.indexing.index import ChangeProbe


def nothing_new(box: Any) -> bool:
    box.now += 3_600_000
    return ChangeProbe(box.store, DiskFiles(), box.history, lambda: box.now, nullcontext).nothing_new(box.collections)


def embed(box: Any) -> None:
    Filler(box.store, quantize, nullcontext).run(HashEmbedder())


def scanned_at(box: Any) -> int:
    with box.store.read() as reader:
        return int(reader.collections()["notes"].scanned_at)


@pytest.fixture
def synced(box: Any) -> Any:
    for name in ("a.md", "b.md", "c.md"):
        box.write(name, f"# {name}\n\nThe gateway restarts at night.\n")
    box.write("odd.md", b"\0\1\2")
    box.sync()
    embed(box)
    return box


def deny(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The disk refuses to open a file: root may read whatever has no permission."""
    opened = os.open

    def refuse(path: Any, *given: Any, **more: Any) -> int:
        if str(path).endswith(name):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *given, **more)

    monkeypatch.setattr(os, "open", refuse)


def test_folders_as_the_index_knows_them_count_as_scanned(synced: Any) -> None:
    before = scanned_at(synced)
    assert nothing_new(synced)
    assert scanned_at(synced) > before
    assert synced.sync().unchanged == 3


def test_a_file_that_is_no_text_is_looked_at_again_once_it_changes(synced: Any) -> None:
    assert nothing_new(synced)
    synced.write("odd.md", b"\0\1\2\3")
    assert not nothing_new(synced)
    synced.sync()
    assert nothing_new(synced)
    synced.write("odd.md", "text\n")
    assert not nothing_new(synced)
    synced.sync()
    embed(synced)
    assert nothing_new(synced)
    assert "odd.md" in synced.paths()


def test_a_note_that_is_no_text_any_more_costs_one_scan(synced: Any) -> None:
    synced.write("a.md", b"\0\1\2")
    assert not nothing_new(synced)
    synced.sync()
    assert nothing_new(synced)
    (synced.root / "a.md").unlink()
    assert not nothing_new(synced)


def test_a_file_that_may_not_be_read_costs_one_scan_until_it_may(synced: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as closed:
        deny(closed, "d.md")
        synced.write("d.md", "# d\n\nThe larder is cold.\n")
        assert not nothing_new(synced)
        synced.sync()
        probe = ChangeProbe(synced.store, DiskFiles(), synced.history, lambda: synced.now, nullcontext)
        synced.now += 3_600_000
        assert probe.nothing_new(synced.collections)
        assert probe.nothing_new(synced.collections)
    # Neither its time nor its size tell.
    assert not probe.nothing_new(synced.collections)
    synced.sync()
    assert "d.md" in synced.paths()


def test_a_file_that_is_being_written_is_left_to_a_scan(synced: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: Any) -> bytes:
        raise Unavailable("it is being written")

    with monkeypatch.context() as closed:
        deny(closed, "d.md")
        synced.write("d.md", "text\n")
        synced.sync()
    monkeypatch.setattr(DiskFiles, "read", busy)
    assert not nothing_new(synced)


CHANGES: dict[str, Callable[[Any], object]] = {
    "an edit": lambda box: box.write("a.md", "# a\n\nIt restarts at noon, and longer.\n"),
    "a new file": lambda box: box.write("d.md", "new\n"),
    "a lost file": lambda box: (box.root / "b.md").unlink(),
    "a lost folder": lambda box: box.root.rename(box.home / "elsewhere"),
    "another collection": lambda box: box.collections.append(Collection("more", str(box.home))),
    "a collection less": lambda box: box.collections.clear(),
    "another root": lambda box: box.collections.__setitem__(0, replace(box.collections[0], root=str(box.home))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changed_is_left_to_a_scan(synced: Any, change: str) -> None:
    assert nothing_new(synced)
    before = scanned_at(synced)
    CHANGES[change](synced)
    assert not nothing_new(synced)
    assert scanned_at(synced) == before


def test_a_held_collection_is_left_to_a_scan(synced: Any) -> None:
    synced.root.rename(synced.home / "elsewhere")
    synced.sync()
    assert not nothing_new(synced)


def test_a_fragment_without_its_vector_is_left_to_a_scan(box: Any) -> None:
    box.write("a.md", "The gateway restarts at night.\n")
    box.sync()
    assert not nothing_new(box)
    embed(box)
    assert nothing_new(box)


def test_events_of_another_machine_are_taken_in(box: Any) -> None:
    box.write("a.md", "The gateway restarts at night.\n")
    box.sync()
    embed(box)
    box.journal.append([Draft("pin", docid("notes", "a.md"), "a.md", None, {})])
    assert nothing_new(box)
    assert box.state("a.md").pinned


def test_an_edit_right_after_a_search_is_found_by_the_next_one(tmp_path: Path) -> None:
    house = House(tmp_path / "home", tmp_path / "notes")
    house.write("gate.md", "The gateway restarts at night.\n")
    house.configure()
    vault = house.vault
    for word in ("noon", "dawn", "dusk"):
        vault.index.freshen()
        vault.recall("when does the gateway restart")
        house.write("gate.md", f"The gateway restarts at {word}.\n")
        vault.index.freshen()
        assert word in vault.recall("when does the gateway restart").hits[0].snippet
    house.close()


def test_a_look_that_finds_nothing_changes_nothing_in_the_index(synced: Any) -> None:
    probe = ChangeProbe(synced.store, DiskFiles(), synced.history, lambda: synced.now, nullcontext)
    with synced.store.read() as reader:
        before = reader.statistics().generation
    assert probe.nothing_new(synced.collections)
    assert probe.nothing_new(synced.collections)
    with synced.store.read() as reader:
        assert reader.statistics().generation == before


def test_a_file_that_is_no_text_costs_one_scan_and_not_one_a_search(tmp_path: Path) -> None:
    house = House(tmp_path / "home", tmp_path / "notes")
    house.write("gate.md", "The gateway restarts at night.\n")
    odd = house.write("odd.md", "\0")
    house.configure()
    index = house.vault.index
    files = DiskFiles(lambda: time.time_ns() + 3_600_000_000_000)
    object.__setattr__(index.syncer, "files", files)
    object.__setattr__(index.probe, "files", files)
    assert index.scan() is not None
    assert index.freshen() is None
    odd.write_text("It is text now.\n", encoding="utf-8")
    assert index.freshen() is not None
    house.close()
