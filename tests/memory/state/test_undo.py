"""Taking changes back, one by one, and never what somebody else changed since."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import Conflict, NotFound

DAY = 86_400_000


def test_undo_takes_back_the_last_change_then_the_one_before(house: Any) -> None:
    before = house.states()
    house.vault.state.pin("bread.md")
    house.vault.state.forget("boats.md")
    house.vault.state.snooze("trees.md", house.vault.clock() + DAY)
    assert [house.vault.state.undo().path for _ in range(3)] == ["trees.md", "boats.md", "bread.md"]
    assert house.states() == before
    with pytest.raises(NotFound, match="nothing to undo"):
        house.vault.state.undo()


def test_undo_goes_back_through_changes_of_one_field(house: Any) -> None:
    now = house.vault.clock()
    for days in (1, 2, 3):
        house.vault.state.snooze("bread.md", now + days * DAY)
    house.vault.state.undo()
    assert house.state("bread.md").snoozed_until == now + 2 * DAY
    house.vault.state.undo()
    assert house.state("bread.md").snoozed_until == now + DAY
    house.vault.state.undo()
    assert house.state("bread.md").snoozed_until is None


def test_an_undo_can_be_undone_by_its_event(house: Any) -> None:
    house.vault.state.pin("bread.md")
    undone = house.vault.state.undo()
    house.vault.state.undo(undone.events[0])
    assert house.state("bread.md").pinned
    house.vault.state.undo()
    assert not house.state("bread.md").pinned


def test_a_given_event_is_undone_though_others_came_later(house: Any) -> None:
    first = house.vault.state.pin("bread.md").events[0]
    house.vault.state.forget("boats.md")
    house.vault.state.forget("bread.md")
    assert house.vault.state.undo(first.lower()).action == "undone"
    assert not house.state("bread.md").pinned
    assert house.state("bread.md").forgotten


def test_what_was_changed_since_is_left_alone(house: Any) -> None:
    first = house.vault.state.pin("bread.md").events[0]
    house.vault.state.unpin("bread.md")
    house.vault.state.pin("bread.md")
    with pytest.raises(Conflict, match="has changed"):
        house.vault.state.undo(first)
    assert house.state("bread.md").pinned


def test_what_another_machine_changed_since_is_left_alone(house: Any, neighbour: Any) -> None:
    house.vault.state.forget("bread.md", actor="human")
    neighbour.vault.index.sync()
    neighbour.vault.state.restore("bread.md", actor="human")
    neighbour.vault.state.forget("bread.md", actor="human")
    house.vault.index.sync()
    with pytest.raises(Conflict, match="has changed"):
        house.vault.state.undo(actor="human")
    assert house.state("bread.md").forgotten


def test_without_an_event_only_this_machines_changes_count(house: Any, neighbour: Any) -> None:
    given = neighbour.vault.state.pin("boats.md", actor="human").events[0]
    house.vault.index.sync()
    with pytest.raises(NotFound):
        house.vault.state.undo(actor="human")
    house.vault.state.undo(given, actor="human")
    assert not house.state("boats.md").pinned


def test_each_actor_takes_back_its_own(house: Any) -> None:
    house.vault.state.pin("bread.md", actor="human")
    house.vault.state.pin("boats.md", actor="claude")
    assert house.vault.state.undo(actor="human").path == "bread.md"
    assert house.state("boats.md").pinned


def test_a_restore_of_several_fields_is_taken_back_whole(house: Any) -> None:
    house.vault.state.supersede("bread.md", "boats.md")
    house.vault.state.invalidate("bread.md")
    before = house.state("bread.md")
    done = house.vault.state.restore("bread.md")
    assert len(done.events) == 2
    house.vault.state.undo()
    assert house.state("bread.md") == before
    again = house.vault.state.restore("bread.md")
    house.vault.state.undo(again.events[0])
    assert house.state("bread.md") == before


def test_a_change_is_undone_after_its_file_was_renamed(house: Any) -> None:
    house.vault.state.forget("bread.md")
    (house.notes / "bread.md").rename(house.notes / "loaf.md")
    house.vault.index.sync()
    assert house.vault.state.undo().path == "loaf.md"
    assert house.found("rye bread") == ["loaf.md"]


def test_a_renamed_document_that_was_changed_since_is_left_alone(house: Any) -> None:
    first = house.vault.state.forget("bread.md").events[0]
    (house.notes / "bread.md").rename(house.notes / "loaf.md")
    house.vault.index.sync()
    house.vault.state.restore("loaf.md")
    house.vault.state.forget("loaf.md")
    with pytest.raises(Conflict, match="has changed"):
        house.vault.state.undo(first)


def test_a_purge_says_that_it_can_not_be_undone(house: Any) -> None:
    house.vault.state.pin("boats.md")
    house.vault.state.purge("bread.md", yes=True)
    with pytest.raises(Conflict, match="purge, which can't be undone"):
        house.vault.state.undo()
    assert house.state("boats.md").pinned


def test_an_event_of_another_kind_and_an_unknown_one_are_named(house: Any) -> None:
    written = house.vault.memories.remember("Tabs", "preference", subject="indent")
    house.vault.memories.remember("Spaces", "preference", subject="indent")
    revised = next(event.id for event in house.events() if event.doc == written.docid)
    with pytest.raises(Conflict, match="not a change"):
        house.vault.state.undo(revised)
    with pytest.raises(NotFound, match="no event"):
        house.vault.state.undo("01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_the_undo_itself_says_why_and_by_whom(house: Any) -> None:
    pinned = house.vault.state.pin("bread.md", actor="human").events[0]
    house.vault.state.undo(reason="a slip", actor="human")
    [event, *_] = house.events()
    assert (event.kind, event.data["undoes"], event.data["reason"]) == ("unpin", pinned, "a slip")
