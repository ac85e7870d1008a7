"""The note that a session leaves behind."""

from __future__ import annotations

from datetime import datetime

import pytest

from hearth.context.engine.cycle import is_silent, may_become_silent
from hearth.context.engine.session_note import EndedSession, name_note, render_note

AT = datetime(2026, 11, 28, 17, 5)


def ended(*messages: tuple[str, str], most: int = 15, **more: str) -> EndedSession:
    return EndedSession("agent:main:main", "new", AT, messages, most, **more)


def test_a_note_tells_what_was_said_last() -> None:
    said = ended(("user", "Where is the cat?"), ("assistant", "On the\nroof."), handoff="## Done\n\n- Looked.")
    assert render_note(said) == (
        "# Session of 2026-11-28 17:05\n\n- Session: `agent:main:main`\n- Ended by: new\n\n## Done\n\n- Looked.\n\n"
        '## Said last\n\n- user: "Where is the cat?"\n- assistant: "On the roof."\n'
    )


def test_commands_silent_replies_and_injected_text_are_left_out() -> None:
    block = "<vault-context>\nThe cat is Tom.\n</vault-context>\n\nWho is the cat?"
    said = ended(("user", "/new"), ("assistant", "NO_REPLY"), ("user", block), ("assistant", "Tom."))
    note = render_note(said)
    assert "The cat is Tom" not in note
    assert note.count("\n- ") == 4
    assert render_note(ended(("user", "/new"), ("assistant", "no_reply."))) == ""


def test_only_the_last_messages_are_quoted() -> None:
    note = render_note(ended(*(("user", f"Message number {at}") for at in range(40)), most=3))
    assert "number 36" not in note
    assert note.count("Message number") == 3


def test_a_note_is_named_by_what_was_asked() -> None:
    said = ended(("user", "Please look at the flaky zebrafish pipeline"), ("assistant", "It passes."))
    assert name_note(said, lambda name: False) == "2026-11-28-flaky-zebrafish.md"
    taken = {"2026-11-28-flaky-zebrafish.md"}
    assert name_note(said, taken.__contains__) == "2026-11-28-flaky-zebrafish-2.md"
    assert name_note(ended(("user", "ok")), lambda name: False) == "2026-11-28-1705.md"


def test_a_title_goes_before_the_words_of_the_request_and_is_cut_between_words() -> None:
    said = ended(("user", "Please look at the flaky zebrafish pipeline"))
    assert name_note(said, lambda name: False, "Flaky test") == "2026-11-28-flaky-test.md"
    long = "Zebrafish pipeline, cache and purge"
    assert name_note(said, lambda name: False, long) == "2026-11-28-zebrafish-pipeline-cache-and.md"
    assert name_note(said, lambda name: False, "?!") == "2026-11-28-flaky-zebrafish.md"


@pytest.mark.parametrize("reply", ["NO_REPLY", "no_reply", "  NO_REPLY: nothing new", "`NO_REPLY`", "NO_REPLY."])
def test_a_silent_reply_is_recognized(reply: str) -> None:
    assert is_silent(reply)


@pytest.mark.parametrize("reply", ["I'd answer NO_REPLY here", "NO_REPLYING", "", "Noted.", "NO REPLY"])
def test_prose_about_it_is_delivered(reply: str) -> None:
    assert not is_silent(reply)


def test_a_stream_is_held_back_as_long_as_it_may_be_silent() -> None:
    assert [may_become_silent(draft) for draft in ("", "NO", "NO_REP", "NO_REPLY", "Not", "No_reply: x")] == [
        True, True, True, True, False, True,
    ]  # fmt: skip
