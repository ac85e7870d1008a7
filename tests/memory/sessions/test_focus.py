from __future__ import annotations

from typing import Any

import pytest

from hearth.core.errors import UsageError
from hearth.core.session import Sighting

HOUR = 3_600_000


def test_the_closest_focus_applies(room: Any) -> None:
    focus = room.sessions.focus
    room.sessions.seen(Sighting("s", project="p"))
    assert focus.of("s", None) is None
    focus.set("everything", None, None, 8)
    focus.set("billing", None, "p", 8)
    assert [focus.of(*where).topic for where in (("s", None), ("s", "q"), (None, "p"), (None, None))] == [
        "billing", "everything", "billing", "everything",
    ]  # fmt: skip
    focus.set("refunds", "s", None, 8)
    found = focus.of("s", "p")
    assert (found.topic, found.scope, found.subject) == ("refunds", "session", "s")
    assert focus.clear("s", None).topic == "refunds"
    assert focus.of("s", None).topic == "billing"
    assert focus.clear("s", None) is None


def test_a_focus_runs_out(room: Any) -> None:
    found = room.sessions.focus.set("billing", None, "p", 2)
    assert found.until == room.now + 2 * HOUR
    room.now += 2 * HOUR - 1
    assert room.sessions.focus.of(None, "p") == found
    room.now += 1
    assert room.sessions.focus.of(None, "p") is None
    assert room.sessions.focus.clear(None, "p") is None


def test_a_new_focus_takes_the_place_of_the_one_before(room: Any) -> None:
    for topic in ("billing", "refunds"):
        room.sessions.focus.set(topic, None, None, 8)
    assert room.sessions.focus.of(None, None).topic == "refunds"
    room.rebuilt()
    assert room.sessions.focus.of(None, None).topic == "refunds"


def test_a_focus_is_one_short_line_without_secrets(room: Any) -> None:
    topic = room.sessions.focus.set(
        "  billing\n\x1b[2J  ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6 ", None, None, 8
    ).topic
    assert topic.startswith("billing [2J [redacted:")
    assert "ghp_" not in topic


@pytest.mark.parametrize(("topic", "hours"), [("", 8), (" \n", 8), ("x" * 201, 8), ("x", 0), ("x", 9999), ("\x1b", 8)])
def test_a_focus_that_means_nothing_is_refused(room: Any, topic: str, hours: int) -> None:
    with pytest.raises(UsageError):
        room.sessions.focus.set(topic, None, None, hours)


def test_odd_names_are_kept_apart(room: Any) -> None:
    for number in (1, 2):
        room.sessions.focus.set(f"topic {number}", "x" * 5000 + str(number), None, 8)
    assert [room.sessions.focus.of("x" * 5000 + str(n), None).topic for n in (1, 2)] == ["topic 1", "topic 2"]
