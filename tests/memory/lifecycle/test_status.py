"""What the status counts and recommends, and which notes are stale."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from hearth.core.document import DocumentState, FileState, docid
from hearth.core.errors import UsageError
from hearth.core.journal import Draft
from hearth.memory.archive import Best, archived, documents, instant
from hearth.memory.status import advise, stale, today
from hearth.ports import StoredDocument
from hearth.testing import document, record, temporary_store
from hearth.vault.usage_statistics import UseStatistics

DAY = 86_400_000
STORED = StoredDocument(1, document(), FileState(0, 1, 1, b"a.md"))


def test_the_status_counts_each_state_over_the_whole_vault(house: Any) -> None:
    vault = house.vault
    for name in ("a", "b", "c", "d", "e"):
        house.write(f"{name}.md", f"# Note {name}\n\nThe letter {name} and nothing else.\n")
    _, gone = house.remember("the valve leaks at night"), house.remember("the roof drips in autumn")
    house.remember("we take the blue pump", "decision")
    vault.lifecycle.sweep(True)
    vault.lifecycle.restore("valve")
    vault.state.pin("a.md")
    vault.state.snooze("b.md", house.now + DAY)
    vault.state.forget("c.md")
    vault.state.supersede("d.md", "e.md")
    found = vault.lifecycle.status()
    counts = dict(found.counts)
    assert counts == {
        "documents": 8,
        "active": 5,
        "archived": 1,
        "forgotten": 1,
        "superseded": 1,
        "invalidated": 0,
        "pinned": 1,
        "snoozed": 1,
        "never_accessed": 5,
        "stale": 0,
        "governed": 2,
        "due": 0,
        "purgeable": 0,
    }
    assert house.states()[gone].archived
    row = found.to_dict()
    assert row["archived"] == 1 and row["policy"]["archive_after_days"] == 90 and row["oldest_access"] is None
    assert row["policy"]["limits"]["decision"] is None and row["policy"]["limits"]["note"] == 90


def test_the_status_tells_what_a_sweep_would_do(house: Any) -> None:
    house.remember("the valve leaks at night")
    assert house.vault.lifecycle.status().counts["due"] == 1
    house.vault.lifecycle.sweep(True)
    later = house.archiver(days=40, purge_after_days=30).status()
    assert (later.counts["due"], later.counts["purgeable"]) == (0, 1)


def test_a_purged_note_is_counted_nowhere(house: Any) -> None:
    house.write("a.md", "# Note\n\nText.\n")
    house.vault.state.purge("a.md", yes=True)
    assert house.vault.lifecycle.status().counts["documents"] == 0


def test_a_document_that_was_used_counts_as_accessed(house: Any) -> None:
    memory = house.remember("the valve leaks at night")
    _used(house, memory, referenced=1)
    found = house.vault.lifecycle.status()
    assert (found.counts["never_accessed"], found.counts["due"]) == (0, 0)
    assert found.oldest_access == house.states()[memory].last_accessed_at


def test_recommendations_come_from_how_a_document_was_used(house: Any) -> None:
    good, bad = house.remember("the valve leaks at night"), house.remember("the roof drips in autumn")
    _used(house, good, recalled=6)
    _used(house, bad, surfaced=6, referenced=1)
    found = house.vault.lifecycle.status()
    assert [(a.action, a.docid) for a in found.advice] == [("pin", good), ("snooze", bad)]
    assert dict(found.recommended) == {"pin": 1, "snooze": 1}
    assert found.advice[1].why == "brought up in 6 turns, used in 1"
    house.rebuilt()
    assert house.vault.lifecycle.status().advice == found.advice
    house.vault.state.pin(good)
    house.vault.state.snooze(bad, house.now + DAY)
    assert house.vault.lifecycle.status().advice == ()


@pytest.mark.parametrize(
    ("uses", "action"),
    [
        (UseStatistics(recalled=3, diversity=0.4, spacing=0.5), "pin"),
        (UseStatistics(recalled=2, diversity=1, spacing=1), None),
        (UseStatistics(recalled=9, diversity=0.39, spacing=1), None),
        (UseStatistics(recalled=9, diversity=1, spacing=0.49), None),
        (UseStatistics(surfaced=5), "snooze"),
        (UseStatistics(surfaced=4), None),
        (UseStatistics(surfaced=10, referenced=2), None),
        (UseStatistics(surfaced=11, referenced=2), "snooze"),
    ],
)
def test_advice_begins_exactly_at_its_thresholds(uses: UseStatistics, action: str | None) -> None:
    found = advise(STORED, uses, 0)
    assert (None if found is None else found.action) == action


def test_there_is_no_advice_for_what_is_hidden() -> None:
    uses = UseStatistics(surfaced=50)
    assert advise(replace(STORED, state=DocumentState(archived=True)), uses, 0) is None
    assert advise(replace(STORED, state=DocumentState(snoozed_until=1)), uses, 0) is None
    assert advise(replace(STORED, state=DocumentState(snoozed_until=1)), uses, 1) is not None


# -- stale notes ------------------------------------------------------------------------------------------------------


def test_notes_past_their_review_date_are_stale_the_longest_overdue_first(house: Any) -> None:
    dates = {"old": "2025-01-10", "older": "2024-12-01", "hidden": "2024-01-01", "later": "2999-01-01"}
    for name, date in dates.items():
        house.write(f"{name}.md", f"---\nreview_by: {date}\n---\n# The {name} one\n\nText about {name}.\n")
    house.write("plain.md", "# Plain\n\nNo date.\n")
    house.vault.state.forget("hidden.md")
    notes = house.vault.lifecycle.stale_notes(5)
    assert [note.path for note in notes] == ["older.md", "old.md"]
    assert notes[0].to_dict()["overdue_days"] == (house.now - notes[0].review_by) // DAY
    assert [note.path for note in house.vault.lifecycle.stale_notes(1)] == ["older.md"]
    assert [note.path for note in house.vault.lifecycle.status().stale] == ["older.md", "old.md"]
    house.vault.state.snooze("older.md", house.now + DAY)
    assert [note.path for note in house.vault.lifecycle.stale_notes(5)] == ["old.md"]
    with pytest.raises(UsageError):
        house.vault.lifecycle.stale_notes(0)


def test_a_note_is_stale_from_the_day_after_in_the_users_zone() -> None:
    noon = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp() * 1000)
    note = document(review_by=noon)
    late = int(datetime(2026, 3, 5, 20, tzinfo=UTC).timestamp() * 1000)
    assert not stale(note, today(late, "UTC"))
    assert stale(note, today(late, "Asia/Tokyo"))
    assert not stale(document(), "2999-01-01")


# -- small parts ------------------------------------------------------------------------------------------------------


def test_the_time_of_an_event_is_read_from_its_id(house: Any) -> None:
    house.remember("the valve leaks at night")
    house.vault.lifecycle.sweep(True)
    event = house.events()[0]
    assert abs((instant(event.id) or 0) - event.at) < 60_000  # the machine may stand still between the two
    assert (instant("not a ulid, is it"), instant("01")) == (None, None)


def test_best_keeps_the_least_and_counts_all() -> None:
    best: Best[int] = Best(2)
    for number in (5, 1, 4, 1, 3):
        best.add((number, str(number)), number)
    assert (best.items, best.count) == ((1, 1), 5)


def _used(house: Any, memory: str, *, recalled: int = 0, surfaced: int = 0, referenced: int = 0) -> None:
    drafts = [
        Draft(
            "recalled", memory, data={"session": "s", "turn": f"r{n}", "query": f"q{n}", "day": f"2026-03-{n + 1:02}"}
        )
        for n in range(recalled)
    ]
    for kind, count in (("surfaced", surfaced), ("referenced", referenced)):
        drafts += [Draft(kind, memory, data={"session": "s", "turn": f"{kind}{n}"}) for n in range(count)]
    house.vault.state.history.record(drafts)


def test_the_archive_is_what_is_archived_and_not_forgotten() -> None:
    store = temporary_store()
    states = {
        "plain": DocumentState(),
        "archived": DocumentState(archived=True),
        "both": DocumentState(archived=True, superseded_by="x", invalidated_at=1),
        "superseded": DocumentState(superseded_by="x"),
        "forgotten": DocumentState(archived=True, forgotten=True),
        "vanished": DocumentState(archived=True),
    }
    with store.write() as writer:
        for name, state in states.items():
            writer.put(record("notes", f"{name}.md", "Text."))
            writer.update(docid("notes", f"{name}.md"), state=state)
        writer.update(docid("notes", "vanished.md"), vanished=True)
    with store.read() as reader:
        assert [stored.document.path for stored in archived(reader)] == ["archived.md", "both.md"]
        assert [stored.document.path for stored in documents(reader, ["notes"])] == sorted(
            f"{name}.md" for name in states if name != "vanished"
        )
        assert list(documents(reader, [])) == list(documents(reader, ["other"])) == []
    store.close()
