"""Turns are counted when they end, whether or not the host names them and anything was shown in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.core.hook import CompactionImminent, SessionEnded, TurnEnded


class Session:
    def __init__(self, home: Any) -> None:
        self.home = home
        self.file = Path(home.transcript())
        self.rows: list[dict[str, Any]] = []
        self.leaf: str | None = None

    def line(self, kind: str, content: Any, **more: Any) -> None:
        uid = f"line-{len(self.rows)}"
        stamp = {"timestamp": "2026-03-05T12:00:00.000Z", "sessionId": "s1"}
        role = {"message": {"role": kind, "content": content, "id": uid}}
        self.rows.append({"type": kind, "uuid": uid, "parentUuid": self.leaf, **stamp, **role, **more})
        self.leaf = uid
        self.file.write_text("".join(json.dumps(row) + "\n" for row in self.rows))

    def end_turn(self, **given: Any) -> None:
        event = TurnEnded(host="claude-code", session="s1", transcript=str(self.file), **self.home.place(), **given)
        self.home.run("feedback-loop", event)

    def turn(self, asked: str, *, turn: str | None = None) -> None:
        self.line("user", asked)
        self.line("assistant", [{"type": "text", "text": f"Answer to {asked}"}])
        self.end_turn(turn=turn)

    @property
    def counted(self) -> int:
        [session] = self.home.vault.sessions.recent()
        return int(session.turns)


def test_five_turns_that_the_host_does_not_name_are_five(home: Any) -> None:
    session = Session(home)
    for number in range(5):
        session.turn(f"Ask {number}.")
    assert session.counted == 5
    [waiting] = home.vault.capture.status().waiting
    assert waiting.turns == 5


def test_what_a_plugin_hands_over_of_a_group_is_not_kept(home: Any) -> None:
    said = (("user", "We always label the jars.", None), ("assistant", "Noted.", None))
    for shared in (True, False):
        event = TurnEnded(host="hermes", session=f"shared-{shared}", turn="t1", said=said, shared=shared)
        home.run("feedback-loop", event)
    [waiting] = home.vault.capture.status().waiting
    assert "False" in waiting.session


def test_a_turn_that_ends_twice_or_goes_on_is_one(home: Any) -> None:
    session = Session(home)
    session.turn("Ask.")
    session.end_turn()
    session.line("assistant", [{"type": "text", "text": "And more."}])
    session.end_turn()
    home.run("session-end", SessionEnded(host="claude-code", session="s1", transcript=str(session.file)))
    assert session.counted == 1


@pytest.mark.parametrize("named", [None, "p1"])
def test_a_session_whose_end_is_recorded_before_that_of_its_turn_has_one(home: Any, named: str | None) -> None:
    session = Session(home)
    session.line("user", "Ask.")
    session.line("assistant", [{"type": "text", "text": "Answer."}])
    home.run("session-end", SessionEnded(host="claude-code", session="s1", transcript=str(session.file)))
    assert session.counted == 1
    session.end_turn(turn=named, reached=session.file.stat().st_size)
    assert session.counted == 1
    [listed] = home.vault.sessions.recent(empty=False)
    assert listed.id == "s1"


@pytest.mark.parametrize("named", [None, "p1"])
def test_a_session_that_was_shown_something_and_ends_before_its_turn_has_one(notes: Any, named: str | None) -> None:
    session = Session(notes)
    asked = "Which database did we choose for billing, PostgreSQL or MongoDB?"
    assert notes.prompt(asked, turn=named) is not None
    session.line("user", asked)
    session.line("assistant", [{"type": "text", "text": "PostgreSQL."}])
    notes.run("session-end", SessionEnded(host="claude-code", session="s1", transcript=str(session.file)))
    session.end_turn(turn=named, reached=session.file.stat().st_size)
    [turn] = notes.vault.sessions.get("s1").turns
    assert turn.hooks == ("context-surfacing",)


def test_a_turn_whose_end_was_recorded_meanwhile_is_not_counted_again(home: Any) -> None:
    session = Session(home)
    session.turn("Ask.", turn="p1")
    home.vault.sessions.turn_ended("s1", str(session.file), session.file.stat().st_size, "at-0", state="same turn")
    assert session.counted == 1


def test_a_turn_that_was_shown_something_without_a_name_is_counted_once(notes: Any) -> None:
    session = Session(notes)
    asked = "Which database did we choose for billing, PostgreSQL or MongoDB?"
    assert notes.prompt(asked, turn=None) is not None
    session.turn(asked)
    session.turn("Thanks.")
    assert session.counted == 2


def test_named_turns_count_with_those_that_only_were_shown_something(notes: Any) -> None:
    session = Session(notes)
    asked = "Which database did we choose for billing, PostgreSQL or MongoDB?"
    assert notes.prompt(asked, turn="p1") is not None
    session.turn(asked, turn="p1")
    session.turn("Thanks.", turn="p2")
    assert session.counted == 2


def test_what_is_saved_before_a_compaction_is_without_turns_that_were_taken_back(home: Any) -> None:
    session = Session(home)
    session.turn("We store the lids in SQLite.")
    before = session.leaf
    session.turn("We decided to sell the bakery to Wren.")
    session.leaf = before
    session.turn("Count the lids.")
    event = CompactionImminent(host="claude-code", session="s1", transcript=str(session.file), **home.place())
    assert home.run("precompact-extract", event).reply.reason == "saved"
    [saved] = home.folder.rglob("precompact/*.md")
    assert "bakery" not in saved.read_text() and "Count the lids." in saved.read_text()
