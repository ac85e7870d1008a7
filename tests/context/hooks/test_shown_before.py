"""What a session was shown counts as shown only as long as it would be shown the same way now."""

from __future__ import annotations

from typing import Any

from hearth.core.hook import SessionStarted

ASKED = "which indentation do I prefer in Python modules, tabs or spaces?"


def start(home: Any) -> str:
    event = SessionStarted(host="claude-code", source="startup", session="s1", **home.place())
    return home.run("session-bootstrap", event).reply.context or ""


def remember(home: Any, text: str, **given: Any) -> str:
    home.now += 60_000
    return str(home.vault.memories.remember(text, "preference", **given).docid)


def test_what_the_start_of_a_session_showed_is_not_shown_again(home: Any) -> None:
    remember(home, "I prefer tabs for the indentation of Python modules.")
    assert "I prefer tabs" in start(home)
    assert "I prefer tabs" not in (home.prompt(ASKED) or "")


def test_a_memory_that_was_rewritten_since_is_shown_again(home: Any) -> None:
    first = remember(home, "I prefer tabs for the indentation of Python modules.", subject="indentation")
    assert "I prefer tabs" in start(home)
    again = remember(home, "I prefer four spaces for the indentation of Python modules.", subject="indentation")
    assert again == first
    assert "four spaces" in (home.prompt(ASKED) or "")
    assert "four spaces" not in (home.prompt(f"{ASKED} I forgot", turn="t2") or "")


def test_a_successor_is_shown_although_the_start_showed_it_beside_what_it_replaced(home: Any) -> None:
    old = remember(home, "I prefer tabs for the indentation of Python modules.", subject="one")
    new = remember(home, "For the indentation of Python modules I take four spaces.", subject="two")
    told = start(home)
    assert "I prefer tabs" in told and "four spaces" in told
    assert "four spaces" not in (home.prompt(ASKED) or "")
    home.vault.state.supersede(old, new)
    found = home.prompt(f"{ASKED} I forgot", turn="t2") or ""
    assert "four spaces" in found and "I prefer tabs" not in found


def test_what_was_forgotten_and_said_anew_is_shown(home: Any) -> None:
    first = remember(home, "I prefer tabs for the indentation of Python modules.")
    start(home)
    home.vault.state.forget(first)
    remember(home, "I prefer tabs for the indentation of Python modules.")
    assert "I prefer tabs" in (home.prompt(ASKED) or "")
