"""A report says what its own run took, whoever else takes the same things at the same time, and however it ends."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.importers import exports
from tests.importers.conftest import Mine
from tests.importers.exports import talk

from hearth.core.errors import NotFound
from hearth.importers.conversations import ConversationFiles
from hearth.importers.formats import Reading
from hearth.importers.mining import Miner
from hearth.importers.records import Options, find_format
from hearth.importers.runs import MINE, ImportReport, ImportRun, name_run
from hearth.importers.take_in import Intake

COUNT = 5


def write(mine: Mine, more: str = "") -> None:
    for number in range(COUNT):
        exports.chatgpt(mine.source, f"c{number}", talk(f"Where is jar {number}?", f"In the larder.{more}"))


def begin(mine: Mine) -> ImportRun:
    name = name_run(MINE, mine.vault.clock())
    writer = mine.vault.memories.writer
    return ImportRun(name, writer.syncer.history, writer, ImportReport(name))


def mine_with(run: ImportRun, mine: Mine, is_stopped: Callable[[], bool] = lambda: False) -> None:
    files = ConversationFiles(run, "UTC", lambda folder: None, lambda entries: entries)
    reading = Reading(frozenset(), mine.vault.clock(), run.report)
    Miner(files, reading, is_stopped=is_stopped).mine([mine.source])


def overtake(run: ImportRun, mine: Mine) -> ImportReport:
    """Another run takes everything in while this one has read it, and not written yet."""
    taken: list[ImportReport] = []

    def is_stopped() -> bool:
        if run.report.taken + run.report.merged == COUNT and not taken:
            taken.append(mine.take())
        return False

    exports.claude_ai(mine.source, "last", talk("Where is the last jar?", "On the sill."))
    mine_with(run, mine, is_stopped)
    return taken[0]


def test_what_another_run_took_first_is_known_to_this_one(mine: Mine) -> None:
    write(mine)
    late = begin(mine)
    first = overtake(late, mine)
    assert (first.taken, first.known) == (COUNT + 1, 0)
    assert (late.report.taken, late.report.known, late.report.changed) == (0, COUNT + 1, False)
    assert late.report.to_dict()["by_source"]["chatgpt"] == {"known": COUNT}
    assert len(mine.files()) == COUNT + 1
    with pytest.raises(NotFound):
        mine.vault.truth.undo_run(late.name)
    assert mine.vault.truth.undo_run(str(first.run)).undone == COUNT + 1
    assert mine.files() == {}


def test_what_another_run_continued_first_is_known_to_this_one(mine: Mine) -> None:
    write(mine)
    mine.take()
    write(mine, " Behind the flour.")
    late = begin(mine)
    first = overtake(late, mine)
    assert (first.taken, first.merged) == (1, COUNT)
    assert (late.report.taken, late.report.merged, late.report.known) == (0, 0, COUNT + 1)
    assert late.report.skipped == {}


def test_a_run_that_is_stopped_keeps_and_reports_what_it_read_and_the_next_one_goes_on(mine: Mine) -> None:
    write(mine)
    run = begin(mine)
    mine_with(run, mine, lambda: run.report.taken == 3)
    assert (run.report.taken, len(mine.files())) == (3, 3)
    rest = mine.take()
    assert (rest.taken, rest.known, len(mine.files())) == (COUNT - 3, 3, COUNT)


def test_an_import_that_is_stopped_keeps_what_it_took_and_the_next_one_goes_on(mine: Mine) -> None:
    place = mine.source / "export.json"
    place.write_text(json.dumps([{"id": f"m{at}", "memory": f"Jar {at} holds quinces"} for at in range(COUNT)]))
    form = find_format(place)

    def take(run: ImportRun, is_stopped: Callable[[], bool] = lambda: False) -> ImportReport:
        found = list(form.read(place, Options({}, mine.home, "UTC")))
        Intake(run, mine.vault.exchange.importer.own, form.name, {}, {}).take(found, is_stopped)
        return run.report

    run = begin(mine)
    first = take(run, lambda: run.report.taken == 3)
    assert (first.taken, first.known, len(mine.files())) == (3, 0, 3)
    rest = take(begin(mine))
    assert (rest.taken, rest.known, len(mine.files())) == (COUNT - 3, 3, COUNT)
