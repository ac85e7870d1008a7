"""Memories come of conversations that were taken in only when they are wanted: few of each, dated by the turn, once."""

from __future__ import annotations

import pytest
from tests.importers import exports
from tests.importers.conftest import Mine
from tests.importers.exports import BEGUN, talk

DAY = 86_400
RULE = "From now on always label the jars in blue."
OTHER = "From now on always close the cellar door."


def take(mine: Mine, name: str, said: str, day: int) -> None:
    exports.chatgpt(mine.source, name, talk("Hello.", "Hello.", said, "I will.", begun=BEGUN + day * DAY))


def test_taking_conversations_in_makes_no_memories(mine: Mine) -> None:
    take(mine, "one", RULE, 0)
    mine.take()
    assert mine.memories() == {}


def test_a_memory_is_dated_by_its_turn_and_made_once(mine: Mine) -> None:
    take(mine, "one", RULE, 3)
    mine.take()
    done = mine.distill()
    assert (done.conversations, done.left, done.problems) == (1, 0, ())
    [(text, day)] = mine.memories().items()
    assert "label the jars in blue" in text and day == "2025-06-18"
    again = mine.distill()
    assert (again.conversations, again.memories, len(mine.memories())) == (0, 0, 1)


def test_the_newest_conversations_come_first_and_the_rest_waits(mine: Mine) -> None:
    take(mine, "old", OTHER, 0)
    take(mine, "new", RULE, 5)
    mine.take()
    first = mine.distill(1)
    assert (first.conversations, first.left) == (1, 1)
    assert ["jars" in text for text in mine.memories()] == [True]
    mine.distill(1)
    assert len(mine.memories()) == 2


def test_what_was_said_by_third_persons_makes_no_memories(mine: Mine) -> None:
    exports.slack(mine.source, "kitchen", talk(RULE, "Yes?", OTHER, "No?", names=("Ana", "Bo")))
    mine.take(me="Ana")
    assert mine.distill().conversations == 0
    assert mine.memories() == {}


def test_a_conversation_that_grew_is_read_again(mine: Mine) -> None:
    take(mine, "one", RULE, 0)
    mine.take()
    mine.distill()
    exports.chatgpt(mine.source, "one", talk("Hello.", "Hello.", RULE, "I will.", OTHER, "Yes."))
    mine.take()
    assert mine.distill().conversations == 1
    assert len(mine.memories()) == 2


def test_undoing_the_run_takes_its_memories_back(mine: Mine, monkeypatch: pytest.MonkeyPatch) -> None:
    take(mine, "one", RULE, 0)
    mine.take()
    mine.distill()
    [captured] = [event for event in mine.events() if event.kind == "captured"]
    assert len(mine.memories()) == 1
    mine.vault.truth.undo_run(captured.data["run"])
    assert mine.memories() == {}


def test_any_order_gives_the_same_current_statement(mine: Mine) -> None:
    """The newer conversation is read first, and what the older one says does not come out on top."""
    take(mine, "old", "I live in Porto.", 0)
    take(mine, "new", "I no longer live in Porto, I moved to Lyon.", 9)
    mine.take()
    mine.distill(1)
    mine.distill(1)
    hits = mine.vault.recall("Where do I live?").hits
    assert "Lyon" in hits[0].snippet
