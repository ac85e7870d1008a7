"""What each change does, what it says, and what it lasts through."""

from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import Conflict, NotFound, UsageError
from hearth.vault import changes
from hearth.vault.changes import NOTHING, Remarks

DAY = 86_400_000


def test_a_pin_comes_and_goes_with_reason_and_actor(house: Any) -> None:
    done = house.vault.state.pin("bread.md", reason="  baked\nweekly ", actor="human")
    assert (done.action, done.collection, done.path) == ("pinned", "notes", "bread.md")
    assert house.state("bread.md").pinned
    [event, *_] = house.events()
    assert (event.id, event.kind, event.data["reason"], event.data["actor"]) == (
        done.events[0],
        "pin",
        "baked weekly",
        "human",
    )
    assert house.vault.state.unpin("bread.md").action == "unpinned"
    assert not house.state("bread.md").pinned


def test_what_is_so_already_journals_nothing(house: Any) -> None:
    house.vault.state.forget("bread.md")
    before = len(house.events())
    assert house.vault.state.forget("bread.md").action == "unchanged"
    assert house.vault.state.unpin("boats.md").action == "unchanged"
    assert house.vault.state.restore("boats.md").action == "unchanged"
    assert len(house.events()) == before


def test_a_snoozed_document_is_still_found_by_searches(house: Any) -> None:
    until = house.vault.clock() + 3 * DAY
    assert dict(house.vault.state.snooze("bread.md", until).fields)["snoozed_until"] == until
    assert house.found("rye bread") == ["bread.md"]
    assert house.vault.state.unsnooze("bread.md").action == "woken"
    assert house.state("bread.md").snoozed_until is None


def test_a_snooze_that_is_over_before_it_begins_is_refused(house: Any) -> None:
    with pytest.raises(UsageError, match="later date"):
        house.vault.state.snooze("bread.md", house.vault.clock())


@pytest.mark.parametrize("hide", ["forget", "invalidate", "supersede"])
def test_what_is_hidden_leaves_searches_at_once_and_restore_brings_it_back(house: Any, hide: str) -> None:
    assert house.found("rye bread") == ["bread.md"]
    given = {"by": "boats.md"} if hide == "supersede" else {}
    getattr(house.vault.state, hide)("bread.md", **given)
    assert house.found("rye bread") == []
    assert house.vault.state.restore("bread.md").action == "restored"
    assert house.found("rye bread") == ["bread.md"]


def test_a_search_includes_the_hidden_states_that_it_names(house: Any) -> None:
    house.vault.state.forget("bread.md")
    house.vault.state.supersede("trees.md", "boats.md")
    house.vault.state.invalidate("boats.md")
    words = "rye dinghy pear"
    assert house.found(words) == []
    assert house.found(words, include=("invalidated",)) == ["boats.md"]
    assert sorted(house.found(words, include=("superseded", "invalidated"))) == ["boats.md", "trees.md"]
    assert house.found("rye bread", include=("superseded", "invalidated", "archived")) == []


def test_two_reasons_to_hide_have_both_to_be_asked_for(house: Any) -> None:
    house.vault.state.invalidate("bread.md")
    house.vault.state.supersede("bread.md", "boats.md")
    assert house.found("rye bread", include=("superseded",)) == []
    assert house.found("rye bread", include=("superseded", "invalidated")) == ["bread.md"]


def test_forgetting_leaves_the_file_alone_and_lasts(house: Any) -> None:
    file = house.notes / "bread.md"
    before = file.read_bytes()
    house.vault.state.forget("bread.md")
    assert file.read_bytes() == before
    house.vault.index.sync()
    assert house.found("rye bread") == []
    file.write_text("# Rye bread\n\nRye bread, edited since.\n", encoding="utf-8")
    house.vault.index.sync()
    assert house.found("rye bread") == []
    file.rename(house.notes / "loaf.md")
    house.vault.index.sync()
    assert house.found("rye bread") == []
    house.rebuilt()
    assert house.found("rye bread") == []
    house.vault.state.restore("loaf.md")
    assert house.found("rye bread") == ["loaf.md"]


def test_a_document_that_was_renamed_while_no_index_existed_stays_forgotten(house: Any) -> None:
    house.vault.state.forget("bread.md")
    (house.notes / "bread.md").rename(house.notes / "loaf.md")
    house.rebuilt()
    assert house.found("rye bread") == []


def test_a_forgotten_memory_that_is_said_again_is_written_anew(house: Any) -> None:
    first = house.vault.memories.remember("Tabs, not spaces", "decision")
    house.vault.state.forget(first.docid)
    again = house.vault.memories.remember("Tabs, not spaces", "decision")
    assert (again.action, again.docid == first.docid) == ("written", False)


def test_nothing_else_can_be_said_of_a_forgotten_document(house: Any) -> None:
    house.vault.state.forget("bread.md")
    with pytest.raises(Conflict, match="hearth restore"):
        house.vault.state.pin("bread.md")


def test_documents_never_supersede_each_other_in_a_circle(house: Any) -> None:
    house.vault.state.supersede("bread.md", "boats.md")
    house.vault.state.supersede("boats.md", "trees.md")
    for old, new in (("trees.md", "bread.md"), ("trees.md", "trees.md")):
        with pytest.raises(Conflict, match="nothing was changed"):
            house.vault.state.supersede(old, new)
    assert house.state("trees.md").superseded_by is None


def test_what_is_out_of_sight_supersedes_nothing(house: Any) -> None:
    house.vault.state.invalidate("boats.md")
    with pytest.raises(Conflict, match="invalidated itself"):
        house.vault.state.supersede("bread.md", "boats.md")


def test_what_a_file_says_to_supersede_restore_can_only_report(house: Any) -> None:
    house.write("new.md", "---\nsupersedes: bread.md\n---\n# Wheat\n\nWheat now.\n")
    house.vault.index.sync()
    done = house.vault.state.restore("bread.md")
    assert done.action == "unchanged"
    assert "superseded by" in str(done.note)


def test_invalidating_twice_keeps_the_first_moment(house: Any) -> None:
    first = dict(house.vault.state.invalidate("bread.md").fields)["invalidated_at"]
    again = house.vault.state.invalidate("bread.md")
    assert (again.action, dict(again.fields)["invalidated_at"]) == ("unchanged", first)


def test_a_reason_is_scrubbed_and_bounded(house: Any) -> None:
    key = "ghp_" + "x1Y2z3A4b5C6d7E8f9G0h1I2j3K4l5M6n7O8"
    house.vault.state.forget("bread.md", reason=f"it quoted {key}")
    assert house.holding(key) == []
    with pytest.raises(UsageError, match="limit of 200"):
        house.vault.state.forget("boats.md", reason="x" * 201)
    assert not house.state("boats.md").forgotten


@pytest.mark.parametrize("actor", ["", "Human", "two words", "x" * 65])
def test_an_actor_is_one_plain_word(actor: str) -> None:
    with pytest.raises(UsageError, match="actor"):
        Remarks(actor=actor).data()


@pytest.mark.parametrize("field", NOTHING)
def test_every_field_has_an_event_that_clears_it(field: str) -> None:
    from hearth.vault.payload import KINDS

    assert changes.event_of(field, NOTHING[field])[0] in KINDS


def test_an_unknown_reference_changes_nothing(house: Any) -> None:
    with pytest.raises(NotFound, match="bread"):
        house.vault.state.forget("braed.md")
    assert house.events() == []
