"""Sweeping a real vault: what leaves sight, how it comes back, and what lasts."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hearth.core.errors import UsageError
from hearth.memory.status import Swept

DAY = 86_400_000
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def test_a_dry_run_says_what_is_due_and_changes_nothing(house: Any) -> None:
    old, new = house.remember("the valve leaks at night"), house.remember("the pump hums", days=1)
    events = len(house.events())
    done = house.vault.lifecycle.sweep()
    assert (done.applied, [op.docid for op in done.archived]) == (False, [old])
    assert done.to_dict()["dry_run"] is True and done.to_dict()["candidates"] == 1
    assert not house.states()[old].archived and not house.states()[new].archived
    assert len(house.events()) == events


def test_a_sweep_archives_with_reason_and_actor_and_the_archive_leaves_searches(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    assert house.found("valve leaks") == [docid]
    done = house.vault.lifecycle.sweep(True, actor="curator")
    assert (done.applied, done.events, [op.docid for op in done.archived]) == (True, 1, [docid])
    assert house.found("valve leaks") == []
    assert house.found("valve leaks", include=("archived",)) == [docid]
    event = house.events()[0]
    assert (event.kind, event.data["actor"], event.id) == ("archive", "curator", done.last_event)
    assert event.data["reason"] == "unused and unchanged for 200 days, over the limit of 90 for problem"
    assert house.vault.lifecycle.sweep(True).archived == ()


def test_undo_brings_an_archived_memory_back(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    before = house.states()[docid]
    done = house.vault.lifecycle.sweep(True)
    assert house.vault.state.undo(done.last_event).action == "undone"
    assert house.states()[docid] == before
    assert house.found("valve leaks") == [docid]


def test_what_is_in_use_pinned_or_a_decision_stays(house: Any) -> None:
    pinned, decided = house.remember("the valve leaks"), house.remember("we take the blue pump", "decision")
    house.vault.state.pin(pinned)
    snoozed = house.remember("the roof drips in autumn")
    house.vault.state.snooze(snoozed, house.now + DAY)
    assert house.vault.lifecycle.sweep(True).archived == ()
    assert [state.archived for state in house.states().values()] == [False, False, False]
    assert decided in house.states()


def test_a_guess_that_nobody_confirmed_is_archived_when_it_expires(house: Any) -> None:
    docid = house.remember("perhaps the seal is worn", "fact", confidence=0.3, days=0)
    assert house.vault.lifecycle.sweep(True).archived == ()
    later = house.archiver(days=31)
    assert [op.docid for op in later.sweep(True, **_said()).archived] == [docid]
    assert house.states()[docid].archived


def test_archives_survive_a_move_an_edit_and_the_loss_of_the_index(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    note = house.remember("the roof drips in autumn")
    house.vault.lifecycle.sweep(True)
    states = house.states()
    house.rebuilt()
    assert house.states() == states
    [file] = house.data.rglob(f"*{docid}.md")
    shutil.move(file, file.parent.parent / file.name)
    house.vault.index.sync()
    assert house.states()[docid].archived and house.states()[note].archived


def test_a_note_that_was_moved_keeps_the_day_of_its_restoring(house: Any) -> None:
    house.configure("", "    lifecycle: true\n")
    file = house.write("valve.md", "# Valve\n\nThe valve leaks at night.\n")
    house.vault.lifecycle.sweep(True)
    house.vault.lifecycle.restore(everything=True)
    file.rename(file.parent / "moved.md")
    house.vault.index.sync()
    assert [event.kind for event in house.events()[:2]] == ["moved", "restore"]
    assert house.vault.lifecycle.sweep().archived == ()
    assert len(house.archiver(days=91).plan(house.now + 91 * DAY)) == 1


def test_a_change_between_plan_and_carrying_out_is_respected(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    archiver = house.archiver()
    ops = tuple(archiver.plan(house.now))
    house.vault.state.pin(docid)
    done = archiver._archive(ops, house.now, {"actor": "test"}, _swept())
    assert (done.archived, done.kept, done.events) == ((), 1, 0)
    assert not house.states()[docid].archived


# -- restoring --------------------------------------------------------------------------------------------------------


def test_restore_takes_exactly_what_fits(house: Any) -> None:
    house.configure("", "    lifecycle: true\n")
    valve, roof = house.remember("the valve leaks at night"), house.remember("the roof drips in autumn")
    house.write("note.md", "# Boats\n\nThe dinghy leaks at the transom.\n")
    done = house.vault.lifecycle.sweep(True)
    assert len(done.archived) == 3
    vault = house.vault
    assert vault.lifecycle.restore("valve at night", apply=False).to_dict()["restored"] == 0
    assert [d.docid for d in vault.lifecycle.restore("the valve leaks at night", limit=1).documents] == [valve]
    assert [d.path for d in vault.lifecycle.restore(collection="notes").documents] == ["note.md"]
    assert vault.lifecycle.restore(since=house.now + DAY).documents == ()
    last = vault.lifecycle.restore(since=done.started_at)
    assert [d.docid for d in last.documents] == [roof]
    assert house.events()[0].id == last.last_event
    assert not any(state.archived for state in house.states().values())


def test_restore_has_to_be_told_what(house: Any) -> None:
    house.remember("the valve leaks at night")
    house.vault.lifecycle.sweep(True)
    for fitting in ({}, {"everything": True, "collection": "notes"}, {"collection": "notes", "limit": 0}):
        with pytest.raises(UsageError):
            house.vault.lifecycle.restore(**fitting)
    assert len(house.vault.lifecycle.restore(everything=True).documents) == 1


def test_what_was_restored_is_not_swept_again_before_its_time(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    house.vault.lifecycle.sweep(True)
    house.vault.lifecycle.restore(everything=True)
    assert house.vault.lifecycle.sweep(True).archived == ()
    assert [op.docid for op in house.archiver(days=91).sweep(None, **_said()).archived] == [docid]


def test_restoring_does_not_bring_back_what_is_forgotten(house: Any) -> None:
    docid = house.remember("the valve leaks at night")
    house.vault.lifecycle.sweep(True)
    house.vault.state.forget(docid)
    assert house.vault.lifecycle.restore(everything=True).documents == ()
    assert house.states()[docid].archived


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(ages=st.lists(st.integers(1, 400), min_size=1, max_size=5), pins=st.sets(st.integers(0, 4)))
def test_restoring_all_after_a_sweep_gives_the_states_before(make_house: Any, ages: list[int], pins: set[int]) -> None:
    house = make_house()
    try:
        house.configure("", "    lifecycle: true\n")
        for number, days in enumerate(ages):
            # Half a day off: a note of exactly 90 days grows older than the limit while the test runs.
            house.write(f"note-{number}.md", f"# Note {number}\n\nThe number {number} is lucky.\n", days=days - 0.5)
        for number in pins & set(range(len(ages))):
            house.vault.state.pin(f"note-{number}.md")
        before = house.states()
        swept = house.vault.lifecycle.sweep(True)
        assert house.vault.lifecycle.sweep(True).archived == ()
        assert len(swept.archived) == sum(days > 90 for n, days in enumerate(ages) if n not in pins)
        back = house.vault.lifecycle.restore(everything=True)
        assert len(back.documents) == len(swept.archived)
        assert house.states() == before
    finally:
        house.close()


# -- the archive ------------------------------------------------------------------------------------------------------


def test_a_search_of_the_archive_finds_it_behind_any_number_of_active_notes(house: Any) -> None:
    """They all say the same and more of it."""
    docid = house.remember("the valve leaks at night", title="Damage")
    house.vault.lifecycle.sweep(True)
    for number in range(260):
        text = f"# Valve leaks at night {number}\n\nThe valve leaks at night, the valve leaks at night.\n"
        (house.notes / f"{number}.md").write_text(text, encoding="utf-8")
    house.vault.index.sync()
    for recipe in ("keyword", "semantic", "hybrid"):
        hits = house.vault.lifecycle.search("the valve leaks at night", recipe=recipe).hits
        assert [(hit.docid, hit.hidden) for hit in hits] == [(docid, ("archived",))], recipe


def test_a_search_of_the_archive_finds_by_date_too(house: Any) -> None:
    docid = house.remember("the valve leaks", days=200)
    house.vault.lifecycle.sweep(True)
    day = house.stored(docid).document.authored_at
    question = datetime.fromtimestamp(day / 1000, UTC).strftime("what happened on %Y-%m-%d")
    assert [hit.docid for hit in house.vault.lifecycle.search(question).hits] == [docid]


def test_nothing_archived_is_found_in_an_empty_archive(house: Any) -> None:
    house.remember("the valve leaks", days=1)
    assert house.vault.lifecycle.search("valve").hits == ()


# -- purging ----------------------------------------------------------------------------------------------------------


def test_old_archives_are_erased_only_by_an_explicit_sweep(house: Any) -> None:
    docid = house.remember("the valve named xylophone leaks", title="Valve")
    house.vault.lifecycle.sweep(True)
    later = house.archiver(days=40, purge_after_days=30, dry_run=False)
    done = later.sweep(None, **_said())
    assert (done.applied, done.purged, done.deferred) == (True, (), 1)
    assert docid in house.states()
    assert [op.why for op in later.sweep(False, **_said()).purged] == ["archived for 40 days, over the limit of 30"]
    assert docid in house.states()
    erased = later.sweep(True, **_said())
    assert ([op.docid for op in erased.purged], erased.pending) == ([docid], None)
    assert docid not in house.states()
    assert holding(house.home, "xylophone") == []
    assert later.sweep(True, **_said()).purged == ()


def test_of_a_persons_note_a_purge_leaves_the_file(house: Any) -> None:
    house.configure("", "    lifecycle: true\n")
    file = house.write("valve.md", "# Valve\n\nThe valve leaks at night.\n")
    house.vault.lifecycle.sweep(True)
    later = house.archiver(days=40, purge_after_days=30)
    assert len(later.sweep(True, **_said()).purged) == 1
    assert file.exists()
    assert house.vault.lifecycle.search("valve").hits == ()
    assert later.sweep(True, **_said()).purged == ()


def holding(home: Path, text: str) -> list[str]:
    """Files that hold a text, in any case."""
    files = (path for path in home.rglob("*") if path.is_file())
    return [str(path) for path in files if text.encode() in path.read_bytes().lower()]


def _said() -> dict[str, Any]:
    return {"actor": "test"}


def _swept() -> Swept:
    return Swept(True, (), (), 0)
