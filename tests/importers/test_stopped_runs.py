"""A run that is stopped anywhere leaves whole files; the next one completes it, and either can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.importers import exports
from tests.importers.conftest import Mine
from tests.importers.exports import talk

from hearth.disk.memories import DiskMemories
from hearth.importers.conversations import ConversationFiles
from hearth.importers.formats import Reading
from hearth.importers.mining import Miner
from hearth.importers.runs import MINE, ImportReport, ImportRun, name_run

CONVERSATIONS = 6


class StoppedError(Exception):
    """As if the process were killed."""


class StoppingMemories(DiskMemories):
    """A folder in which only so many files can be made."""

    def __init__(self, root: str, most: int) -> None:
        super().__init__(Path(root))
        self.left = most

    def create(self, path: str, data: bytes) -> bool:
        if not self.left:
            raise StoppedError
        self.left -= 1
        return super().create(path, data)


def take_until_stopped(mine: Mine, most: int) -> str:
    vault = mine.vault
    name = name_run(MINE, vault.clock())
    memories = StoppingMemories(vault.memories.writer.memories.root, most)
    writer = replace(vault.memories.writer, memories=memories)
    report = ImportReport(name)
    run = ImportRun(name, writer.syncer.history, writer, report)
    files = ConversationFiles(run, vault.zone, lambda folder: None, lambda entries: entries)
    with pytest.raises(StoppedError):
        Miner(files, Reading(frozenset(), vault.clock(), report)).mine([mine.source])
    return name


@pytest.mark.parametrize("most", range(CONVERSATIONS))
def test_files_are_as_of_an_unbroken_run(new_mine: Callable[..., Mine], most: int) -> None:
    whole, broken = new_mine("whole"), new_mine("broken")
    for number in range(CONVERSATIONS):
        exports.chatgpt(whole.source, f"c{number}", talk(f"Where is jar {number}?", "In the larder."))
    whole.take()
    stopped = take_until_stopped(broken, most)
    assert len(broken.files()) == most
    done = broken.take()
    assert (done.taken, done.known) == (CONVERSATIONS - most, most)
    assert broken.files() == whole.files()
    assert broken.take().changed is False
    if most:
        assert broken.vault.truth.undo_run(stopped).undone == most
    assert len(broken.find("jar larder")) == CONVERSATIONS - most
    broken.vault.truth.undo_run(done.run or "")
    assert broken.find("jar larder") == []
